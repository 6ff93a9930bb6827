import type { KeyValueReader } from '../base/ports/keyValueStore.ts'
import { type CanonicalBlock, readHashes, readTerms } from './termIndex/canonicalBlocks.ts'

/** A page keeps nothing: its store is in memory. */
export class RecentBlocks {
  readonly #reader: KeyValueReader

  constructor(reader: KeyValueReader) {
    this.#reader = reader
  }

  read(from: number, to: number): CanonicalBlock[] {
    return readTerms(this.#reader, from, readHashes(this.#reader, from, to))
  }

  hashes(): undefined {}
}
