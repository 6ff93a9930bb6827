import type { Entry, KeyValueReader, Mutation, RangeOptions } from '../ports/keyValueStore.ts'
import { compareBytes } from '../primitives/bytes.ts'
import { keyToText, textToKey } from './keyText.ts'
import { isEmptyInterval, type KeyInterval, keyInterval } from './range.ts'
import { SortedKeys } from './sortedKeys.ts'

/**
 * Uncommitted writes on top of a store; reads include them. The chain writer stages one or more blocks here and commits
 * the mutations once. An iteration in progress may not include keys staged later.
 */
export class StagedStore implements KeyValueReader {
  readonly #base: KeyValueReader
  readonly #staged = new Map<string, Mutation>()
  /**
   * Set by the user of the stage: data derived from the staged writes, released with them. In a WeakMap, the data would
   * keep a stage that lives for one block alive until the next full garbage collection.
   */
  derived: object | undefined = undefined
  /** Built by the first range query. */
  #sorted: SortedKeys | undefined

  constructor(base: KeyValueReader) {
    this.#base = base
  }

  /** Number of keys written. */
  get size(): number {
    return this.#staged.size
  }

  /** Stores key and value without copying: they must not change afterwards. */
  put(key: Uint8Array, value: Uint8Array): void {
    this.#stage(key, value)
  }

  delete(key: Uint8Array): void {
    this.#stage(key, undefined)
  }

  get(key: Uint8Array): Uint8Array | undefined {
    const mutation = this.#staged.get(keyToText(key))
    return mutation === undefined ? this.#base.get(key) : mutation.value
  }

  getMany(keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    const mutations = keys.map((key) => this.#staged.get(keyToText(key)))
    const fromBase = this.#base.getMany(keys.filter((_, i) => mutations[i] === undefined))
    let next = 0
    return mutations.map((mutation) => (mutation === undefined ? fromBase[next++] : mutation.value))
  }

  *range(options: RangeOptions): Generator<Entry, void, undefined> {
    const interval = keyInterval(options)
    if (isEmptyInterval(interval)) return
    const staged = this.#stagedRange(interval)
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
    return [...this.#staged.values()]
  }

  /** Removes mutations and returns them: the caller commits them before the others. */
  take(isTaken: (mutation: Mutation) => boolean): Mutation[] {
    const taken: Mutation[] = []
    for (const [text, mutation] of this.#staged) {
      if (!isTaken(mutation)) continue
      taken.push(mutation)
      this.#staged.delete(text)
    }
    this.#sorted = undefined
    return taken
  }

  clear(): void {
    this.#staged.clear()
    this.#sorted = undefined
  }

  #stage(key: Uint8Array, value: Uint8Array | undefined): void {
    if (key.length === 0) throw new RangeError('a key needs a column byte')
    const text = keyToText(key)
    if (this.#sorted !== undefined && !this.#staged.has(text)) this.#sorted.insert(text)
    this.#staged.set(text, { key, value, text })
  }

  /** Each staged key may hide one entry of the base. */
  #baseRange(options: RangeOptions): RangeOptions {
    return options.limit === undefined ? options : { ...options, limit: options.limit + this.#staged.size }
  }

  *#stagedRange(interval: KeyInterval): Generator<StagedEntry, void, undefined> {
    this.#sorted ??= new SortedKeys(this.#staged.keys())
    for (const text of this.#sorted.walk(interval)) yield [textToKey(text), this.#staged.get(text)?.value]
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
