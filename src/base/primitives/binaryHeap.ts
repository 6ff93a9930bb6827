/** A priority queue: the item that precedes all others is taken first. */
export class BinaryHeap<T> {
  readonly #items: T[]
  readonly #goesBefore: (a: T, b: T) => boolean

  /** @param items in any order; the heap takes ownership */
  constructor(goesBefore: (a: T, b: T) => boolean, items: T[] = []) {
    this.#items = items
    this.#goesBefore = goesBefore
    for (let at = (items.length >> 1) - 1; at >= 0; at--) this.#sink(at)
  }

  get size(): number {
    return this.#items.length
  }

  peek(): T | undefined {
    return this.#items[0]
  }

  push(item: T): void {
    const items = this.#items
    let at = items.length
    items.push(item)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!this.#goesBefore(item, items[parent] as T)) break
      items[at] = items[parent] as T
      at = parent
    }
    items[at] = item
  }

  pop(): T | undefined {
    const items = this.#items
    const first = items[0]
    const last = items.pop() as T
    if (items.length > 0) {
      items[0] = last
      this.#sink(0)
    }
    return first
  }

  #sink(start: number): void {
    const items = this.#items
    const item = items[start] as T
    let at = start
    for (;;) {
      let child = 2 * at + 1
      if (child >= items.length) break
      if (child + 1 < items.length && this.#goesBefore(items[child + 1] as T, items[child] as T)) child++
      if (!this.#goesBefore(items[child] as T, item)) break
      items[at] = items[child] as T
      at = child
    }
    items[at] = item
  }
}
