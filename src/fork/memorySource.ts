/**
 * Values of other chains in memory.
 * @module
 */
import { MEMORY_FORK_CACHE_BYTES } from '../base/limits/limits.ts'
import { LruCache } from '../base/primitives/lruCache.ts'
import { keyToText } from '../storage/keyText.ts'
import type { ForkSource } from './contract.ts'

/** Size of an entry beside its key and its value (estimate). */
const ENTRY_BYTES = 150

/** @param maxBytes the least recently used entries go first */
export function memorySource(maxBytes: number = MEMORY_FORK_CACHE_BYTES): ForkSource {
  const values = new LruCache<string, Uint8Array>(maxBytes)
  return {
    async getMany(keys) {
      return keys.map((key) => values.get(keyToText(key)))
    },
    put(entries) {
      for (const [key, value] of entries) values.set(keyToText(key), value, ENTRY_BYTES + key.length + value.length)
    },
    async close() {
      values.clear()
    },
  }
}
