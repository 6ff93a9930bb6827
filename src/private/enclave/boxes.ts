/**
 * Boxes of NaCl: X25519 key pairs, XSalsa20-Poly1305 under the key that two of them share, or under a random key.
 * @see https://cr.yp.to/highspeed/naclcrypto-20090310.pdf
 * @module
 */
import { hsalsa, xsalsa20poly1305 } from '@noble/ciphers/salsa.js'
import { x25519 } from '@noble/curves/ed25519.js'
import type { Random } from '../../base/ports/random.ts'
import { NodeError } from '../../base/primitives/errors.ts'

export const KEY_BYTES = 32
export const NONCE_BYTES = 24
/** Bytes that a box is longer than its content. */
export const BOX_OVERHEAD = 16

export interface KeyPair {
  /** 32 bytes */
  readonly publicKey: Uint8Array
  /** 32 bytes */
  readonly secretKey: Uint8Array
}

/** @param secretKey 32 bytes */
export function keyPairOf(secretKey: Uint8Array): KeyPair {
  return { publicKey: x25519.getPublicKey(secretKey), secretKey }
}

export function newKeyPair(random: Random): KeyPair {
  return keyPairOf(random.bytes(KEY_BYTES))
}

/** "expand 32-byte k" */
const SIGMA = Uint32Array.of(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574)
const ZEROS = new Uint32Array(4)

/**
 * The key of all boxes between two parties, the same for both.
 * @throws {NodeError} INVALID_ENCLAVE_KEY when the public key has another length or is a point of low order
 */
export function sharedBoxKey(secretKey: Uint8Array, publicKey: Uint8Array): Uint8Array {
  const agreed = words(agree(secretKey, publicKey))
  const key = new Uint32Array(8)
  hsalsa(SIGMA, agreed, ZEROS, key)
  return bytes(key)
}

function agree(secretKey: Uint8Array, publicKey: Uint8Array): Uint8Array {
  try {
    return x25519.getSharedSecret(secretKey, publicKey)
  } catch (cause) {
    throw new NodeError({ code: 'INVALID_ENCLAVE_KEY' }, 'the public key of an enclave is not valid', { cause })
  }
}

/** Words of hsalsa are little-endian on every host. */
function words(source: Uint8Array): Uint32Array {
  const view = new DataView(source.buffer, source.byteOffset, source.length)
  return Uint32Array.from({ length: source.length / 4 }, (_, i) => view.getUint32(4 * i, true))
}

function bytes(source: Uint32Array): Uint8Array {
  const result = new Uint8Array(4 * source.length)
  const view = new DataView(result.buffer)
  for (const [i, word] of source.entries()) view.setUint32(4 * i, word, true)
  return result
}

/** @param key 32 bytes @param nonce 24 bytes, used once with the key */
export function sealBox(key: Uint8Array, nonce: Uint8Array, content: Uint8Array): Uint8Array {
  return xsalsa20poly1305(key, nonce).encrypt(content)
}

/** @returns undefined when the box was not made with this key and nonce */
export function openBox(key: Uint8Array, nonce: Uint8Array, box: Uint8Array): Uint8Array | undefined {
  if (nonce.length !== NONCE_BYTES || key.length !== KEY_BYTES || box.length < BOX_OVERHEAD) return undefined
  try {
    return xsalsa20poly1305(key, nonce).decrypt(box)
  } catch {
    return undefined
  }
}
