interface CacheEntry<V> {
  readonly value: V
  readonly weight: number
}

/**
 * A bounded map that forgets what was not asked for the longest. The bound is on the sum of weights: items with the
 * default weight of 1, or bytes.
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

  /** What is heavier than the whole cache is not kept. */
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

  /** Takes over all entries of another cache. */
  absorb(other: LruCache<K, V>): void {
    for (const [key, { value, weight }] of other.#entries) this.set(key, value, weight)
  }
}
