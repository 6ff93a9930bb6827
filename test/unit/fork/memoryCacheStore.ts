import type { CacheStore } from '../../../src/base/ports/cacheStore.ts'
import type { Mutation } from '../../../src/base/ports/keyValueStore.ts'
import { compareBytes } from '../../../src/base/primitives/bytes.ts'
import { keyToText, textToKey } from '../../../src/storage/keyText.ts'

/** A store whose content a test sees, and which fails on demand. Several caches may share it. */
export class MemoryCacheStore implements CacheStore {
  readonly entries = new Map<string, Uint8Array>()
  failure: Error | undefined
  isFull = false
  updates = 0

  async getMany(keys: readonly Uint8Array[]): Promise<(Uint8Array | undefined)[]> {
    if (this.failure !== undefined) throw this.failure
    return keys.map((key) => this.entries.get(keyToText(key)))
  }

  async update(key: Uint8Array, change: (value: Uint8Array | undefined) => readonly Mutation[]): Promise<void> {
    if (this.failure !== undefined) throw this.failure
    if (this.isFull) throw new Error('no space left')
    this.updates++
    for (const mutation of change(this.entries.get(keyToText(key)))) {
      if (mutation.value === undefined) this.entries.delete(keyToText(mutation.key))
      else this.entries.set(keyToText(mutation.key), mutation.value)
    }
  }

  async deleteBelow(end: Uint8Array, limit: number): Promise<void> {
    const below = [...this.entries.keys()].filter((text) => compareBytes(textToKey(text), end) < 0).sort()
    for (const text of below.slice(0, limit)) this.entries.delete(text)
  }

  sizeOf(keyLength: number, valueLength: number): number {
    return keyLength + valueLength
  }

  async close(): Promise<void> {}

  /** Bytes of all keys and values. */
  get storedBytes(): number {
    return [...this.entries].reduce((sum, [text, value]) => sum + text.length + value.length, 0)
  }
}
