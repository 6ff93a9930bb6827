/**
 * A cache over an asynchronous store for the synchronous core: missing data are named by an error, fetched at the edge,
 * and the work is repeated.
 * @module
 */
import { RESIDENT_RANGE_BYTES, RESIDENT_STORE_BYTES } from '../base/limits/limits.ts'
import type {
  AsyncKeyValueStore,
  Entry,
  KeyValueStore,
  MissRequest,
  Mutation,
  RangeOptions,
  Residency,
} from '../base/ports/keyValueStore.ts'
import { StoreMiss } from '../base/ports/keyValueStore.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { LruCache } from '../base/primitives/lruCache.ts'
import { keyToText } from './keyText.ts'

/** Memory of an entry in addition to its bytes (measured on V8). */
const ENTRY_OVERHEAD = 320
/** Marks a key that the store is known to lack. */
const ABSENT = Symbol('absent')

interface ResidentRange {
  readonly entries: readonly Entry[]
  /** Revision of the column when it was read; a commit to the column invalidates the range. */
  readonly revision: number
}

interface WaitingCommit {
  readonly batch: readonly Mutation[]
  resolve(): void
  reject(error: unknown): void
}

export interface ResidentOptions {
  /** Capacity for single values in bytes. */
  readonly bytes?: number
  /** Capacity for ranges in bytes. */
  readonly rangeBytes?: number
  /** Whether the store is empty, and nobody else writes to it. Default: false. */
  readonly isEmpty?: boolean
}

/**
 * A synchronous view of an asynchronous store. Loads and commits wait for each other, so that no reader sees a partial
 * batch: a batch becomes visible when its commit resolves.
 */
export class ResidentStore implements KeyValueStore, Residency {
  readonly #store: AsyncKeyValueStore
  readonly #options: ResidentOptions
  #values: LruCache<string, Uint8Array | typeof ABSENT>
  #ranges: LruCache<string, ResidentRange>
  /** Number of commits per column, by column byte. */
  readonly #revisions = new Float64Array(256)
  /** Fetches in progress, so that identical requests share one. */
  readonly #fetches = new Map<string, Promise<void>>()
  /** Batches for the next write of the store. */
  #waiting: WaitingCommit[] = []
  /** undefined: no batch waits or is written */
  #writing: Promise<void> | undefined
  /** Whether all entries of the store are here, because it was empty and none has been evicted: other keys do not exist. */
  #isWhole: boolean

  constructor(store: AsyncKeyValueStore, options: ResidentOptions = {}) {
    this.#store = store
    this.#options = options
    this.#values = new LruCache(options.bytes ?? RESIDENT_STORE_BYTES)
    this.#ranges = new LruCache(options.rangeBytes ?? RESIDENT_RANGE_BYTES)
    this.#isWhole = options.isEmpty ?? false
  }

