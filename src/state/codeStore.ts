import type { KeyValueReader } from '../base/ports/keyValueStore.ts'
import { bytesToHexUnprefixed, EMPTY_BYTES, equalBytes } from '../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../base/primitives/keccak.ts'
import { LruCache } from '../base/primitives/lruCache.ts'
import { keys } from '../storage/schema.ts'
import { missingCode } from './errors.ts'

/** Contract code by hash, with a cache. */
export class CodeStore {
  readonly #cache: LruCache<string, Uint8Array>

  constructor(cacheBytes: number) {
    this.#cache = new LruCache(cacheBytes)
  }

  /**
   * @param fallback returns code that is not stored
   * @throws {NodeError} MISSING_CODE
   * @throws {StoreMiss} when it is not in memory
   */
  get(codeHash: Uint8Array, reader: KeyValueReader, fallback?: () => Uint8Array): Uint8Array {
    const code = this.find(codeHash, reader, fallback)
    if (code === undefined) throw missingCode(codeHash)
    return code
  }

  /**
   * @returns undefined when no contract with this code is stored
   * @throws {StoreMiss} when it is not in memory
   */
  find(codeHash: Uint8Array, reader: KeyValueReader, fallback?: () => Uint8Array): Uint8Array | undefined {
    if (equalBytes(codeHash, EMPTY_CODE_HASH)) return EMPTY_BYTES
    const name = bytesToHexUnprefixed(codeHash)
    const known = this.#cache.get(name)
    if (known !== undefined) return known
    const code = reader.get(keys.code(codeHash)) ?? fallback?.()
    if (code !== undefined) this.#cache.set(name, code, code.length)
    return code
  }
}
