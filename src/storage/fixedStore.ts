import type { Entry, KeyValueStore, RangeOptions } from '../base/ports/keyValueStore.ts'
import { compareBytes, equalBytes } from '../base/primitives/bytes.ts'
import { keyInterval } from './range.ts'

/** A store of a few entries that never change. */
export class FixedStore implements KeyValueStore {
  /** By ascending key. */
  readonly #entries: readonly Entry[]

  constructor(entries: readonly Entry[]) {
    this.#entries = [...entries].sort(([a], [b]) => compareBytes(a, b))
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#entries.find(([each]) => equalBytes(each, key))?.[1]
  }

  getMany(keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    return keys.map((key) => this.get(key))
  }

  range(options: RangeOptions): readonly Entry[] {
    const { low, high, reverse, limit } = keyInterval(options)
    const isInside = ([key]: Entry): boolean =>
      compareBytes(key, low) >= 0 && (high === undefined || compareBytes(key, high) < 0)
    const inside = this.#entries.filter(isInside)
    return (reverse ? inside.reverse() : inside).slice(0, limit)
  }

  commit(): never {
    throw new Error('the entries of this store are fixed')
  }

  close(): void {}
}
