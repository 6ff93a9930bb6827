/**
 * The primitives of RLPx on Node, Deno and Bun.
 * @module
 */
import { createCipheriv } from 'node:crypto'
import type { BlockCipher, FrameCiphers, StreamCipher } from '../../../src/base/ports/frameCipher.ts'
import { runningKeccak256 } from '../../../src/net/p2p/rlpx/portableKeccak.ts'
import { loadRunningKeccak256 } from '../../shared/runningKeccak.ts'

/** AES of the host, and Keccak-256 in JavaScript. */
export const nodeFrameCiphers: FrameCiphers = {
  counterMode(key, counter): StreamCipher {
    const cipher = createCipheriv(`aes-${key.length === 16 ? 128 : 256}-ctr`, key, counter)
    return { apply: (bytes) => bytes.set(cipher.update(bytes)) }
  },
  blockCipher(key): BlockCipher {
    const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
    return { encrypt: (block) => new Uint8Array(cipher.update(block)) }
  },
  runningKeccak256,
}

/** AES of the host, and the fastest Keccak-256 that works on it. */
export async function loadNodeFrameCiphers(): Promise<FrameCiphers> {
  try {
    return { ...nodeFrameCiphers, runningKeccak256: await loadRunningKeccak256() }
  } catch {
    return nodeFrameCiphers
  }
}
