/** An entry in the list of all entries, which is sorted by last use. */
interface CacheEntry<K, V> {
  readonly key: K
  readonly value: V
  readonly weight: number
  older: CacheEntry<K, V> | undefined
  newer: CacheEntry<K, V> | undefined
}

/**
 * A bounded map that evicts the least recently used entries. The bound applies to the sum of the weights: entries with
 * the default weight of 1, or bytes.
 */
export class LruCache<K, V> {
  readonly #entries = new Map<K, CacheEntry<K, V>>()
  readonly #capacity: number
  #oldest: CacheEntry<K, V> | undefined
  #newest: CacheEntry<K, V> | undefined
  #weight = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: K): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    if (entry !== this.#newest) {
      this.#unlink(entry)
      this.#link(entry)
    }
    return entry.value
  }

  /**
   * An entry heavier than the whole cache is not stored.
   * @returns whether the cache keeps this entry and all others
   */
  set(key: K, value: V, weight = 1): boolean {
    const cachedEntry = this.#entries.get(key)
    if (cachedEntry !== undefined) {
      this.#unlink(cachedEntry)
      this.#weight -= cachedEntry.weight
    }
    if (weight > this.#capacity) {
      if (cachedEntry !== undefined) this.#entries.delete(key)
      return false
    }
    const entry: CacheEntry<K, V> = { key, value, weight, older: undefined, newer: undefined }
    this.#entries.set(key, entry)
    this.#link(entry)
    this.#weight += weight
    if (this.#weight <= this.#capacity) return true
    while (this.#weight > this.#capacity && this.#oldest !== undefined) this.delete(this.#oldest.key)
    return false
  }

  delete(key: K): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#unlink(entry)
    this.#weight -= entry.weight
  }

  clear(): void {
    this.#entries.clear()
    this.#oldest = undefined
    this.#newest = undefined
    this.#weight = 0
  }

  /** Copies all entries of another cache into this one. */
  absorb(other: LruCache<K, V>): void {
    for (let entry = other.#oldest; entry !== undefined; entry = entry.newer)
      this.set(entry.key, entry.value, entry.weight)
  }

  /** Appends an entry as the newest. */
  #link(entry: CacheEntry<K, V>): void {
    entry.older = this.#newest
    if (this.#newest === undefined) this.#oldest = entry
    else this.#newest.newer = entry
    this.#newest = entry
  }

  #unlink(entry: CacheEntry<K, V>): void {
    const { older, newer } = entry
    if (older === undefined) this.#oldest = newer
    else older.newer = newer
    if (newer === undefined) this.#newest = older
    else newer.older = older
    // Otherwise a removed entry in V8's old space would keep its neighbours alive until the next full collection.
    entry.older = undefined
    entry.newer = undefined
  }
}
