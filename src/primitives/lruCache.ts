interface CacheEntry<V> {
  readonly value: V
  readonly weight: number
}

/**
 * A bounded map that evicts the least recently used entries. The bound applies to the sum of the weights: entries with
 * the default weight of 1, or bytes.
 */
export class LruCache<K, V> {
  readonly #entries = new Map<K, CacheEntry<V>>()
  readonly #capacity: number
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
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** An entry heavier than the whole cache is not stored. */
  set(key: K, value: V, weight = 1): void {
    this.delete(key)
    if (weight > this.#capacity) return
    this.#entries.set(key, { value, weight })
    this.#weight += weight
    for (const [oldest] of this.#entries) {
      if (this.#weight <= this.#capacity) return
      this.delete(oldest)
    }
  }

  delete(key: K): void {
    const entry = this.#entries.get(key)
    if (entry === undefined) return
    this.#entries.delete(key)
    this.#weight -= entry.weight
  }

  clear(): void {
    this.#entries.clear()
    this.#weight = 0
  }

  /** Copies all entries of another cache into this one. */
  absorb(other: LruCache<K, V>): void {
    for (const [key, { value, weight }] of other.#entries) this.set(key, value, weight)
  }
}
