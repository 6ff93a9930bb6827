/**
 * Sorted entries to segments.
 * @module
 */
import { MIN_MERGED_SEGMENT_BYTES, MIRROR_SEGMENT_BYTES } from '../../base/limits/limits.ts'
import type { ObjectStore } from '../../base/ports/objectStore.ts'
import type { SegmentEntry } from '../format/entries.ts'
import { filterHash } from '../format/filter.ts'
import { segmentName } from '../format/names.ts'
import { type BuiltSegment, SegmentBuilder } from '../format/segmentBuilder.ts'
import type { SegmentInfo } from '../format/segmentInfo.ts'

/** Receives a finished segment. The next one is begun when it returns. */
export type SegmentSink = (segment: BuiltSegment) => Promise<void>

/** One of so many keys may end a segment. */
const BOUNDARY_KEYS = 2 ** 14

/**
 * Cuts a sequence of entries into segments. Where a segment ends depends on its content, so that equal stretches of two
 * databases, or of one before and after a change, are equal segments.
 */
export class SegmentWriter {
  readonly #sink: SegmentSink
  #builder = new SegmentBuilder()

  constructor(sink: SegmentSink) {
    this.#sink = sink
  }

  /** @param entries in ascending order of their keys, also over several calls */
  async add(entries: Iterable<SegmentEntry>): Promise<void> {
    for (const entry of entries) {
      const added = this.#builder.add(entry)
      if (added !== undefined) await added
      if (this.#endsAfter(entry)) await this.#end()
    }
  }

  async finish(): Promise<void> {
    if (this.#builder.entries > 0) await this.#end()
  }

  async #end(): Promise<void> {
    const segment = await this.#builder.finish()
    this.#builder = new SegmentBuilder()
    await this.#sink(segment)
  }

  #endsAfter({ key }: SegmentEntry): boolean {
    const { bytes } = this.#builder
    if (bytes >= MIRROR_SEGMENT_BYTES) return true
    return bytes >= MIN_MERGED_SEGMENT_BYTES && filterHash(key) % BOUNDARY_KEYS === 0
  }
}

/** Where segments are stored. */
export interface SegmentTarget {
  readonly objects: ObjectStore
  /** The object is needed again: it is not deleted. Resolves when a deletion that runs has ended. */
  readonly hold: (name: string) => Promise<void>
}

/** Stores a segment, unless the store has it already. */
export async function storeSegment({ objects, hold }: SegmentTarget, { hash, content }: BuiltSegment): Promise<void> {
  const name = segmentName(hash)
  await hold(name)
  // Reading a byte is cheaper than sending megabytes which the store would then refuse.
  const isStored = content.length >= MIN_MERGED_SEGMENT_BYTES && (await objects.get(name, 0, 1)) !== undefined
  if (!isStored) await objects.create(name, content)
}

/** The description of a segment in lists and manifests, without its content. */
export function infoOf(segment: BuiltSegment): SegmentInfo {
  const { hash, firstKey, lastKey, entries, bytes, directoryBytes, directoryHash } = segment
  return { hash, firstKey, lastKey, entries, bytes, directoryBytes, directoryHash }
}