  /**
   * Hands the loaded data over to a view of a later state of the store. This one stays as it is, but loads its data again.
   * @param changed keys whose values may differ in `store`; undefined: all
   */
  successor(store: AsyncKeyValueStore, changed: readonly Uint8Array[] | undefined): ResidentStore {
    const next = new ResidentStore(store, { ...this.#options, isEmpty: false })
    if (changed === undefined) return next
    this.#isWhole = false
    ;[next.#values, this.#values] = [this.#values, next.#values]
    ;[next.#ranges, this.#ranges] = [this.#ranges, next.#ranges]
    next.#revisions.set(this.#revisions)
    for (const key of changed) {
      next.#touch(key)
      next.#values.delete(keyToText(key))
    }
    return next
  }

  /** @throws {StoreMiss} */
  get(key: Uint8Array): Uint8Array | undefined {
    const value = this.#values.get(keyToText(key))
    if (value === undefined && !this.#isWhole) throw new StoreMiss({ kind: 'keys', keys: [key] })
    return value === ABSENT ? undefined : value
  }

  /** @throws {StoreMiss} that names all missing keys */
  getMany(keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    const missing: Uint8Array[] = []
    const values = keys.map((key) => {
      const value = this.#values.get(keyToText(key))
      if (value === undefined) missing.push(key)
      return value === ABSENT ? undefined : value
    })
    if (missing.length > 0 && !this.#isWhole) throw new StoreMiss({ kind: 'keys', keys: missing })
    return values
  }

  /** @throws {StoreMiss} immediately, not at the first entry */
  range(options: RangeOptions): Iterable<Entry> {
    const revision = this.#revisionOf(options)
    if (this.#isWhole && revision === 0) return []
    const range = this.#ranges.get(rangeText(options))
    if (range === undefined || range.revision !== revision) {
      throw new StoreMiss({ kind: 'range', range: options })
    }
    return range.entries
  }

  /**
   * @throws {NodeError} RESIDENT_MEMORY_EXCEEDED when the data do not fit in memory together
   * @throws {StoreMiss} for the state of another chain
   */
  async load(request: MissRequest): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
    if (request.kind === 'range') await this.#once(rangeText(request.range), () => this.#loadRange(request.range))
    else if (request.kind === 'keys') await this.#loadKeys(request.keys)
    else throw new StoreMiss(request)
  }

  /**
   * Batches that arrive while another one is written are written together, and each one succeeds or fails by itself. After a
   * failed commit the content of the store is unknown: the keys are evicted and read again.
   */
  async commit(batch: readonly Mutation[]): Promise<void> {
    for (const { key } of batch) if (key.length === 0) throw new RangeError('a key needs a column byte')
    const stored = new Promise<void>((resolve, reject) => this.#waiting.push({ batch, resolve, reject }))
    this.#writing ??= this.#writeWaiting()
    return stored
  }

  async close(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
    await Promise.allSettled(this.#fetches.values())
    this.#isWhole = false
    this.#values.clear()
    this.#ranges.clear()
    await this.#store.close()
  }

  async #writeWaiting(): Promise<void> {
    do {
      await Promise.allSettled(this.#fetches.values())
      await this.#writeTogether(this.#waiting.splice(0))
    } while (this.#waiting.length > 0)
    this.#writing = undefined
  }

  /** Where the whole fails, each batch is tried by itself. */
  async #writeTogether(commits: readonly WaitingCommit[]): Promise<void> {
    try {
      await this.#write(commits.flatMap(({ batch }) => batch))
      for (const { resolve } of commits) resolve()
    } catch (error) {
      if (commits.length === 1) commits[0]?.reject(error)
      else for (const commit of commits) await this.#writeTogether([commit])
    }
  }

  async #write(batch: readonly Mutation[]): Promise<void> {
    let isStored = false
    try {
      await this.#store.commit(batch)
      isStored = true
    } finally {
      for (const { key, value } of batch) {
        this.#touch(key)
        if (isStored) this.#keep(key, value)
        else this.#forget(key)
      }
    }
  }

  async #loadKeys(keys: readonly Uint8Array[]): Promise<void> {
    if (this.#isWhole) return
    const wanted = new Map<string, Uint8Array>()
    const shared = new Set<Promise<void>>()
    for (const key of keys) {
      const text = keyToText(key)
      const fetch = this.#fetches.get(keyFetchName(text))
      if (fetch !== undefined) shared.add(fetch)
      else if (this.#values.get(text) === undefined) wanted.set(text, key)
    }
    if (wanted.size > 0) shared.add(this.#fetchKeys(wanted))
    await Promise.all(shared)
  }

  #fetchKeys(wanted: ReadonlyMap<string, Uint8Array>): Promise<void> {
    const names = [...wanted.keys()].map(keyFetchName)
    const fetch = this.#readKeys([...wanted.values()]).finally(() => {
      for (const name of names) this.#fetches.delete(name)
    })
    for (const name of names) this.#fetches.set(name, fetch)
    return fetch
  }

  async #readKeys(keys: readonly Uint8Array[]): Promise<void> {
    const values = await this.#store.getMany(keys)
    keys.forEach((key, i) => {
      this.#keep(key, values[i])
    })
    if (keys.some((key) => this.#values.get(keyToText(key)) === undefined)) throw tooLarge()
  }

  async #loadRange(options: RangeOptions): Promise<void> {
    const entries = await this.#store.range(options)
    const weight = entries.reduce(
      (sum, [key, value]) => sum + key.length + value.length + ENTRY_OVERHEAD,
      ENTRY_OVERHEAD,
    )
    const name = rangeText(options)
    this.#ranges.set(name, { entries, revision: this.#revisionOf(options) }, weight)
    if (this.#ranges.get(name) === undefined) throw tooLarge()
  }

  #once(name: string, load: () => Promise<void>): Promise<void> {
    const running = this.#fetches.get(name)
    if (running !== undefined) return running
    const fetch = load().finally(() => this.#fetches.delete(name))
    this.#fetches.set(name, fetch)
    return fetch
  }

  #keep(key: Uint8Array, value: Uint8Array | undefined): void {
    const weight = key.length + (value?.length ?? 0) + ENTRY_OVERHEAD
    if (!this.#values.set(keyToText(key), value ?? ABSENT, weight)) this.#isWhole = false
  }

  #forget(key: Uint8Array): void {
    this.#isWhole = false
    this.#values.delete(keyToText(key))
  }

  #touch(key: Uint8Array): void {
    const column = key[0] as number
    this.#revisions[column] = (this.#revisions[column] as number) + 1
  }

  /** Revision of a range's column, or of all columns. */
  #revisionOf({ prefix }: RangeOptions): number {
    const column = prefix[0]
    return column === undefined ? this.#revisions.reduce((sum, n) => sum + n, 0) : (this.#revisions[column] as number)
  }
}

function tooLarge(): NodeError {
  return new NodeError(
    { code: 'RESIDENT_MEMORY_EXCEEDED' },
    'one read needs more data than the store may hold in memory',
  )
}

function keyFetchName(text: string): string {
  return `key ${text}`
}

function rangeText({ prefix, from, limit, reverse = false }: RangeOptions): string {
  return JSON.stringify([keyToText(prefix), from === undefined ? null : keyToText(from), limit ?? null, reverse])
}
