/**
 * Keccak-256 of the module, for the whole process.
 * @module
 */

import { INITIAL_NATIVE_KECCAK_BYTES, MAX_NATIVE_KECCAK_BYTES } from '../../base/limits/limits.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import { type Keccak256, portableKeccak256 } from '../../base/primitives/keccak.ts'
import { STATE_SEED_BYTES } from './assembly/layout.ts'
import { NativeInstance } from './instance.ts'

const DIGEST_BYTES = 32

/**
 * Hashes in a dedicated instance, whose memory grows with the longest input. Input above MAX_NATIVE_KECCAK_BYTES, or
 * for which no memory is available, is hashed by the portable implementation.
 */
export function createNativeKeccak(module: WebAssembly.Module): Keccak256 {
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

  reserve(INITIAL_NATIVE_KECCAK_BYTES)
  return (data) => {
    const { length } = data
    if (length > capacity && !grow(length)) return portableKeccak256(data)
    const { bytes } = instance
    bytes.set(data, input)
    instance.keccak256(input, length, digest)
    return bytes.slice(digest, digest + DIGEST_BYTES)
  }
}
