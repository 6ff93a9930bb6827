/**
 * Directories, index parts and blocks of segments. Each is checked by the hash that leads to it before it is used.
 * @module
 */
import { MAX_INDEX_AHEAD_BYTES, WHOLE_SEGMENT_BYTES } from '../../base/limits/limits.ts'
import type { ObjectReader } from '../../base/ports/objectStore.ts'
import { LruCache } from '../../base/primitives/lruCache.ts'
import { INLINE_OFFSET } from '../format/manifest.ts'
import { manifestName, segmentName } from '../format/names.ts'
import {
  type BlockRef,
  type Directory,
  decodeDirectory,
  decodePart,
  directoryOffset,
  type IndexPart,
  type PartRef,
} from '../format/segmentIndex.ts'
import type { MergedSegment, RecentSegment } from '../format/segmentInfo.ts'
import { checkedBlock, decodeSegment } from '../format/segmentReader.ts'
import { Pieces } from './pieces.ts'
import { type ByteRange, RangeReader } from './rangeReader.ts'
import type { ReadBudget } from './readBudget.ts'

/** A segment, and where its bytes are. */
export interface PlacedSegment {
  /** Of the segment, also if it lies inside a manifest. */
  readonly name: string
  readonly object: string
  /** In the object. */
  readonly offset: number
  readonly info: RecentSegment | MergedSegment
}

/** A part of the index. */
export interface PartPlace {
  readonly segment: PlacedSegment
  readonly part: PartRef
}

export interface BlockPlace {
  readonly segment: PlacedSegment
  readonly block: BlockRef
}

export interface SegmentSourceOptions {
  /** Memory of all caches. */
  readonly cacheBytes: number
  /** Reads that run at the same time; default: {@link MAX_MIRROR_READS}. */
  readonly maxParallel?: number | undefined
  /** Longest index that is read with its directory; default: {@link MAX_INDEX_AHEAD_BYTES}. */
  readonly maxIndexBytes?: number | undefined
}

/** Counts of the questions to the store and to the caches so far. */
export interface SourceCounts {
  readonly reads: number
  readonly bytes: number
  readonly hits: number
  readonly misses: number
}

/** Memory of objects in addition to their bytes. */
const BLOCK_OVERHEAD = 400
const REF_OVERHEAD = 400
/** For an estimate of the length of an index: the filter, and what names a block of usual size. */
const INDEX_BYTES_PER_ENTRY = 1.3
const INDEX_BYTES_PER_BLOCK = 120
const STORED_BLOCK_BYTES = 6000
/** The rest is for blocks. */
const INDEX_SHARE = 0.35
const END_SHARE = 0.1

export function placeOf(info: RecentSegment | MergedSegment): PlacedSegment {
  const name = segmentName(info.hash)
  const inside = 'manifest' in info && info.manifest !== 0 ? info.manifest : undefined
  return inside === undefined
    ? { name, info, object: name, offset: 0 }
    : { name, info, object: manifestName(inside), offset: INLINE_OFFSET }
}

export class SegmentSource {
  readonly #reader: RangeReader
  readonly #maxIndexBytes: number
  /** Small segments, and indexes that came with their directory, by name. */
  readonly #ends: LruCache<string, SegmentEnd>
  readonly directories: Pieces<PlacedSegment, Directory>
  readonly parts: Pieces<PartPlace, IndexPart>
  /** Their plain bytes, which were checked: entries as objects would take several times their memory. */
  readonly blocks: Pieces<BlockPlace, Uint8Array>

