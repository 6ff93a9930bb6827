/**
 * The stored terms of one block: ascending, 4 bytes each, without duplicates.
 * @module
 */
import { writeUint } from '../../base/primitives/bytes.ts'
import type { Log, StoredReceipt } from '../../types/receipt.ts'
import { accountTerm, logAddressTerm, logTopicTerm, UNKNOWN_ACCOUNTS } from './terms.ts'

export const TERM_BYTES = 4

/** @param accounts read or written by the execution of the block; undefined when unknown */
export function encodeBlockTerms(
  receipts: readonly Pick<StoredReceipt, 'logs'>[],
  accounts: readonly Uint8Array[] | undefined,
): Uint8Array {
  const terms: number[] = []
  for (const { logs } of receipts) for (const log of logs) addLog(terms, log)
  if (accounts === undefined) terms.push(UNKNOWN_ACCOUNTS)
  else for (const address of accounts) terms.push(accountTerm(address))
  return encodeTerms(Uint32Array.from(terms).sort())
}

function addLog(terms: number[], { address, topics }: Log): void {
  terms.push(logAddressTerm(address))
  for (let position = 0; position < topics.length; position++) {
    terms.push(logTopicTerm(position, topics[position] as Uint8Array))
  }
}

function encodeTerms(sorted: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(sorted.length * TERM_BYTES)
  let at = 0
  let last = -1
  for (const term of sorted) {
    if (term === last) continue
    writeUint(bytes, at, term, TERM_BYTES)
    at += TERM_BYTES
    last = term
  }
  return at === bytes.length ? bytes : bytes.slice(0, at)
}

/** Index of the first of `count` ascending terms that is not below `term`; `count` when there is none. */
export function firstAtLeast(view: DataView, count: number, term: number): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >>> 1
    if (view.getUint32(middle * TERM_BYTES) < term) low = middle + 1
    else high = middle
  }
  return low
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
