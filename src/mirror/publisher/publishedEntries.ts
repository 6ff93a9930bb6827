/**
 * All entries of a database that a mirror has.
 * @module
 */
import type { KeyValueReader } from '../../base/ports/keyValueStore.ts'
import { isPublishedKey, PUBLISHED_COLUMNS } from '../../storage/published.ts'
import { Column } from '../../storage/schema.ts'
import type { SegmentEntry } from '../format/entries.ts'
import { lastRecord, readPosition } from './journal.ts'

export interface PublishedEntries {
  /** Of the journal: what it and earlier ones name is among the entries. */
  readonly record: number
  /** In ascending order of their keys, in parts of some milliseconds. */
  readonly parts: Iterable<readonly SegmentEntry[]>
}

const PART_KEYS = 1024

/** @param state which sees no later commit */
export function publishedEntries(state: KeyValueReader): PublishedEntries {
  return { record: Math.max(lastRecord(state), readPosition(state)?.record ?? 0), parts: partsOf(state) }
}

function* partsOf(state: KeyValueReader): Generator<readonly SegmentEntry[], void, undefined> {
  let part: SegmentEntry[] = []
  for (const name of PUBLISHED_COLUMNS) {
    for (const [key, value] of state.range({ prefix: Uint8Array.of(Column[name]) })) {
      if (!isPublishedKey(key)) continue
      part.push({ key, value })
      if (part.length < PART_KEYS) continue
      yield part
      part = []
    }
  }
  if (part.length > 0) yield part
}
