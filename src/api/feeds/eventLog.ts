/**
 * What has happened lately, kept once for all who ask later: each remembers only how far it has read.
 * @module
 */
export class EventLog<T> {
  readonly #maxItems: number
  #items: T[] = []
  /** Position of the first item. */
  #first = 0

  /** @param maxItems kept at least; some more before the oldest go */
  constructor(maxItems: number) {
    this.#maxItems = maxItems
  }

  /** Position that the next item will have. */
  get end(): number {
    return this.#first + this.#items.length
  }

  push(item: T): void {
    this.#items.push(item)
    // Dropping many at a time keeps the cost of one item constant.
    if (this.#items.length > this.#maxItems * 1.25) this.dropBefore(this.end - this.#maxItems)
  }

  /** Items from a position on; undefined when some of them are gone. */
  since(position: number): readonly T[] | undefined {
    if (position < this.#first) return undefined
    return this.#items.slice(position - this.#first)
  }

  /** Forgets what is before a position. */
  dropBefore(position: number): void {
    const count = Math.min(position, this.end) - this.#first
    if (count <= 0) return
    this.#items = this.#items.slice(count)
    this.#first += count
  }

  /** Forgets all. */
  clear(): void {
    this.dropBefore(this.end)
  }
}
