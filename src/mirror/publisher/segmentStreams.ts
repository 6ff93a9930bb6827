/**
 * Entries of stored segments in the order of their keys, for merging and for checks.
 * @module
 */
import { WHOLE_SEGMENT_BYTES } from '../../base/limits/limits.ts'
import type { ObjectReader } from '../../base/ports/objectStore.ts'
import { compareBytes } from '../../base/primitives/bytes.ts'
import { mirrorDamaged, mirrorUnavailable } from '../errors.ts'
import type { SegmentEntry } from '../format/entries.ts'
import { decodeDirectory, decodePart, directoryOffset } from '../format/segmentIndex.ts'
import type { MergedSegment, RecentSegment } from '../format/segmentInfo.ts'
import { decodeBlock, decodeSegment } from '../format/segmentReader.ts'
import { placeOf } from '../read/segmentSource.ts'
import type { Run } from './runs.ts'

/** Entries of one block each, in ascending order of their keys. */
export type EntryBlocks = AsyncGenerator<readonly SegmentEntry[], void, undefined>

/**
 * Reads a segment part by part, so that memory is bounded by one part of the index and its blocks.
 * @throws {NodeError} MIRROR_UNAVAILABLE, MIRROR_DAMAGED
 */
async function* segmentBlocks(objects: ObjectReader, segment: RecentSegment | MergedSegment): EntryBlocks {
  const { object, offset } = placeOf(segment)
  if (segment.bytes <= WHOLE_SEGMENT_BYTES) {
    yield* decodeSegment(object, await readRange(objects, object, offset, segment.bytes), segment)
    return
  }
  const read = (at: number, length: number): Promise<Uint8Array> => readRange(objects, object, offset + at, length)
  const directory = decodeDirectory(object, await read(directoryOffset(segment), segment.directoryBytes), segment)
  let before: Uint8Array | undefined
  for (const part of directory.parts) {
    const { blocks } = decodePart(object, await read(part.offset, part.length), part)
    const content = await read(part.blockOffset, part.blockBytes)
    for (const block of blocks) {
      const start = block.offset - part.blockOffset
      const entries = await decodeBlock(object, content.subarray(start, start + block.storedLength), block)
      const first = entries[0]
      if (before !== undefined && first !== undefined && compareBytes(before, first.key) >= 0) {
        throw mirrorDamaged(object, 'its blocks are not in order')
      }
      before = block.lastKey
      yield entries
    }
  }
}

/** The segments of a run, which have no key in common and are in order. */
async function* runBlocks(objects: ObjectReader, segments: Run): EntryBlocks {
  for (const segment of segments) yield* segmentBlocks(objects, segment)
}

/** All entries, deleted keys included where an older segment has them. */
export function contentBlocks(
  objects: ObjectReader,
  { recent, runs }: { readonly recent: readonly RecentSegment[]; readonly runs: readonly Run[] },
): EntryBlocks {
  return mergedBlocks([
    ...[...recent].reverse().map((segment) => segmentBlocks(objects, segment)),
    ...runs.map((run) => runBlocks(objects, run)),
  ])
}

/**
 * Merges streams: for a key of several, the entry of the first one.
 * @param streams newest first
 */
async function* mergedBlocks(streams: readonly EntryBlocks[]): EntryBlocks {
  const cursors = streams.map((stream) => new Cursor(stream))
  try {
    for (const cursor of cursors) await cursor.fill()
    for (;;) {
      const merged: SegmentEntry[] = []
      // Until a stream needs its next block: one that has none might have the smallest key.
      while (cursors.every((cursor) => cursor.isReady)) {
        const entry = takeSmallest(cursors)
        if (entry === undefined) break
        merged.push(entry)
      }
      if (merged.length > 0) yield merged
      let isEnded = true
      for (const cursor of cursors) {
        await cursor.fill()
        isEnded &&= cursor.entry === undefined
      }
      if (isEnded) return
    }
  } finally {
    for (const cursor of cursors) await cursor.close()
  }
}

/** Takes the smallest key of all cursors; for equal keys, the entry of the first cursor. */
function takeSmallest(cursors: readonly Cursor[]): SegmentEntry | undefined {
  let smallest: SegmentEntry | undefined
  for (const { entry } of cursors) {
    if (entry === undefined) continue
    if (smallest === undefined || compareBytes(entry.key, smallest.key) < 0) smallest = entry
  }
  if (smallest === undefined) return undefined
  for (const cursor of cursors) {
    const { entry } = cursor
    if (entry !== undefined && compareBytes(entry.key, smallest.key) === 0) cursor.advance()
  }
  return smallest
}

/** A position in a stream. */
class Cursor {
  readonly #stream: EntryBlocks
  #block: readonly SegmentEntry[] = []
  #at = 0
  #isEnded = false

  constructor(stream: EntryBlocks) {
    this.#stream = stream
  }

  /** undefined: the stream has ended, or its next block is needed */
  get entry(): SegmentEntry | undefined {
    return this.#block[this.#at]
  }

  get isReady(): boolean {
    return this.#isEnded || this.#at < this.#block.length
  }

  advance(): void {
    this.#at++
  }

  /** Reads the next block, if it is needed. */
  async fill(): Promise<void> {
    while (!this.isReady) {
      const { done, value } = await this.#stream.next()
      if (done === true) this.#isEnded = true
      this.#block = value ?? []
      this.#at = 0
    }
  }

  async close(): Promise<void> {
    await this.#stream.return()
  }
}

async function readRange(objects: ObjectReader, object: string, offset: number, length: number): Promise<Uint8Array> {
  const bytes = await objects.get(object, offset, length)
  if (bytes === undefined) throw mirrorUnavailable(object, 'it does not exist')
  if (bytes.length !== length) throw mirrorDamaged(object, `it has ${bytes.length} of ${length} bytes at ${offset}`)
  return bytes
}
