/**
 * All entries of a database that a mirror has.
 * @module
 */
import { MAX_START_VALUE_BYTES } from '../../base/limits/limits.ts'
import type { KeyValueReader } from '../../base/ports/keyValueStore.ts'
import { compareBytes, equalBytes } from '../../base/primitives/bytes.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import { isPublishedKey, PUBLISHED_COLUMNS } from '../../storage/published.ts'
import { Column, keys } from '../../storage/schema.ts'
import type { SegmentEntry } from '../format/entries.ts'
import type { BlockName } from '../format/manifest.ts'
import { METADATA_NAMES, startKeys } from '../startKeys.ts'
import { readChainFacts, readChainIdentity } from './chainFacts.ts'
import { historyEntry, isKept } from './history.ts'
import { lastRecord, readPosition } from './journal.ts'

export interface PublishedEntries {
  /** Of the journal: what it and earlier ones name is among the entries. */
  readonly record: number
  /** In ascending order of their keys, in parts of some milliseconds. */
  readonly parts: Iterable<readonly SegmentEntry[]>
}

const PART_KEYS = 1024
/** Calls without a sender are made by it. */
const ZERO_ADDRESS = new Uint8Array(20)

/**
 * @param state which sees no later commit
 * @param history the first block that the mirror keeps whole
 */
export function publishedEntries(state: KeyValueReader, history: BlockName): PublishedEntries {
  return { record: Math.max(lastRecord(state), readPosition(state)?.record ?? 0), parts: partsOf(state, history) }
}

function* partsOf(state: KeyValueReader, history: BlockName): Generator<readonly SegmentEntry[], void, undefined> {
  let part: SegmentEntry[] = []
  for (const name of PUBLISHED_COLUMNS) {
    for (const [key, value] of state.range({ prefix: Uint8Array.of(Column[name]) })) {
      if (!isPublishedKey(key) || !isKept(key, history)) continue
      part.push({ key, value })
      if (part.length < PART_KEYS) continue
      yield part
      part = []
    }
  }
  if (part.length > 0) yield part
}

/**
 * The entries that every reader begins with, and those that nearly every call needs. A reader finds them in the newest segment,
 * also that a key is absent, and need not look for each of them in a segment of many megabytes.
 * @returns in ascending order of their keys
 */
export function startEntries(state: KeyValueReader, history: BlockName): SegmentEntry[] {
  const chain = startKeys(readChainFacts(state), readChainIdentity(state))
  const wanted = [...METADATA_NAMES.map(keys.meta), ...chain, keys.flatAccount(keccak256(ZERO_ADDRESS))]
  const entries = wanted.filter(isPublishedKey).map((key) => ({ key, value: state.get(key) }))
  return [...entries, historyEntry(history)]
    .sort((a, b) => compareBytes(a.key, b.key))
    .filter(({ key }, i, all) => i === 0 || !equalBytes(key, (all[i - 1] as SegmentEntry).key))
    .filter(({ value }) => value === undefined || value.length <= MAX_START_VALUE_BYTES)
}
