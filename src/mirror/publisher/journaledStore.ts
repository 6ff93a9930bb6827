/**
 * The store of a node that publishes: each batch also records which published keys it changed.
 * @module
 */
import { MAX_JOURNAL_BYTES, MAX_TRIMMED_RECORDS } from '../../base/limits/limits.ts'
import type { Entry, KeyValueStore, Mutation, RangeOptions } from '../../base/ports/keyValueStore.ts'
import { Column, keys } from '../../storage/schema.ts'
import { journalRecords, journalRecordsOf, type PublishedPosition, positionMutation, readPosition } from './journal.ts'

/** A store on a disk. */
export type DiskStore = KeyValueStore & Required<Pick<KeyValueStore, 'requireAbsent' | 'addChecksums'>>

/**
 * Published records are deleted with later batches, so the journal costs no commit. Its size is bounded: without a
 * publisher that keeps up, the oldest records go, and the publisher finds that they are missing.
 */
export class JournaledStore implements KeyValueStore {
  readonly #store: DiskStore
  readonly #onCommit: () => void
  /** Number → bytes, oldest first. */
  readonly #records: Map<number, number>
  #bytes = 0
  /** Number of the newest record. */
  #last: number
  /** Not yet stored. */
  #position: PublishedPosition | undefined
  #publishedTo: number

  /** @param onCommit is called when published keys were changed, once they can be read */
  constructor(store: DiskStore, onCommit: () => void) {
    this.#store = store
    this.#onCommit = onCommit
    this.#records = new Map()
    this.#publishedTo = readPosition(store)?.record ?? 0
    this.#last = this.#publishedTo
    for (const { number, bytes } of journalRecords(store)) this.#add(number, bytes)
  }

  get snapshot(): number | undefined {
    return this.#store.snapshot
  }

  get mayLoseEntries(): boolean | undefined {
    return this.#store.mayLoseEntries
  }

  get hasChecksums(): boolean {
    return this.#store.hasChecksums ?? false
  }

  addChecksums(): number {
    return this.#store.addChecksums()
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#store.get(key)
  }

  requireAbsent(key: Uint8Array): void {
    this.#store.requireAbsent(key)
  }

  getMany(wanted: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    return this.#store.getMany(wanted)
  }

  range(options: RangeOptions): Iterable<Entry> {
    return this.#store.range(options)
  }

  commit(batch: readonly Mutation[]): void | Promise<void> {
    const records = journalRecordsOf(batch, this.#last + 1)
    if (records.length === 0) return this.#store.commit(batch)
    for (const { number, bytes } of records) this.#add(number, bytes)
    const committed = this.#store.commit([...batch, ...records.map(({ mutation }) => mutation), ...this.#upkeep()])
    if (committed === undefined) this.#onCommit()
    else return committed.then(this.#onCommit)
  }

  /** Notes what is published. It is stored with the next batch, or by {@link flush}. */
  publishedTo(position: PublishedPosition): void {
    this.#position = position
    this.#publishedTo = position.record
  }

  /** Stores what is known of the mirror. */
  async flush(): Promise<void> {
    const upkeep = this.#upkeep()
    if (upkeep.length > 0) await this.#store.commit(upkeep)
  }

  close(): void | Promise<void> {
    return this.#store.close()
  }

  #add(number: number, bytes: number): void {
    this.#records.set(number, bytes)
    this.#bytes += bytes
    this.#last = Math.max(this.#last, number)
  }

  /** Mutations that belong to no batch: what is published, and records that are no longer needed. */
  #upkeep(): Mutation[] {
    const mutations = this.#position === undefined ? [] : [positionMutation(this.#position)]
    this.#position = undefined
    for (const [number, bytes] of this.#records) {
      const isNeeded = number > this.#publishedTo && this.#bytes <= MAX_JOURNAL_BYTES
      if (isNeeded || mutations.length > MAX_TRIMMED_RECORDS) break
      mutations.push({ key: keys.mirrorJournal(number), value: undefined })
      this.#records.delete(number)
      this.#bytes -= bytes
    }
    return mutations
  }
}

/**
 * A node that does not publish keeps no journal, so the mirror must be compared with its database afterwards: the position
 * is forgotten.
 */
export async function dropJournal(store: KeyValueStore): Promise<void> {
  const prefix = Uint8Array.of(Column.mirrorJournal)
  for (;;) {
    const entries = [...store.range({ prefix, limit: MAX_TRIMMED_RECORDS })]
    if (entries.length === 0) return
    await store.commit(entries.map(([key]) => ({ key, value: undefined })))
  }
}
