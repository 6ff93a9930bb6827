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
    for (const { key, value } of batch) {
      if (value === undefined) this.#delete(key)
      else this.#put(key, value)
    }
  }

  close(): void {
    this.#columns.fill(undefined)
  }

  #put(key: Uint8Array, value: Uint8Array): void {
    const column = this.#column(key[0] as number)
    const text = keyToText(key)
    if (column.sorted !== undefined && !column.values.has(text)) column.sorted.insert(text)
    column.values.set(text, ownBytes(value))
  }

  #delete(key: Uint8Array): void {
    const column = this.#columns[key[0] as number]
    if (column === undefined) return
    const text = keyToText(key)
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

/** A small view of a large buffer would retain the whole buffer. */
function ownBytes(value: Uint8Array): Uint8Array {
  return value.buffer.byteLength > 2 * value.length ? value.slice() : value
}
