import type { Entry, KeyValueReader, Mutation, RangeOptions } from '../base/ports/keyValueStore.ts'
import { compareBytes, equalBytes } from '../base/primitives/bytes.ts'
import { hashOfKey } from './keyHash.ts'
import { keyToText, textToKey } from './keyText.ts'
import { isEmptyInterval, type KeyInterval, keyInterval } from './range.ts'
import { SortedKeys } from './sortedKeys.ts'

/** Enough for the keys of a block with one transfer. */
const FIRST_SLOTS = 128
const EMPTY = -1
/** Stands for a column where keys of all columns are meant. */
const ALL_COLUMNS = -1

/** A mutation whose key has been hashed. */
interface Staged extends Mutation {
  readonly hash: number
}

/**
 * Uncommitted writes on top of a store; reads include them. The chain writer stages one or more blocks here and commits
 * the mutations once. An iteration in progress may not include keys staged later.
 */
export class StagedStore implements KeyValueReader {
  #base: KeyValueReader
  /** The last mutation of each key, in the order in which the keys were first written. */
  #staged: Staged[] = []
  /** Open addressing with linear probing: index in `#staged`. */
  #slots = new Int32Array(FIRST_SLOTS).fill(EMPTY)
  /**
   * Set by the user of the stage: data derived from the staged writes, released with them. In a WeakMap, the data would
   * keep a stage that lives for one block alive until the next full garbage collection.
   */
  context: object | undefined = undefined
  /** By column: each is built by the first range query in the column. */
  readonly #sorted = new Map<number, SortedKeys>()

  constructor(base: KeyValueReader) {
    this.#base = base
  }

  get mayLoseEntries(): boolean | undefined {
    return this.#base.mayLoseEntries
  }

  /** Reads pass through to another store with the same content: the stage below has been committed to it. */
  rebase(base: KeyValueReader): void {
    this.#base = base
  }

  /** Number of keys written. */
  get size(): number {
    return this.#staged.length
  }

  /** Stores key and value without copying: they must not change afterwards. */
  put(key: Uint8Array, value: Uint8Array): void {
    this.#stage(key, value)
  }

  delete(key: Uint8Array): void {
    this.#stage(key, undefined)
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const mutation = this.#find(key)
    return mutation === undefined ? this.#base.get(key) : mutation.value
  }

  getMany(keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    const mutations = keys.map((key) => this.#find(key))
    const fromBase = this.#base.getMany(keys.filter((_, i) => mutations[i] === undefined))
    let next = 0
    return mutations.map((mutation) => (mutation === undefined ? fromBase[next++] : mutation.value))
  }

  *range(options: RangeOptions): Generator<Entry, void, undefined> {
    const interval = keyInterval(options)
    if (isEmptyInterval(interval)) return
    const staged = this.#stagedRange(interval, options.prefix[0] ?? ALL_COLUMNS)
    const base = this.#base.range(this.#baseRange(options))[Symbol.iterator]()
    let left = interval.limit
    try {
      for (const [key, value] of merge(staged, base, interval.reverse)) {
        if (value === undefined) continue
        yield [key, value]
        if (--left <= 0) return
      }
    } finally {
      base.return?.()
    }
  }

  /** The last mutation of each key, in no particular order. */
  mutations(): Mutation[] {
    return [...this.#staged]
  }

  /** Removes mutations and returns them: the caller commits them before the others. */
  take(isTaken: (mutation: Mutation) => boolean): Mutation[] {
    const taken: Mutation[] = []
    const left: Staged[] = []
    for (const mutation of this.#staged) (isTaken(mutation) ? taken : left).push(mutation)
    this.#staged = left
    this.#place(this.#slots.length)
    this.#sorted.clear()
    return taken
  }

  clear(): void {
    this.#staged = []
    this.#place(FIRST_SLOTS)
    this.#sorted.clear()
  }

  #stage(key: Uint8Array, value: Uint8Array | undefined): void {
    if (key.length === 0) throw new RangeError('a key needs a column byte')
    const hash = hashOfKey(key)
    const slot = this.#slotOf(key, hash)
    const index = this.#slots[slot] as number
    if (index !== EMPTY) {
      this.#staged[index] = { key, value, hash }
      return
    }
    this.#slots[slot] = this.#staged.length
    this.#staged.push({ key, value, hash })
    if (this.#sorted.size > 0) this.#sort(key)
    if (2 * this.#staged.length > this.#slots.length) this.#place(2 * this.#slots.length)
  }

  #sort(key: Uint8Array): void {
    const text = keyToText(key)
    this.#sorted.get(key[0] as number)?.insert(text)
    this.#sorted.get(ALL_COLUMNS)?.insert(text)
  }

  #find(key: Uint8Array): Mutation | undefined {
    if (this.#staged.length === 0) return undefined
    const index = this.#slots[this.#slotOf(key, hashOfKey(key))] as number
    return index === EMPTY ? undefined : this.#staged[index]
  }

  /** The slot of the key, or the empty slot for it. */
  #slotOf(key: Uint8Array, hash: number): number {
    const slots = this.#slots
    const mask = slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const index = slots[slot] as number
      if (index === EMPTY) return slot
      const staged = this.#staged[index] as Staged
      if (staged.hash === hash && equalBytes(staged.key, key)) return slot
    }
  }

  /** Places all mutations in a table of this size. */
  #place(size: number): void {
    const slots = new Int32Array(size).fill(EMPTY)
    const mask = size - 1
    for (let index = 0; index < this.#staged.length; index++) {
      let slot = (this.#staged[index] as Staged).hash & mask
      while (slots[slot] !== EMPTY) slot = (slot + 1) & mask
      slots[slot] = index
    }
    this.#slots = slots
  }

  /** Each staged key may hide one entry of the base. */
  #baseRange(options: RangeOptions): RangeOptions {
    return options.limit === undefined ? options : { ...options, limit: options.limit + this.#staged.length }
  }

  #sortedKeys(column: number): SortedKeys {
    const known = this.#sorted.get(column)
    if (known !== undefined) return known
    const keys: string[] = []
    for (const { key } of this.#staged) if (column === ALL_COLUMNS || key[0] === column) keys.push(keyToText(key))
    const sorted = new SortedKeys(keys)
    this.#sorted.set(column, sorted)
    return sorted
  }

  *#stagedRange(interval: KeyInterval, column: number): Generator<StagedEntry, void, undefined> {
    for (const text of this.#sortedKeys(column).walk(interval)) {
      const key = textToKey(text)
      yield [key, this.#find(key)?.value]
    }
  }
}

type StagedEntry = readonly [key: Uint8Array, value: Uint8Array | undefined]

/** Merges both in order; for equal keys only the staged entry. */
function* merge(
  upper: Iterator<StagedEntry, unknown>,
  lower: Iterator<Entry, unknown>,
  reverse: boolean,
): Generator<StagedEntry, void, undefined> {
  let above = upper.next()
  let below = lower.next()
  while (!above.done || !below.done) {
    const order = above.done ? 1 : below.done ? -1 : compareBytes(above.value[0], below.value[0]) * (reverse ? -1 : 1)
    const taken = order <= 0 ? above : below
    if (order >= 0) below = lower.next()
    if (taken.done) return
    yield taken.value
    if (order <= 0) above = upper.next()
  }
}
