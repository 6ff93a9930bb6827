import type { Entry, KeyValueStore, Mutation, RangeOptions } from '../ports/keyValueStore.ts'
import { keyToText, textToKey } from './keyText.ts'
import { isEmptyInterval, keyInterval } from './range.ts'
import { SortedKeys } from './sortedKeys.ts'

/** The keys of one column byte. */
interface ColumnData {
  readonly values: Map<string, Uint8Array>
  /** Built by the first range query on the column and then maintained: most columns are only read by key. */
  sorted: SortedKeys | undefined
}

/** A store in memory. An iteration in progress includes later commits to the part of the range not yet returned. */
export class MemoryStore implements KeyValueStore {
  readonly #columns: (ColumnData | undefined)[] = new Array(256).fill(undefined)

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#columns[key[0] as number]?.values.get(keyToText(key))
  }

  getMany(keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    return keys.map((key) => this.get(key))
  }

  *range(options: RangeOptions): Generator<Entry, void, undefined> {
    const interval = keyInterval(options)
    if (isEmptyInterval(interval)) return
    let left = interval.limit
    for (const column of this.#columnsOf(options)) {
      column.sorted ??= new SortedKeys(column.values.keys())
      for (const key of column.sorted.walk(interval)) {
        yield [textToKey(key), column.values.get(key) as Uint8Array]
        if (--left <= 0) return
      }
    }
  }

  /** Stores the values without copying: they must not change afterwards. */
  commit(batch: readonly Mutation[]): void {
    for (const { key } of batch) if (key.length === 0) throw new RangeError('a key needs a column byte')
    const views = new OwnedViews(batch)
    for (const { key, value, text = keyToText(key) } of batch) {
      const byte = key[0] as number
      if (value === undefined) this.#delete(byte, text)
      else this.#put(byte, text, views.own(value))
    }
  }

  close(): void {
    this.#columns.fill(undefined)
  }

  #put(byte: number, text: string, value: Uint8Array): void {
    const column = this.#column(byte)
    if (column.sorted !== undefined && !column.values.has(text)) column.sorted.insert(text)
    column.values.set(text, value)
  }

  #delete(byte: number, text: string): void {
    const column = this.#columns[byte]
    if (column === undefined) return
    if (column.values.delete(text)) column.sorted?.delete(text)
  }

  #column(byte: number): ColumnData {
    let column = this.#columns[byte]
    if (column === undefined) {
      column = { values: new Map(), sorted: undefined }
      this.#columns[byte] = column
    }
    return column
  }

  #columnsOf({ prefix, reverse }: RangeOptions): ColumnData[] {
    const first = prefix[0]
    const columns = first === undefined ? this.#columns : [this.#columns[first]]
    const present = columns.filter((column) => column !== undefined)
    return reverse ? present.reverse() : present
  }
}

/** The copies of longer values of one batch share buffers of about this size. */
const BUFFER_BYTES = 8 * 1024
/** V8 keeps arrays up to this length inside its heap, and moves them out when their `buffer` is read. */
const HEAP_BYTES = 64

/**
 * Copies the values of a batch that are small views of large buffers, which they would retain. The copies share a few
 * buffers, because a buffer for each costs more than the copy.
 */
class OwnedViews {
  /** Bytes of the long values that have not been passed to `own`. */
  #left = 0
  #buffer: Uint8Array | undefined
  #used = 0

  constructor(batch: readonly Mutation[]) {
    for (const { value } of batch) if (value !== undefined && value.length > HEAP_BYTES) this.#left += value.length
  }

  own(value: Uint8Array): Uint8Array {
    const { length } = value
    if (length <= HEAP_BYTES) return value.slice()
    this.#left -= length
    return value.buffer.byteLength > 2 * length ? this.#copy(value, length) : value
  }

  #copy(value: Uint8Array, length: number): Uint8Array {
    if (this.#buffer === undefined || this.#used + length > this.#buffer.length) {
      this.#buffer = new Uint8Array(Math.max(length, Math.min(this.#left + length, BUFFER_BYTES)))
      this.#used = 0
    }
    const own = this.#buffer.subarray(this.#used, this.#used + length)
    own.set(value)
    this.#used += length
    return own
  }
}
