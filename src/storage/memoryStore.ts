import type { Entry, KeyValueStore, Mutation, RangeOptions } from '../base/ports/keyValueStore.ts'
import { ByteMap } from './byteMap.ts'
import { keyToText, textToKey } from './keyText.ts'
import { isEmptyInterval, keyInterval } from './range.ts'
import { SortedKeys } from './sortedKeys.ts'

/** The keys of one column byte. */
interface ColumnData {
  readonly values: ByteMap
  /** Built by the first range query on the column and then maintained: most columns are only read by key. */
  sorted: SortedKeys | undefined
}

/** A store in memory. An iteration in progress includes later commits to the part of the range not yet returned. */
export class MemoryStore implements KeyValueStore {
  readonly #columns: (ColumnData | undefined)[] = new Array(256).fill(undefined)

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#columns[key[0] as number]?.values.get(key)
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
      for (const text of column.sorted.walk(interval)) {
        const key = textToKey(text)
        yield [key, column.values.get(key) as Uint8Array]
        if (--left <= 0) return
      }
    }
  }

  commit(batch: readonly Mutation[]): void {
    for (const { key } of batch) if (key.length === 0) throw new RangeError('a key needs a column byte')
    for (const mutation of batch) {
      if (mutation.value === undefined) this.#delete(mutation)
      else this.#put(mutation, mutation.value)
    }
  }

  close(): void {
    this.#columns.fill(undefined)
  }

  #put({ key, hash }: Mutation, value: Uint8Array): void {
    const column = this.#column(key[0] as number)
    if (column.values.set(key, value, hash)) column.sorted?.insert(keyToText(key))
  }

  #delete({ key }: Mutation): void {
    const column = this.#columns[key[0] as number]
    if (column?.values.delete(key)) column.sorted?.delete(keyToText(key))
  }

  #column(byte: number): ColumnData {
    let column = this.#columns[byte]
    if (column === undefined) {
      column = { values: new ByteMap(), sorted: undefined }
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
