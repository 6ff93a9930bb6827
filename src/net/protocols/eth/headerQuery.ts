/**
 * The headers that a query of headers selects.
 * @see devp2p caps/eth.md, GetBlockHeaders; docs/reference/p2p.md section 4
 * @module
 */
import { equalBytes } from '../../../base/primitives/bytes.ts'
import type { AnswerItems } from '../answer.ts'
import { type BlockPosition, parentHashOf, type StoredBlocks } from '../storedBlocks.ts'
import type { HeaderQuery } from './messages.ts'

const MAX_NUMBER = BigInt(Number.MAX_SAFE_INTEGER)

/**
 * Adds the headers `start`, `start ± (skip + 1)` and so on; ends at the first that is missing.
 * @param maxHeaders maximum number of headers, and of ancestors read on another branch
 */
export function collectHeaders(
  blocks: StoredBlocks,
  { start, limit, skip, isReverse }: HeaderQuery,
  maxHeaders: number,
  answer: AnswerItems,
): void {
  const count = limit < BigInt(maxHeaders) ? Number(limit) : maxHeaders
  if (count === 0) return
  // A larger distance leads outside every chain.
  const distance = skip < MAX_NUMBER ? Number(skip) + 1 : Number.MAX_SAFE_INTEGER
  if (!(start instanceof Uint8Array)) {
    if (start <= MAX_NUMBER) addCanonical(blocks, numbersFrom(Number(start), count, distance, isReverse), answer)
    return
  }
  const [position] = blocks.positions([start])
  if (position === undefined) return
  const [canonical] = blocks.canonicalHashes([position.number])
  if (canonical !== undefined && equalBytes(canonical, start)) {
    addCanonical(blocks, numbersFrom(position.number, count, distance, isReverse), answer)
  } else {
    addBranch(blocks, position, { count: isReverse ? count : 1, distance, maxSteps: maxHeaders }, answer)
  }
}

function numbersFrom(start: number, count: number, distance: number, isReverse: boolean): number[] {
  const numbers: number[] = []
  const step = isReverse ? -distance : distance
  for (let number = start; numbers.length < count && number >= 0; number += step) {
    if (!Number.isSafeInteger(number)) break
    numbers.push(number)
  }
  return numbers
}

function addCanonical(blocks: StoredBlocks, numbers: readonly number[], answer: AnswerItems): void {
  const positions: BlockPosition[] = []
  for (const [i, hash] of blocks.canonicalHashes(numbers).entries()) {
    if (hash === undefined) break
    positions.push({ number: numbers[i] as number, hash })
  }
  for (const header of blocks.headers(positions)) if (header === undefined || !answer.add(header)) return
}

/** Ancestors of a block that is not canonical, one by one. */
function addBranch(
  blocks: StoredBlocks,
  from: BlockPosition,
  { count, distance, maxSteps }: { readonly count: number; readonly distance: number; readonly maxSteps: number },
  answer: AnswerItems,
): void {
  let { number, hash } = from
  const target = { next: number, added: 0 }
  for (let steps = 0; steps < maxSteps && target.added < count && number >= 0; steps++, number--) {
    const [header] = blocks.headers([{ number, hash }])
    if (header === undefined) return
    if (number === target.next) {
      if (!answer.add(header)) return
      target.added++
      target.next -= distance
    }
    hash = parentHashOf(header)
  }
}
