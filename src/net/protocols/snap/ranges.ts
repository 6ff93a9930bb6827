/**
 * Ranges of accounts and slots with the proofs of their bounds.
 * @see devp2p caps/snap.md
 * @module
 */
import { compareBytes, equalBytes, isZeroBytes } from '../../../base/primitives/bytes.ts'
import type { HashedEntries } from '../../../state/stateRanges.ts'
import type { SnapEntry } from './messages.ts'

const HASH_BYTES = 32

export interface RangeBounds {
  /** 32 bytes */
  readonly start: Uint8Array
  /** The first key at or after it ends the range; 32 bytes. */
  readonly limit: Uint8Array
  /** The range ends after the entry with which it exceeds this number of bytes. */
  readonly maxBytes: number
  /** The range ends after this number of entries; at least 1. */
  readonly maxEntries: number
}

export interface Range {
  readonly entries: SnapEntry[]
  /** Keys and values. */
  readonly bytes: number
  /** Whether the range holds all entries. */
  readonly isWhole: boolean
}

/** Collects entries in the order of their keys; at least one, if any follows `start`. */
export function collectRange(
  stored: HashedEntries,
  { start, limit, maxBytes, maxEntries }: RangeBounds,
  bodyOf: (value: Uint8Array) => Uint8Array,
): Range {
  const entries: SnapEntry[] = []
  let bytes = 0
  let isEnded = false
  for (const { key, value } of stored.from(start)) {
    if (isEnded) return { entries, bytes, isWhole: false }
    const body = bodyOf(value)
    entries.push({ hash: key, body })
    bytes += HASH_BYTES + body.length
    isEnded = bytes > maxBytes || entries.length >= maxEntries || compareBytes(key, limit) >= 0
  }
  return { entries, bytes, isWhole: isZeroBytes(start) }
}

/** RLP of the nodes that prove the first key asked for and the last entry, each node once. */
export function proveRange(stored: HashedEntries, start: Uint8Array, entries: readonly SnapEntry[]): Uint8Array[] {
  const proof = stored.prove(start)
  const last = entries.at(-1)
  if (last === undefined || equalBytes(last.hash, start)) return proof
  const nodes = stored.prove(last.hash)
  const first = nodes.findIndex((node, i) => proof[i] === undefined || !equalBytes(node, proof[i]))
  return first < 0 ? proof : [...proof, ...nodes.slice(first)]
}
