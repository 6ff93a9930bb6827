/**
 * The newest blocks that searches have read.
 * @module
 */
import { MAX_RECENT_BLOCKS, RECENT_TERMS_BYTES } from '../base/limits/limits.ts'
import type { KeyValueReader } from '../base/ports/keyValueStore.ts'
import { equalBytes } from '../base/primitives/bytes.ts'
import { keys } from '../storage/schema.ts'
import { type CanonicalBlock, readBlocks, readHashes, readTerms } from './termIndex/canonicalBlocks.ts'

/** Memory of a block in addition to its terms. */
const BLOCK_OVERHEAD_BYTES = 400

/**
 * Hashes and terms of consecutive blocks of one chain. The hash of a block determines all blocks before it, so reading the last
 * one that is wanted shows whether the others are still canonical.
 */
export class RecentBlocks {
  readonly #reader: KeyValueReader
  readonly #maxBytes: number
  #blocks: CanonicalBlock[] = []
  /** Number of the first block. */
  #first = 0
  #bytes = 0

  /** @param part of the upper bound of its memory */
  constructor(reader: KeyValueReader, part = 1) {
    this.#reader = reader
    this.#maxBytes = RECENT_TERMS_BYTES * part
  }

  /**
   * @returns the canonical blocks from `from` to `to`, both inclusive, as far as the store has them; undefined for older blocks,
   *   which are not kept
   */
  read(from: number, to: number): readonly CanonicalBlock[] | undefined {
    const end = this.#first + this.#blocks.length
    if (from < this.#first && to < end) return undefined
    if (from < this.#first || from > end || end === this.#first) {
      const blocks = readBlocks(this.#reader, from, to)
      if (blocks.length > 0) this.#replace(from, blocks)
      return blocks
    }
    const last = Math.min(end - 1, to)
    const [hash, ...further] = readHashes(this.#reader, last, to)
    if (!this.#isAt(last, hash)) {
      this.#replace(0, [])
      return this.read(from, to)
    }
    const added = readTerms(this.#reader, last + 1, further)
    const blocks = [...this.#blocks.slice(from - this.#first, last + 1 - this.#first), ...added]
    this.#append(added)
    return blocks
  }

  /**
   * @param numbers ascending
   * @returns the hashes of canonical blocks; undefined: not all of them are here
   */
  hashes(numbers: readonly number[]): Uint8Array[] | undefined {
    const [first = -1] = numbers
    const last = numbers.at(-1) ?? -1
    if (first < this.#first || last >= this.#first + this.#blocks.length) return undefined
    if (!this.#isAt(last, this.#reader.get(keys.canonicalHash(last)))) return undefined
    return numbers.map((number) => (this.#blocks[number - this.#first] as CanonicalBlock).hash)
  }

  #isAt(number: number, hash: Uint8Array | undefined): boolean {
    const known = this.#blocks[number - this.#first]
    return known !== undefined && hash !== undefined && equalBytes(known.hash, hash)
  }

  #replace(first: number, blocks: readonly CanonicalBlock[]): void {
    this.#blocks = []
    this.#first = first
    this.#bytes = 0
    this.#append(blocks)
  }

  /** Forgets the oldest blocks beyond the bounds. */
  #append(blocks: readonly CanonicalBlock[]): void {
    if (blocks.length === 0) return
    this.#blocks.push(...blocks)
    for (const block of blocks) this.#bytes += sizeOf(block)
    let spare = Math.max(0, this.#blocks.length - MAX_RECENT_BLOCKS)
    let freed = this.#blocks.slice(0, spare).reduce((sum, block) => sum + sizeOf(block), 0)
    while (this.#bytes - freed > this.#maxBytes) freed += sizeOf(this.#blocks[spare++] as CanonicalBlock)
    this.#blocks.splice(0, spare)
    this.#first += spare
    this.#bytes -= freed
  }
}

function sizeOf({ terms }: CanonicalBlock): number {
  return BLOCK_OVERHEAD_BYTES + (terms?.byteLength ?? 0)
}
