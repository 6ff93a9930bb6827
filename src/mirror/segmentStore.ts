/**
 * The keys and values of one state of a mirror.
 * @module
 */
import { RESIDENT_RANGE_BYTES } from '../base/limits/limits.ts'
import type { AsyncKeyValueStore, Entry, RangeOptions } from '../base/ports/keyValueStore.ts'
import { compareBytes } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { isEmptyInterval, type KeyInterval, keyInterval } from '../storage/range.ts'
import { findEntry, type SegmentEntry } from './format/entries.ts'
import { filterHash, mayContain } from './format/filter.ts'
import type { ReadBudget } from './read/readBudget.ts'
import { SegmentCursor } from './read/segmentCursor.ts'
import type { BlockPlace, PartPlace, PlacedSegment, SegmentSource } from './read/segmentSource.ts'
import { firstAtOrAfter, type MirrorView } from './view.ts'

/** A key that is looked for. */
interface Lookup {
  readonly key: Uint8Array
  /** Segments that may have it and were not searched, newest first. */
  segments: readonly PlacedSegment[]
  /** Blocks of the others that may have it, newest first. */
  blocks: BlockPlace[]
  isFound: boolean
  value: Uint8Array | undefined
}

/**
 * The newest segments are usually in memory, so they are searched first. The others are read in waves: all directories that are
 * not in memory, all parts of indexes, then the newest block that may have each key. Filters spare most of the older ones.
 */
export class SegmentStore implements AsyncKeyValueStore {
  readonly #view: MirrorView
  readonly #source: SegmentSource
  readonly #budget: ReadBudget | undefined

  /** @param budget of the request that the store serves; default: any number of reads */
  constructor(view: MirrorView, source: SegmentSource, budget?: ReadBudget) {
    this.#view = view
    this.#source = source
    this.#budget = budget
  }

  /** @throws {NodeError} MIRROR_UNAVAILABLE, MIRROR_DAMAGED, READS_EXCEEDED */
  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    const lookups = keys.map((key): Lookup => {
      return { key, segments: this.#view.candidates(key), blocks: [], isFound: false, value: undefined }
    })
    await this.#search(lookups, (segment) => this.#source.isInMemory(segment))
    await this.#search(
      lookups.filter(({ isFound }) => !isFound),
      () => true,
    )
    return lookups.map(({ value }) => value)
  }

  /** @throws {NodeError} MIRROR_UNAVAILABLE, MIRROR_DAMAGED, READS_EXCEEDED; RESIDENT_MEMORY_EXCEEDED for a range that is too long */
  async range(options: RangeOptions): Promise<Entry[]> {
    const interval = keyInterval(options)
    if (isEmptyInterval(interval)) return []
    const cursors = this.#view
      .overlapping(interval)
      .map((segment) => new SegmentCursor(this.#source, segment, interval, this.#budget))
    return merged(cursors, interval)
  }

  async commit(): Promise<void> {
    throw new NodeError({ code: 'READ_ONLY' }, 'a mirror is read-only')
  }

  async close(): Promise<void> {}

  /** Searches the segments of each key up to the first one that `isWanted` refuses. */
  async #search(lookups: readonly Lookup[], isWanted: (segment: PlacedSegment) => boolean): Promise<void> {
    await this.#findBlocks(lookups, isWanted)
    let open = lookups.filter(({ blocks }) => blocks.length > 0)
    while (open.length > 0) {
      const places = open.flatMap(({ blocks }) => blocks.slice(0, 1))
      const blocks = await this.#source.blocks.loadAll(places, this.#budget)
      open = open.filter((lookup, i) => !settled(lookup, blocks[i] as Uint8Array))
    }
  }

  async #findBlocks(lookups: readonly Lookup[], isWanted: (segment: PlacedSegment) => boolean): Promise<void> {
    const searched = lookups.map((lookup) => {
      const end = lookup.segments.findIndex((segment) => !isWanted(segment))
      const segments = end < 0 ? lookup.segments : lookup.segments.slice(0, end)
      lookup.segments = lookup.segments.slice(segments.length)
      return segments
    })
    const directories = await this.#source.directories.loadAll(searched.flat(), this.#budget)
    let next = 0
    const places = searched.map((segments, i) =>
      segments.flatMap((segment): PartPlace[] => {
        const { parts } = directories[next++] ?? { parts: [] }
        const part = parts[firstAtOrAfter(parts, (lookups[i] as Lookup).key, ({ lastKey }) => lastKey)]
        return part === undefined ? [] : [{ segment, part }]
      }),
    )
    const indexes = await this.#source.parts.loadAll(places.flat(), this.#budget)
    next = 0
    for (const [i, lookup] of lookups.entries()) {
      const { key } = lookup
      const hash = filterHash(key)
      lookup.blocks = (places[i] ?? []).flatMap(({ segment }): BlockPlace[] => {
        const index = indexes[next++]
        if (index === undefined || !mayContain(index.filter, hash)) return []
        const block = index.blocks[firstAtOrAfter(index.blocks, key, ({ lastKey }) => lastKey)]
        return block === undefined ? [] : [{ segment, block }]
      })
    }
  }
}

/** Looks the key up in its newest block. @returns whether the search ends */
function settled(lookup: Lookup, block: Uint8Array): boolean {
  lookup.blocks.shift()
  const entry = findEntry(block, lookup.key)
  if (entry === undefined) return lookup.blocks.length === 0
  lookup.isFound = true
  lookup.value = entry.value?.slice()
  return true
}

/** @param cursors newest first */
async function merged(cursors: readonly SegmentCursor[], { reverse, limit }: KeyInterval): Promise<Entry[]> {
  const entries: Entry[] = []
  let size = 0
  while (entries.length < limit) {
    await Promise.all(cursors.filter((cursor) => cursor.needsLoad).map((cursor) => cursor.load()))
    const first = firstOf(cursors, reverse)
    if (first === undefined) return entries
    const { key, value } = first
    for (const cursor of cursors) cursor.skip(key)
    if (value === undefined) continue
    entries.push([key.slice(), value.slice()])
    size += key.length + value.length
    if (size > RESIDENT_RANGE_BYTES) {
      throw new NodeError({ code: 'RESIDENT_MEMORY_EXCEEDED' }, 'a range of the mirror is longer than memory may hold')
    }
  }
  return entries
}

/** The next entry of all cursors; of the newest one, if several have its key. */
function firstOf(cursors: readonly SegmentCursor[], reverse: boolean): SegmentEntry | undefined {
  let first: SegmentEntry | undefined
  for (const { head } of cursors) {
    if (head === undefined) continue
    const order = first === undefined ? -1 : compareBytes(head.key, first.key)
    if (first === undefined || (reverse ? order > 0 : order < 0)) first = head
  }
  return first
}
