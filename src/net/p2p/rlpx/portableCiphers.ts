import { unsafe } from '@noble/ciphers/aes.js'
import type { BlockCipher, FrameCiphers, StreamCipher } from '../../../base/ports/frameCipher.ts'
import { runningKeccak256 } from './portableKeccak.ts'

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
