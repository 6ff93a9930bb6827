/**
 * Records of what a tab's request did, in the batch that did it. When the worker ends before it has answered, its successor
 * finds the record, so the request is neither lost nor done twice.
 * @module
 */
import { MAX_CLIENT_ANSWER_BYTES, MAX_CLIENT_REQUESTS } from '../../../src/base/limits/limits.ts'
import type { Entry, KeyValueStore, Mutation, RangeOptions, Residency } from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHex, readUint } from '../../../src/base/primitives/bytes.ts'
import { decodeTransactionKeys } from '../../../src/chain/blockRecord.ts'
import type { RequestErrorParts } from '../../../src/rpc/providerContract.ts'
import { retryMisses } from '../../../src/storage/retryMisses.ts'
import { Column, keys } from '../../../src/storage/schema.ts'
import type { MethodKind } from './methodKind.ts'

/** The answer to a tab. */
export type Outcome =
  | { readonly kind: 'result'; readonly result: unknown }
  | { readonly kind: 'failure'; readonly error: RequestErrorParts }

export interface ClientRecord {
  /** Of the request: tab and number. */
  readonly id: string
  /** Hash of the only transaction that the request made, if its first batch had one. */
  readonly transaction?: string
  /** Absent until the request has ended, and if it is large. */
  readonly outcome?: Outcome
}

/** The request whose commits are observed. */
interface CurrentRequest {
  readonly id: string
  readonly number: number
  readonly kind: MethodKind
  readonly onApplied: (record: ClientRecord) => void
}

/** Signs in a batch of the request that caused it. */
interface Traces {
  /** Hashes of transactions that no earlier batch has stored. */
  readonly transactions: readonly string[]
  readonly changesBlocks: boolean
  readonly changesState: boolean
}

const NUMBER_BYTES = 6
const BLOCK_COLUMNS: ReadonlySet<number> = new Set([
  Column.header,
  Column.canonicalHash,
  Column.emptyRun,
  Column.canonicalRun,
])

/**
 * The store of the node, which adds the record of the current request to the first batch that the request causes. Only one
 * request is current, and meanwhile no other one makes transactions: a transaction that no batch has stored before is the
 * request's.
 */
export class ClientRecords implements KeyValueStore {
  readonly #store: KeyValueStore & Residency
  readonly #records = new Map<string, ClientRecord>()
  /** Numbers in the database, with the ids of their requests: oldest first. */
  readonly #numbers = new Map<number, string>()
  /** Transactions that wait in the pool and are stored for a restart. */
  readonly #waiting = new Set<string>()
  #nextNumber = 1
  #current: CurrentRequest | undefined

  private constructor(store: KeyValueStore & Residency) {
    this.#store = store
  }

  /** Reads the records of earlier workers. */
  static async open(store: KeyValueStore & Residency): Promise<ClientRecords> {
    const records = new ClientRecords(store)
    const entries = (column: number): Promise<Iterable<Entry>> =>
      retryMisses(() => store.range({ prefix: Uint8Array.of(column) }), store)
    const [requests, waiting] = await Promise.all([entries(Column.clientRequest), entries(Column.localTransaction)])
    for (const [key, value] of requests) records.#keep(key, value)
    for (const [key] of waiting) records.#waiting.add(hashOf(key))
    return records
  }

  recordOf(id: string): ClientRecord | undefined {
    return this.#records.get(id)
  }

  /** @param onApplied called when the record is stored */
  begin(id: string, kind: MethodKind, onApplied: CurrentRequest['onApplied']): void {
    this.#current = { id, kind, number: this.#nextNumber++, onApplied }
  }

  /** Later batches are not the request's. */
  end(id: string): void {
    if (this.#current?.id === id) this.#current = undefined
  }

  /** Completes the record of a request that has ended, so that its successor answers the same. */
  async complete(record: ClientRecord, outcome: Outcome): Promise<void> {
    const [number] = [...this.#numbers].find(([, id]) => id === record.id) ?? []
    if (number === undefined) return
    const completed = { ...record, outcome }
    const { key, value } = recordMutation(number, completed)
    if (value.length > MAX_CLIENT_ANSWER_BYTES) return
    await this.#store.commit([{ key, value }])
    this.#records.set(record.id, completed)
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#store.get(key)
  }

  getMany(wanted: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    return this.#store.getMany(wanted)
  }

  range(options: RangeOptions): Iterable<Entry> {
    return this.#store.range(options)
  }

  async commit(batch: readonly Mutation[]): Promise<void> {
    const current = this.#current
    const traces = this.#tracesOf(batch)
    if (current === undefined || !isApplied(current, traces)) return this.#store.commit(batch)
    this.#current = undefined
    const [transaction, ...others] = traces.transactions
    const isOne = transaction !== undefined && others.length === 0
    const record: ClientRecord = { id: current.id, ...(isOne ? { transaction } : {}) }
    try {
      await this.#store.commit([...batch, ...this.#recording(current.number, record)])
    } catch (error) {
      this.#forget(current.number)
      throw error
    }
    current.onApplied(record)
  }

  close(): void | Promise<void> {
    return this.#store.close()
  }

  #tracesOf(batch: readonly Mutation[]): Traces {
    const transactions = new Set<string>()
    let [changesBlocks, changesState] = [false, false]
    for (const { key, value } of batch) {
      const column = key[0] as number
      if (BLOCK_COLUMNS.has(column)) changesBlocks = true
      if (column === Column.devAmendment) changesState = true
      if (column === Column.localTransaction) {
        const hash = hashOf(key)
        if (value === undefined) this.#waiting.delete(hash)
        else {
          this.#waiting.add(hash)
          transactions.add(hash)
        }
      }
      if (column === Column.senders && value !== undefined) {
        const mined = decodeTransactionKeys(value).hashes.map(bytesToHex)
        for (const hash of mined) if (!this.#waiting.has(hash)) transactions.add(hash)
      }
    }
    return { transactions: [...transactions], changesBlocks, changesState }
  }

  /** The record, and the deletion of the one whose place it takes. */
  #recording(number: number, record: ClientRecord): Mutation[] {
    const mutations: Mutation[] = [recordMutation(number, record)]
    this.#numbers.set(number, record.id)
    this.#records.set(record.id, record)
    for (const oldest of this.#numbers.keys()) {
      if (this.#numbers.size <= MAX_CLIENT_REQUESTS) break
      this.#forget(oldest)
      mutations.push({ key: keys.clientRequest(oldest), value: undefined })
    }
    return mutations
  }

  #forget(number: number): void {
    this.#records.delete(this.#numbers.get(number) ?? '')
    this.#numbers.delete(number)
  }

  #keep(key: Uint8Array, value: Uint8Array): void {
    const number = readUint(key, 1, NUMBER_BYTES)
    const record = JSON.parse(new TextDecoder().decode(value)) as ClientRecord
    this.#numbers.set(number, record.id)
    this.#records.set(record.id, record)
    this.#nextNumber = number + 1
  }
}

function isApplied({ kind }: CurrentRequest, { transactions, changesBlocks, changesState }: Traces): boolean {
  if (kind === 'blocks') return changesBlocks
  return transactions.length > 0 || (kind === 'change' && changesState)
}

const hashOf = (key: Uint8Array): string => bytesToHex(key.subarray(1))

function recordMutation(
  number: number,
  record: ClientRecord,
): { readonly key: Uint8Array; readonly value: Uint8Array } {
  return { key: keys.clientRequest(number), value: new TextEncoder().encode(JSON.stringify(record)) }
}
