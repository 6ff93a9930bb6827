/**
 * Canonical blocks as concatenated RLP, the format of `blocks export`.
 * @see docs/reference/cli-and-config.md section 7
 * @module
 */
import { NodeError } from '../base/primitives/errors.ts'
import type { BlockStore } from './blockStore.ts'
import { describeDevAmendment } from './devAmendment.ts'

export interface ExportRange {
  /** First block; default: that of the chain. */
  readonly startBlock?: number
  /** First block to omit; default: the block after the head. */
  readonly endBlock?: number
}

/**
 * Yields the RLP of each canonical block of the range, ascending; ignores numbers above the head.
 * @param head number of the head
 * @throws {NodeError} INVALID_BLOCK_RANGE; CHAIN_DEVIATES when no other node could import the blocks: both before the
 *   first block is yielded
 */
export function exportBlocks(
  blocks: Pick<BlockStore, 'firstNumber' | 'canonicalHash' | 'blockRlp' | 'firstDevAmendment' | 'runs'>,
  head: number,
  range: ExportRange,
): Generator<Uint8Array, void, undefined> {
  const { startBlock, endBlock } = range
  checkParameter('--start-block', startBlock)
  checkParameter('--end-block', endBlock)
  const start = startBlock ?? blocks.firstNumber
  if (endBlock !== undefined && endBlock <= start)
    throw invalidRange(`Parameter --end-block (${endBlock}) must be greater start block (${start}).`)
  const end = Math.min(endBlock ?? head + 1, head + 1)
  const firstAmended = blocks.firstDevAmendment(end)
  if (firstAmended !== undefined) {
    const why = describeDevAmendment(firstAmended.amendment)
    const message = `block ${firstAmended.number} of this dev chain deviates from the protocol (${why}): its blocks cannot be exported`
    throw new NodeError({ code: 'CHAIN_DEVIATES', number: firstAmended.number }, message)
  }
  const [run] = blocks.runs.segments(0, end - 1)
  if (run !== undefined) {
    const message = `blocks ${run.first} to ${run.last} of this dev chain are derived, not executed: they and the blocks after them cannot be exported (a state dump includes them)`
    throw new NodeError({ code: 'CHAIN_DEVIATES', number: run.first }, message)
  }
  return walk(blocks, start, end)
}

function* walk(
  blocks: Pick<BlockStore, 'canonicalHash' | 'blockRlp'>,
  start: number,
  end: number,
): Generator<Uint8Array, void, undefined> {
  for (let number = start; number < end; number++) {
    const hash = blocks.canonicalHash(number)
    const rlp = hash && blocks.blockRlp(hash)
    if (rlp === undefined) return
    yield rlp
  }
}

function checkParameter(name: string, value: number | undefined): void {
  if (value !== undefined && value < 0)
    throw invalidRange(`Parameter ${name} (${value}) must be greater than or equal to zero.`)
}

function invalidRange(message: string): NodeError {
  return new NodeError({ code: 'INVALID_BLOCK_RANGE' }, message)
}
