import { keccak_256 } from '@noble/hashes/sha3.js'
import type { RunningHash } from '../../../base/ports/frameCipher.ts'

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
