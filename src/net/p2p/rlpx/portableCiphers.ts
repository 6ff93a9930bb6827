import { unsafe } from '@noble/ciphers/aes.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import type { BlockCipher, FrameCiphers, RunningHash, StreamCipher } from '../../../base/ports/frameCipher.ts'

/** The primitives of RLPx in JavaScript, for hosts without faster ones. */
export const portableCiphers: FrameCiphers = {
  counterMode(key, counter): StreamCipher {
    const roundKeys = unsafe.expandKeyLE(key)
    // Advanced by the library; a copy is aligned as it requires.
    const position = counter.slice()
    return {
      apply(bytes) {
        if ((bytes.byteOffset & 3) === 0) {
          unsafe.ctrCounter(roundKeys, position, bytes, bytes)
          return
        }
        const aligned = bytes.slice()
        unsafe.ctrCounter(roundKeys, position, aligned, aligned)
        bytes.set(aligned)
      },
    }
  },
  blockCipher(key): BlockCipher {
    const roundKeys = unsafe.expandKeyLE(key)
    return { encrypt: (block) => unsafe.encryptBlock(roundKeys, block.slice()) }
  },
  runningKeccak256,
}

/** Keccak-256 in JavaScript, for hosts whose own cryptography lacks it. */
export function runningKeccak256(): RunningHash {
  const state = keccak_256.create()
  // The digest consumes a state, so it is computed from a copy.
  const copy = state.clone()
  return {
    update: (bytes) => void state.update(bytes),
    digest() {
      state._cloneInto(copy)
      return copy.digest()
    },
  }
}
