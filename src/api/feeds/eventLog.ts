/**
 * Recent events, stored once for all readers: each reader only remembers its position.
 * @module
 */
export class EventLog<T> {
  readonly #maxItems: number
  #items: T[] = []
  /** Position of the first item. */
  #first = 0

  /** @param maxItems guaranteed capacity; a few more are retained before the oldest are dropped */
  constructor(maxItems: number) {
    this.#maxItems = maxItems
  }

  /** Position that the next item will have. */
  get end(): number {
    return this.#first + this.#items.length
  }

  push(item: T): void {
    this.#items.push(item)
    // Dropping many items at a time keeps the cost per item constant.
    if (this.#items.length > this.#maxItems * 1.25) this.dropBefore(this.end - this.#maxItems)
  }

  /** Items from a position on; undefined when some of them were dropped. */
  since(position: number): readonly T[] | undefined {
    if (position < this.#first) return undefined
    return this.#items.slice(position - this.#first)
  }

  /** Discards the items before a position. */
  dropBefore(position: number): void {
    const count = Math.min(position, this.end) - this.#first
    if (count <= 0) return
    this.#items = this.#items.slice(count)
    this.#first += count
  }

  /** Discards all items. */
  clear(): void {
    this.dropBefore(this.end)
  }
}
