/**
 * Sorted entries to segments.
 * @module
 */
import { MIN_HEAD_SEGMENT_BYTES, MIN_MERGED_SEGMENT_BYTES, MIRROR_SEGMENT_BYTES } from '../../base/limits/limits.ts'
import type { ObjectStore } from '../../base/ports/objectStore.ts'
import { Column } from '../../storage/schema.ts'
import type { SegmentEntry } from '../format/entries.ts'
import { filterHash } from '../format/filter.ts'
import { segmentName } from '../format/names.ts'
import { type BuiltSegment, SegmentBuilder } from '../format/segmentBuilder.ts'
import type { SegmentInfo } from '../format/segmentInfo.ts'

/** Receives a finished segment. The next one is begun when it returns. */
export type SegmentSink = (segment: BuiltSegment) => Promise<void>

/** Entries that lie in segments of the same kind. */
type Kind = 'code' | 'head' | 'other'

const HEAD_COLUMNS: ReadonlySet<number> = new Set([Column.flatAccount, Column.flatStorage, Column.flatIncarnation])

function kindOf([column = 0]: Uint8Array): Kind {
  if (column === Column.code) return 'code'
  return HEAD_COLUMNS.has(column) ? 'head' : 'other'
}

/** A segment may end from so many bytes on, at one of so many keys. */
const ENDS: Readonly<Record<Kind, { readonly bytes: number; readonly keys: number }>> = {
  code: { bytes: MIN_MERGED_SEGMENT_BYTES, keys: 2 ** 14 },
  head: { bytes: MIN_HEAD_SEGMENT_BYTES, keys: 2 ** 12 },
  other: { bytes: MIN_MERGED_SEGMENT_BYTES, keys: 2 ** 14 },
}

/**
 * Cuts a sequence of entries into segments. Where a segment ends depends on its content, so that equal stretches of two
 * databases, or of one before and after a change, are equal segments. A call needs an account, code and slots: the code of a large
 * mirror has separate segments, which are short, and those of accounts and slots have a short index.
 */
export class SegmentWriter {
  readonly #sink: SegmentSink
  #builder = new SegmentBuilder()
  /** Of the first entry of the segment. */
  #kind: Kind = 'other'

  constructor(sink: SegmentSink) {
    this.#sink = sink
  }

  /** @param entries in ascending order of their keys, also over several calls */
  async add(entries: Iterable<SegmentEntry>): Promise<void> {
    for (const entry of entries) {
      const kind = kindOf(entry.key)
      if (this.#endsBefore(kind)) await this.#end()
      if (this.#builder.entries === 0) this.#kind = kind
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

  /** Short segments contain entries of several kinds, except code that begins one. */
  #endsBefore(kind: Kind): boolean {
    if (kind === this.#kind || this.#builder.entries === 0) return false
    return this.#kind === 'code' || this.#builder.bytes >= MIN_HEAD_SEGMENT_BYTES
  }

  #endsAfter({ key }: SegmentEntry): boolean {
    const { bytes } = this.#builder
    const ends = ENDS[this.#kind]
    return bytes >= MIRROR_SEGMENT_BYTES || (bytes >= ends.bytes && filterHash(key) % ends.keys === 0)
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
  const isStored = content.length >= MIN_HEAD_SEGMENT_BYTES && (await objects.get(name, 0, 1)) !== undefined
  if (!isStored) await objects.create(name, content)
}

/** The description of a segment in lists and manifests, without its content. */
export function infoOf(segment: BuiltSegment): SegmentInfo {
  const { hash, firstKey, lastKey, entries, bytes, directoryBytes, directoryHash } = segment
  return { hash, firstKey, lastKey, entries, bytes, directoryBytes, directoryHash }
}
