import { type Entry, type KeyValueReader, type RangeOptions, StoreMiss } from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'

/** A reader with initially empty memory: each read misses once, and its retry succeeds. */
export class LossyReader implements KeyValueReader {
  readonly #base: KeyValueReader
  readonly #resident = new Set<string>()
  misses = 0

  constructor(base: KeyValueReader) {
    this.#base = base
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.getMany([key])[0]
  }

  getMany(keys: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    const missing = keys.filter((key) => !this.#resident.has(bytesToHex(key)))
    if (missing.length > 0) {
      for (const key of missing) this.#resident.add(bytesToHex(key))
      this.misses++
      throw new StoreMiss({ kind: 'keys', keys: missing })
    }
    return this.#base.getMany(keys)
  }

  range(options: RangeOptions): Iterable<Entry> {
    const name = `${bytesToHex(options.prefix)}:${bytesToHex(options.from ?? options.prefix)}`
    if (!this.#resident.has(name)) {
      this.#resident.add(name)
      this.misses++
      throw new StoreMiss({ kind: 'range', range: options })
    }
    return this.#base.range(options)
  }
}

/** Repeats `work` until no data is missing, like a driver. */
export function retryMisses<T>(work: () => T): T {
  for (let attempt = 0; attempt < 100_000; attempt++) {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof StoreMiss)) throw error
    }
  }
  throw new Error('the work does not come to an end')
}
