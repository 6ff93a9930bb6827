/** A source of a fork in memory, without a bound. */
import type { ForkSource } from '../../../src/fork/contract.ts'
import { keyToText } from '../../../src/storage/keyText.ts'

export class MapSource implements ForkSource {
  readonly entries = new Map<string, Uint8Array>()

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    return keys.map((key) => this.entries.get(keyToText(key)))
  }

  put(entries: readonly (readonly [key: Uint8Array, value: Uint8Array])[]): void {
    for (const [key, value] of entries) this.entries.set(keyToText(key), value)
  }

  async close(): Promise<void> {}
}
