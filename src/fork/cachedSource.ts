/**
 * Values of other chains in a store that many forks share, also at the same time.
 * @module
 */
import {
  FORK_CACHE_BATCH_BYTES,
  FORK_CACHE_DELAY_MS,
  FORK_CACHE_GENERATIONS,
  MAX_FORK_CACHE_PENDING_BYTES,
} from '../base/limits/limits.ts'
import type { CacheStore } from '../base/ports/cacheStore.ts'
import type { Clock, Logger } from '../base/ports/host.ts'
import type { Timer, Timers } from '../base/ports/timers.ts'
import { EMPTY_BYTES } from '../base/primitives/bytes.ts'
import { keyToText } from '../storage/keyText.ts'
import type { ForkSource } from './contract.ts'
import {
  decodeGenerations,
  encodeGenerations,
  GENERATIONS_KEY,
  type Generations,
  generationKey,
  grown,
  oldestOf,
} from './generations.ts'

export interface CachedSourceOptions {
  readonly store: CacheStore
  /** Bound of the entries in the store (estimate). */
  readonly maxBytes: number
  readonly clock: Clock
  readonly timers: Timers
  readonly logger: Logger
}

type Entry = readonly [key: Uint8Array, value: Uint8Array]

/** Entries by the text of their key. */
type Batch = Map<string, Entry>

/** Of a slot, in any store. */
const SMALLEST_ENTRY_BYTES = 100

/** Entries are written a moment after they were put, together with their neighbours. A store that fails is not asked again. */
export class CachedSource implements ForkSource {
  readonly #options: CachedSourceOptions
  #waiting: Batch = new Map()
  #waitingBytes = 0
  /** Being written. */
  #batch: Batch = new Map()
  #writing: Promise<void> | undefined
  #timer: Timer | undefined
  /** Neither in a closed cache, nor after a failure: a full disk can still be read. */
  #isReadable = true
  #isWritable = true
  #hasFailed = false
  #isClosed = false

  constructor(options: CachedSourceOptions) {
    this.#options = options
  }

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    const values = keys.map((key) => this.#unwritten(key))
    if (!this.#isReadable || !values.includes(undefined)) return values
    try {
      await this.#read(keys, values)
    } catch (error) {
      this.#isReadable = false
      this.#stopWriting(error)
    }
    return values
  }

  put(entries: readonly Entry[]): void {
    for (const entry of entries) this.#add(entry)
    if (this.#waiting.size === 0) return
    if (this.#waitingBytes >= FORK_CACHE_BATCH_BYTES) this.#write()
    else this.#timer ??= this.#options.timers.schedule(FORK_CACHE_DELAY_MS, () => this.#write())
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#isReadable = false
    this.#isWritable = false
    this.#write()
    while (this.#writing !== undefined) await this.#writing
    try {
      await this.#options.store.close()
    } catch (error) {
      this.#stopWriting(error)
    }
  }

  #unwritten(key: Uint8Array): Uint8Array | undefined {
    const text = keyToText(key)
    return (this.#waiting.get(text) ?? this.#batch.get(text))?.[1]
  }

  #add(entry: Entry): void {
    const [key, value] = entry
    const size = key.length + value.length
    const isTooLarge = size > this.#options.maxBytes / FORK_CACHE_GENERATIONS
    if (!this.#isWritable || isTooLarge || this.#waitingBytes + size > MAX_FORK_CACHE_PENDING_BYTES) return
    const text = keyToText(key)
    if (this.#waiting.has(text)) return
    this.#waiting.set(text, entry)
    this.#waitingBytes += size
  }

  /** Fills in the missing values, one generation after the other. */
  async #read(keys: readonly Uint8Array[], values: (Uint8Array | undefined)[]): Promise<void> {
    const { newest, sizes } = await this.#generations()
    const old: Entry[] = []
    for (let age = 0; age < sizes.length; age++) {
      const missing = [...values.keys()].filter((at) => values[at] === undefined)
      if (missing.length === 0) break
      const stored = missing.map((at) => generationKey(newest - age, keys[at] as Uint8Array))
      const found = await this.#options.store.getMany(stored)
      for (const [i, at] of missing.entries()) {
        const value = found[i]
        values[at] = value
        // The younger half stays where it is, so that most reads write nothing.
        if (value !== undefined && age >= FORK_CACHE_GENERATIONS / 2) old.push([keys[at] as Uint8Array, value])
      }
    }
    this.put(old)
  }

  /** Another process may have begun the next one at any time. */
  async #generations(): Promise<Generations> {
    const [record] = await this.#options.store.getMany([GENERATIONS_KEY])
    return decodeGenerations(record, this.#options.clock.now())
  }

  #write(): void {
    this.#timer?.cancel()
    this.#timer = undefined
    if (this.#writing !== undefined || this.#waiting.size === 0) return
    this.#batch = this.#waiting
    this.#waiting = new Map()
    this.#waitingBytes = 0
    this.#writing = this.#writeBatch([...this.#batch.values()]).then(() => {
      this.#batch = new Map()
      this.#writing = undefined
      this.#write()
    })
  }

  /**
   * A batch also deletes part of what is older than the oldest generation: about twice its own size, so that the rest of one
   * generation is gone before the next one is given up.
   */
  async #writeBatch(entries: readonly Entry[]): Promise<void> {
    const { store, clock, maxBytes } = this.#options
    const bytes = entries.reduce((sum, [key, value]) => sum + store.sizeOf(key.length, value.length), 0)
    let oldest = 0
    try {
      await store.update(GENERATIONS_KEY, (record) => {
        const before = decodeGenerations(record, clock.now())
        const after = grown(before, bytes, maxBytes)
        oldest = oldestOf(after)
        return [
          ...entries.map(([key, value]) => ({ key: generationKey(before.newest, key), value })),
          { key: GENERATIONS_KEY, value: encodeGenerations(after) },
        ]
      })
      await store.deleteBelow(generationKey(oldest, EMPTY_BYTES), Math.ceil((2 * bytes) / SMALLEST_ENTRY_BYTES))
    } catch (error) {
      this.#stopWriting(error)
    }
  }

  #stopWriting(error: unknown): void {
    this.#isWritable = false
    this.#waiting.clear()
    this.#waitingBytes = 0
    if (this.#hasFailed) return
    this.#hasFailed = true
    this.#options.logger.warn('the fork goes on without its cache', { error })
  }
}
