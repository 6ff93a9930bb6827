/**
 * Keccak-256 of the module, for the whole process.
 * @module
 */

import { INITIAL_NATIVE_KECCAK_BYTES, MAX_NATIVE_KECCAK_BYTES } from '../../base/limits/limits.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import { type Keccak256, type Keccak256Into, portableKeccak256 } from '../../base/primitives/keccak.ts'
import { STATE_SEED_BYTES } from './assembly/layout.ts'
import { NativeInstance } from './instance.ts'

const DIGEST_BYTES = 32

export interface NativeKeccak {
  readonly hash: Keccak256
  readonly hashInto: Keccak256Into
}

/**
 * Hashes in a dedicated instance, whose memory grows with the longest input. Input above MAX_NATIVE_KECCAK_BYTES, or
 * for which no memory is available, is hashed by the portable implementation.
 */
export function createNativeKeccak(module: WebAssembly.Module): NativeKeccak {
  const instance = new NativeInstance(module, new Uint8Array(STATE_SEED_BYTES))
  let digest = 0
  let input = 0
  let capacity = 0

  function reserve(bytes: number): void {
    instance.reset()
    digest = instance.allocate(DIGEST_BYTES)
    input = instance.allocate(bytes)
    capacity = bytes
  }

  /** @returns whether the input now fits */
  function grow(bytes: number): boolean {
    if (bytes > MAX_NATIVE_KECCAK_BYTES) return false
    try {
      reserve(bytes)
      return true
    } catch (error) {
      if (isNodeError(error, 'EXECUTION_OUT_OF_MEMORY')) return false
      throw error
    }
  }

  /** @returns whether the memory sufficed; the hash is then at `digest` */
  function hashed(data: Uint8Array): boolean {
    const { length } = data
    if (length > capacity && !grow(length)) return false
    instance.write(input, data)
    instance.keccak256(input, length, digest)
    return true
  }

  reserve(INITIAL_NATIVE_KECCAK_BYTES)
  return {
    hash: (data) => (hashed(data) ? instance.bytes.slice(digest, digest + DIGEST_BYTES) : portableKeccak256(data)),
    hashInto: (data, out, at) => {
      if (!hashed(data)) {
        out.set(portableKeccak256(data), at)
        return
      }
      const { bytes } = instance
      for (let i = 0; i < DIGEST_BYTES; i++) out[at + i] = bytes[digest + i] as number
    },
  }
}