  constructor(objects: Pick<ObjectReader, 'get'>, options: SegmentSourceOptions) {
    const { cacheBytes, maxParallel, maxIndexBytes = MAX_INDEX_AHEAD_BYTES } = options
    this.#reader = new RangeReader(objects, maxParallel)
    this.#maxIndexBytes = maxIndexBytes
    this.#ends = new LruCache(cacheBytes * END_SHARE)
    this.directories = new Pieces(
      {
        nameOf: ({ name }) => name,
        read: (segments, budget) => this.#readDirectories(segments, budget),
        decode: ({ name, info }, bytes) => decodeDirectory(name, bytes, info),
        sizeOf: ({ parts }) => REF_OVERHEAD * (1 + parts.length),
      },
      (cacheBytes * INDEX_SHARE) / 2,
    )
    this.parts = new Pieces(
      {
        nameOf: ({ segment, part }) => `${segment.name} ${part.offset}`,
        read: (places, budget) =>
          this.#read(
            places.map(({ segment, part }) => ({ segment, ...part })),
            budget,
          ),
        decode: ({ segment, part }, bytes) => decodePart(segment.name, bytes, part),
        sizeOf: ({ blocks, filter }) => filter.length + REF_OVERHEAD * (1 + blocks.length),
      },
      (cacheBytes * INDEX_SHARE) / 2,
    )
    this.blocks = new Pieces(
      {
        nameOf: ({ segment, block }) => `${segment.name} ${block.offset}`,
        read: (places, budget) => this.#read(places.map(blockRange), budget),
        decode: ({ segment, block }, bytes) => checkedBlock(segment.name, bytes, block),
        sizeOf: ({ length }) => length + BLOCK_OVERHEAD,
      },
      cacheBytes * (1 - INDEX_SHARE - END_SHARE),
    )
  }

  get counts(): SourceCounts {
    const kinds = [this.directories, this.parts, this.blocks]
    return {
      reads: this.#reader.reads,
      bytes: this.#reader.bytes,
      hits: kinds.reduce((sum, { hits }) => sum + hits, 0),
      misses: kinds.reduce((sum, { misses }) => sum + misses, 0),
    }
  }

  /** Keeps the bytes of a segment that came with its manifest. */
  adopt({ name }: PlacedSegment, content: Uint8Array): void {
    this.#ends.set(name, { offset: 0, bytes: content.slice() }, content.length)
  }

  /** Whether a segment can be searched without reading anything. */
  isInMemory({ name }: PlacedSegment): boolean {
    return this.#ends.get(name)?.offset === 0
  }

  /**
   * All keys of a segment, deleted ones included.
   * @throws {NodeError} MIRROR_UNAVAILABLE, MIRROR_DAMAGED
   */
  async keysOf(segment: PlacedSegment): Promise<Uint8Array[]> {
    const { name, info } = segment
    const [content] = await this.#read([{ segment, offset: 0, length: info.bytes }], undefined)
    const keys: Uint8Array[] = []
    for await (const entries of decodeSegment(name, content as Uint8Array, info)) {
      for (const { key } of entries) keys.push(key)
    }
    this.adopt(segment, content as Uint8Array)
    return keys
  }

  /** A small segment is read as a whole, and a short index together with its directory, which needs no further read. */
  async #readDirectories(segments: readonly PlacedSegment[], budget: ReadBudget | undefined): Promise<Uint8Array[]> {
    const ranges = segments.map((segment) => this.#endOf(segment))
    const all = await this.#read(ranges, budget)
    return segments.map(({ name, info }, i) => {
      const { offset } = ranges[i] as SegmentRange
      const bytes = all[i] as Uint8Array
      this.#ends.set(name, { offset, bytes }, bytes.length)
      const start = directoryOffset(info) - offset
      return bytes.slice(start, start + info.directoryBytes)
    })
  }

  #endOf(segment: PlacedSegment): SegmentRange {
    const { info } = segment
    if (info.bytes <= WHOLE_SEGMENT_BYTES) return { segment, offset: 0, length: info.bytes }
    const estimate = info.entries * INDEX_BYTES_PER_ENTRY + (info.bytes / STORED_BLOCK_BYTES) * INDEX_BYTES_PER_BLOCK
    const ahead = estimate <= this.#maxIndexBytes ? Math.ceil(estimate) : 0
    const offset = Math.max(0, directoryOffset(info) - ahead)
    return { segment, offset, length: directoryOffset(info) + info.directoryBytes - offset }
  }

  async #read(ranges: readonly SegmentRange[], budget: ReadBudget | undefined): Promise<Uint8Array[]> {
    const known = ranges.map((range) => this.#known(range))
    const missing = ranges.filter((_, i) => known[i] === undefined)
    const read = missing.length === 0 ? [] : await this.#reader.readAll(missing.map(inObject), budget)
    let next = 0
    return known.map((bytes) => bytes ?? (read[next++] as Uint8Array))
  }

  #known({ segment, offset, length }: SegmentRange): Uint8Array | undefined {
    const end = this.#ends.get(segment.name)
    if (end === undefined || offset < end.offset) return undefined
    const bytes = end.bytes.slice(offset - end.offset, offset - end.offset + length)
    return bytes.length === length ? bytes : undefined
  }
}

/** The last bytes of a segment, from an offset. */
interface SegmentEnd {
  readonly offset: number
  readonly bytes: Uint8Array
}

/** A range within a segment. */
interface SegmentRange {
  readonly segment: PlacedSegment
  readonly offset: number
  readonly length: number
}

function inObject({ segment, offset, length }: SegmentRange): ByteRange {
  return { object: segment.object, offset: segment.offset + offset, length }
}

function blockRange({ segment, block }: BlockPlace): SegmentRange {
  return { segment, offset: block.offset, length: block.storedLength }
}
