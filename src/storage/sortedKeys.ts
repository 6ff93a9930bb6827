import { keyToText } from './keyText.ts'
import type { KeyInterval } from './range.ts'

/** Maximum number of keys per block; an insertion moves at most this number. */
const BLOCK_CAPACITY = 512

/**
 * A sorted set of strings: a list of short sorted blocks. The set may change during a walk, which then sees the current
 * content of the remaining part.
 */
export class SortedKeys {
  readonly #blocks: string[][] = []
  /** Changes with every insertion and deletion, so that a walk knows when to find its position again. */
  #revision = 0

  constructor(keys: Iterable<string> = []) {
    const sorted = [...keys].sort(compareText)
    const half = BLOCK_CAPACITY / 2
    for (let at = 0; at < sorted.length; at += half) this.#blocks.push(sorted.slice(at, at + half))
  }

  /** Adds a key that is not in the set. */
  insert(key: string): void {
    this.#revision++
    const index = Math.max(0, this.#blockOf(key))
    const block = this.#blocks[index]
    if (block === undefined) {
      this.#blocks.push([key])
      return
    }
    const at = lowerBound(block, key)
    if (block.length < BLOCK_CAPACITY) {
      block.splice(at, 0, key)
    } else if (at === block.length && index === this.#blocks.length - 1) {
      this.#blocks.push([key])
    } else {
      const upper = block.splice(BLOCK_CAPACITY / 2)
      this.#blocks.splice(index + 1, 0, upper)
      const target = at <= block.length ? block : upper
      target.splice(lowerBound(target, key), 0, key)
    }
  }

  /** Removes a key that is in the set. */
  delete(key: string): void {
    this.#revision++
    const index = this.#blockOf(key)
    const block = this.#blocks[index] as string[]
    block.splice(lowerBound(block, key), 1)
    if (block.length === 0) this.#blocks.splice(index, 1)
  }

  /** Keys of the interval in its direction; the caller applies `limit`. */
  *walk(interval: KeyInterval): Generator<string, void, undefined> {
    const low = keyToText(interval.low)
    const high = interval.high === undefined ? undefined : keyToText(interval.high)
    if (interval.reverse) yield* this.#descending(low, high)
    else yield* this.#ascending(low, high)
  }

  *#ascending(low: string, high: string | undefined): Generator<string, void, undefined> {
    let [index, at] = this.#seek(low)
    let revision = this.#revision
    for (;;) {
      const key = this.#blocks[index]?.[at]
      if (key === undefined) {
        if (++index >= this.#blocks.length) return
        at = 0
        continue
      }
      if (high !== undefined && key >= high) return
      yield key
      at++
      if (revision !== this.#revision) {
        revision = this.#revision
        ;[index, at] = this.#seek(`${key}\0`)
      }
    }
  }

  *#descending(low: string, high: string | undefined): Generator<string, void, undefined> {
    let [index, at] = high === undefined ? [this.#blocks.length, 0] : this.#seek(high)
    let revision = this.#revision
    for (;;) {
      if (--at < 0) {
        if (--index < 0) return
        at = (this.#blocks[index] as string[]).length
        continue
      }
      const key = (this.#blocks[index] as string[])[at] as string
      if (key < low) return
      yield key
      if (revision !== this.#revision) {
        revision = this.#revision
        ;[index, at] = this.#seek(key)
      }
    }
  }

  /** Position of the first key that is not below `key`. */
  #seek(key: string): [block: number, at: number] {
    const index = Math.max(0, this.#blockOf(key))
    const block = this.#blocks[index]
    return [index, block === undefined ? 0 : lowerBound(block, key)]
  }

  /** The last block whose first key is not above `key`; -1 when all are. */
  #blockOf(key: string): number {
    let low = 0
    let high = this.#blocks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#blocks[middle]?.[0] as string) <= key) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}

/** Index of the first element that is not below `key`. */
function lowerBound(sorted: readonly string[], key: string): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((sorted[middle] as string) < key) low = middle + 1
    else high = middle
  }
  return low
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
