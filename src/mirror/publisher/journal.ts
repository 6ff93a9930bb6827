/**
 * The journal of a database that is published: which published keys each batch changed, and what the mirror has.
 * @module
 */
import { MAX_JOURNAL_RECORD_BYTES } from '../../base/limits/limits.ts'
import type { KeyValueReader, Mutation } from '../../base/ports/keyValueStore.ts'
import { bytesToNumber, compareBytes, numberToBytes } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import { rlpDecodeList, rlpEncode } from '../../base/primitives/rlp.ts'
import { keyToText, textToKey } from '../../storage/keyText.ts'
import { isPublishedKey } from '../../storage/published.ts'
import { Column, keys, numberedParts } from '../../storage/schema.ts'

/** The part of this database that the mirror has. */
export interface PublishedPosition {
  /** Number of the last manifest that this database has published. */
  readonly manifest: number
  /** Hash of that manifest, 32 bytes. */
  readonly hash: Uint8Array
  /** Epoch of that manifest. */
  readonly epoch: number
  /** Epoch in which this database publishes next. It is stored before the first manifest of the epoch. */
  readonly claim: number
  /** The last record of the journal whose keys are in that manifest. */
  readonly record: number
}

/** A record of the journal. */
export interface JournalRecord {
  readonly number: number
  readonly bytes: number
}

/** @returns undefined: nothing of the present content is known to be published */
export function readPosition(reader: KeyValueReader): PublishedPosition | undefined {
  const bytes = reader.get(keys.mirrorPosition())
  if (bytes === undefined) return undefined
  const [manifest, hash, epoch, claim, record] = byteStrings(bytes)
  if (
    manifest === undefined ||
    hash === undefined ||
    epoch === undefined ||
    claim === undefined ||
    record === undefined
  ) {
    throw damaged()
  }
  return {
    manifest: bytesToNumber(manifest),
    hash,
    epoch: bytesToNumber(epoch),
    claim: bytesToNumber(claim),
    record: bytesToNumber(record),
  }
}

export function positionMutation({ manifest, hash, epoch, claim, record }: PublishedPosition): Mutation {
  const parts = [numberToBytes(manifest), hash, numberToBytes(epoch), numberToBytes(claim), numberToBytes(record)]
  return { key: keys.mirrorPosition(), value: rlpEncode(parts) }
}

/** A record that is to be written. */
export interface NewJournalRecord extends JournalRecord {
  readonly mutation: Mutation
}

/** Records that name the published keys of a batch. @param first number of the first record */
export function journalRecordsOf(batch: readonly Mutation[], first: number): NewJournalRecord[] {
  const records: NewJournalRecord[] = []
  let part: Uint8Array[] = []
  let size = 0
  const end = (): void => {
    const number = first + records.length
    const key = keys.mirrorJournal(number)
    const value = rlpEncode(part)
    records.push({ number, bytes: key.length + value.length, mutation: { key, value } })
    part = []
    size = 0
  }
  for (const { key } of batch) {
    if (!isPublishedKey(key)) continue
    part.push(key)
    size += key.length
    if (size >= MAX_JOURNAL_RECORD_BYTES) end()
  }
  if (part.length > 0) end()
  return records
}

/** All records from a number on, in order. */
export function* journalRecords(reader: KeyValueReader, from = 0): Generator<JournalRecord, void, undefined> {
  for (const [key, value] of entriesFrom(reader, from)) {
    yield { number: numberedParts(key, 1).number, bytes: key.length + value.length }
  }
}

/** The changes since a record. */
export interface JournalledChanges {
  /** In order, without repetitions. */
  readonly keys: readonly Uint8Array[]
  /** The newest record. */
  readonly record: number
}

/**
 * Joins all records after one.
 * @returns undefined when some of them are no longer in the journal
 */
export function changesAfter(reader: KeyValueReader, record: number): JournalledChanges | undefined {
  const texts = new Set<string>()
  let last = record
  for (const [key, value] of entriesFrom(reader, record + 1)) {
    const { number } = numberedParts(key, 1)
    if (number !== last + 1) return undefined
    last = number
    for (const changed of byteStrings(value)) texts.add(keyToText(changed))
  }
  return { keys: [...texts].map(textToKey).sort(compareBytes), record: last }
}

/** The newest record of the journal; 0: there is none. */
export function lastRecord(reader: KeyValueReader): number {
  for (const [key] of reader.range({ prefix: Uint8Array.of(Column.mirrorJournal), reverse: true, limit: 1 })) {
    if (key.length > 1) return numberedParts(key, 1).number
  }
  return 0
}

function entriesFrom(reader: KeyValueReader, from: number): Iterable<readonly [Uint8Array, Uint8Array]> {
  return reader.range({ prefix: Uint8Array.of(Column.mirrorJournal), from: keys.mirrorJournal(from) })
}

function byteStrings(bytes: Uint8Array): Uint8Array[] {
  return rlpDecodeList(bytes).map((item) => {
    if (item instanceof Uint8Array) return item
    throw damaged()
  })
}

function damaged(): NodeError {
  return new NodeError({ code: 'STORE_DAMAGED' }, 'the journal of the mirror in the database is damaged')
}
