import type { KeyValueReader } from '../../base/ports/keyValueStore.ts'
import { keys } from '../../storage/schema.ts'
import { viewOf } from './blockTerms.ts'

/** A canonical block with its terms. */
export interface CanonicalBlock {
  readonly hash: Uint8Array
  /** undefined: none are stored */
  readonly terms: DataView | undefined
}

/** The canonical blocks from `from` to `to`, both inclusive, up to the first number without one. */
export function readBlocks(reader: KeyValueReader, from: number, to: number): CanonicalBlock[] {
  return readTerms(reader, from, readHashes(reader, from, to))
}

/** Hashes of the canonical blocks from `from` to `to`, both inclusive, up to the first number without one. */
export function readHashes(reader: KeyValueReader, from: number, to: number): Uint8Array[] {
  const hashes = reader.getMany(Array.from({ length: to - from + 1 }, (_, i) => keys.canonicalHash(from + i)))
  const end = hashes.indexOf(undefined)
  return (end < 0 ? hashes : hashes.slice(0, end)) as Uint8Array[]
}

/** @param hashes of consecutive blocks, the first of which has the number `from` */
export function readTerms(reader: KeyValueReader, from: number, hashes: readonly Uint8Array[]): CanonicalBlock[] {
  const rows = reader.getMany(hashes.map((hash, i) => keys.blockTerms(from + i, hash)))
  return hashes.map((hash, i) => {
    const row = rows[i]
    return { hash, terms: row && viewOf(row) }
  })
}
