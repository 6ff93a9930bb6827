/**
 * Writes a segment from sorted entries.
 * @module
 */
import {
  MAX_MANIFEST_FILTER_BYTES,
  MAX_MIRROR_KEY_BYTES,
  MAX_MIRROR_VALUE_BYTES,
  MIRROR_BLOCK_BYTES,
  MIRROR_PART_BYTES,
} from '../../base/limits/limits.ts'
import { compareBytes, concatBytes, EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import type { MaybePromise } from '../../base/primitives/maybePromise.ts'
import { encodedLength, type RlpItem } from '../../base/primitives/rlp.ts'
import { sha256 } from '../../base/primitives/sha256.ts'
import { deflated } from './compression.ts'
import { EntryWriter, type SegmentEntry } from './entries.ts'
import { buildFilter, filterHash, filterLength } from './filter.ts'
import { blockFields, encodeDirectory, encodeFooter, encodePart, type PartRef } from './segmentIndex.ts'
import type { SegmentInfo } from './segmentInfo.ts'

export interface BuiltSegment extends SegmentInfo {
  readonly content: Uint8Array
  /** For the manifest: of all keys, empty if they are too many. */
  readonly filter: Uint8Array
}

/** Prefixes of the lists and of the filter in a part. */
const PART_OVERHEAD = 16

/**
 * Keeps the finished blocks, which are the segment, and one block and one part in progress.
 * @example
 * const builder = new SegmentBuilder()
 * for (const entry of entries) await builder.add(entry)
 * const { hash, content } = await builder.finish()
 */
export class SegmentBuilder {
  readonly #block = new EntryWriter()
  readonly #blocks: Uint8Array[] = []
  readonly #parts: PartInProgress[] = [new PartInProgress()]
  readonly #manifestHashes: number[] = []
  #blockHashes: number[] = []
  #firstKey: Uint8Array | undefined
  #lastKey: Uint8Array = EMPTY_BYTES
  #entries = 0
  #storedBytes = 0

  /** Bytes so far, without the index; the last block counts in full. */
  get bytes(): number {
    return this.#storedBytes + this.#block.length
  }

  get entries(): number {
    return this.#entries
  }

  /**
   * Adds an entry, whose bytes the builder keeps for a while. The next one must wait for the result, if that is a promise.
   * @throws {RangeError} when the key is not above the one before, or an entry is too long
   */
  add(entry: SegmentEntry): MaybePromise<void> {
    this.#check(entry)
    if (this.#block.length > 0 && this.#block.lengthWith(entry) > MIRROR_BLOCK_BYTES) {
      return this.#endBlock().then(() => this.#append(entry))
    }
    this.#append(entry)
  }

  /** @throws {RangeError} without entries */
  async finish(): Promise<BuiltSegment> {
    if (this.#firstKey === undefined) throw new RangeError('a segment needs an entry')
    await this.#endBlock()
    const parts = this.#parts.map((part) => part.encode())
    const refs = parts.map(({ ref }) => ref)
    const directory = encodeDirectory(this.#firstKey, this.#entries, refs)
    const content = concatBytes(
      ...this.#blocks,
      ...parts.map(({ bytes }) => bytes),
      directory,
      encodeFooter(directory.length),
    )
    return {
      hash: sha256(content),
      firstKey: this.#firstKey,
      lastKey: this.#lastKey,
      entries: this.#entries,
      bytes: content.length,
      directoryBytes: directory.length,
      directoryHash: sha256(directory),
      content,
      filter: filterLength(this.#entries) > MAX_MANIFEST_FILTER_BYTES ? EMPTY_BYTES : buildFilter(this.#manifestHashes),
    }
  }

  #check({ key, value }: SegmentEntry): void {
    if (key.length === 0 || key.length > MAX_MIRROR_KEY_BYTES) throw new RangeError(`a key of ${key.length} bytes`)
    if ((value?.length ?? 0) > MAX_MIRROR_VALUE_BYTES) throw new RangeError(`a value of ${value?.length} bytes`)
    if (this.#firstKey !== undefined && compareBytes(this.#lastKey, key) >= 0) {
      throw new RangeError('the entries of a segment must be in ascending order')
    }
  }

  #append(entry: SegmentEntry): void {
    this.#block.add(entry)
    const hash = filterHash(entry.key)
    this.#blockHashes.push(hash)
    if (filterLength(this.#manifestHashes.length) <= MAX_MANIFEST_FILTER_BYTES) this.#manifestHashes.push(hash)
    this.#firstKey ??= entry.key
    this.#lastKey = entry.key
    this.#entries++
  }

  async #endBlock(): Promise<void> {
    const entries = this.#block.take()
    const stored = (await deflated(entries)) ?? entries
    const lastKey = this.#lastKey
    const ref = blockFields({ lastKey, storedLength: stored.length, length: entries.length, hash: sha256(stored) })
    let part = this.#parts.at(-1)
    if (part === undefined || !part.hasRoomFor(ref, this.#blockHashes.length)) {
      part = new PartInProgress()
      this.#parts.push(part)
    }
    part.add(ref, lastKey, stored.length, this.#blockHashes)
    this.#blocks.push(stored)
    this.#storedBytes += stored.length
    this.#blockHashes = []
  }
}

class PartInProgress {
  readonly #blocks: RlpItem[] = []
  readonly #hashes: number[] = []
  #lastKey: Uint8Array = EMPTY_BYTES
  #blockBytes = 0
  #indexBytes = 0

  hasRoomFor(block: RlpItem, keys: number): boolean {
    const index = this.#indexBytes + encodedLength(block)
    const isWithin = index + filterLength(this.#hashes.length + keys) + PART_OVERHEAD <= MIRROR_PART_BYTES
    return isWithin || this.#blocks.length === 0
  }

  add(block: RlpItem, lastKey: Uint8Array, blockBytes: number, hashes: readonly number[]): void {
    this.#blocks.push(block)
    for (const hash of hashes) this.#hashes.push(hash)
    this.#lastKey = lastKey
    this.#blockBytes += blockBytes
    this.#indexBytes += encodedLength(block)
  }

  encode(): { readonly bytes: Uint8Array; readonly ref: Omit<PartRef, 'offset' | 'blockOffset'> } {
    const bytes = encodePart(this.#blocks, buildFilter(this.#hashes))
    const ref = { lastKey: this.#lastKey, blockBytes: this.#blockBytes, length: bytes.length, hash: sha256(bytes) }
    return { bytes, ref }
  }
}
