/**
 * Elliptic Curve Integrated Encryption Scheme, as RLPx uses it: secp256k1, NIST SP 800-56 concatenation KDF with SHA-256,
 * AES-128 in counter mode, HMAC-SHA-256. A message is `04 ‖ ephemeral key 64 ‖ counter 16 ‖ ciphertext ‖ tag 32`.
 * @see devp2p, rlpx.md, "ECIES Encryption"
 * @module
 */
import { hmac } from '@noble/hashes/hmac.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { FrameCiphers } from '../../../base/ports/frameCipher.ts'
import { createSigner } from '../../../base/ports/keySigner.ts'
import type { Random } from '../../../base/ports/random.ts'
import type { Signer } from '../../../base/ports/signer.ts'
import { concatBytes, EMPTY_BYTES } from '../../../base/primitives/bytes.ts'
import { uncompressedKey } from '../../../base/primitives/secp256k1.ts'
import { invalidHandshake } from './errors.ts'

const KEY_BYTES = 65
const COUNTER_BYTES = 16
const TAG_BYTES = 32
/** Bytes that the encryption adds. */
export const ECIES_OVERHEAD: number = KEY_BYTES + COUNTER_BYTES + TAG_BYTES
/** First byte of every message: an uncompressed key follows. */
export const UNCOMPRESSED_KEY = 0x04

const KDF_COUNTER = Uint8Array.of(0, 0, 0, 1)

interface EciesKeys {
  readonly encryption: Uint8Array
  readonly authentication: Uint8Array
}

/**
 * @param publicKey of the recipient, 64 bytes
 * @param authenticated data that the tag covers but the message omits
 * @returns the message, {@link ECIES_OVERHEAD} bytes longer than the plaintext
 * @throws {NodeError} INVALID_PUBLIC_KEY
 */
export function eciesEncrypt(
  host: { readonly ciphers: FrameCiphers; readonly random: Random },
  publicKey: Uint8Array,
  plaintext: Uint8Array,
  authenticated: Uint8Array = EMPTY_BYTES,
): Uint8Array {
  const ephemeral = createSigner(host.random)
  const keys = deriveKeys(ephemeral.agree(publicKey))
  const counter = host.random.bytes(COUNTER_BYTES)
  const ciphertext = plaintext.slice()
  host.ciphers.counterMode(keys.encryption, counter).apply(ciphertext)
  const tag = hmac(sha256, keys.authentication, concatBytes(counter, ciphertext, authenticated))
  return concatBytes(uncompressedKey(ephemeral.publicKey), counter, ciphertext, tag)
}

/**
 * @param signer holds the recipient's key
 * @returns the plaintext
 * @throws {NodeError} INVALID_HANDSHAKE when the message is too short, its key is not a point, or its tag is wrong
 */
export function eciesDecrypt(
  ciphers: FrameCiphers,
  signer: Signer,
  message: Uint8Array,
  authenticated: Uint8Array = EMPTY_BYTES,
): Uint8Array {
  if (message.length < ECIES_OVERHEAD) throw invalidHandshake(`ciphertext of only ${message.length} bytes`)
  if (message[0] !== UNCOMPRESSED_KEY) throw invalidHandshake('the ciphertext does not begin with a public key')
  const keys = deriveKeys(agreeWith(signer, message.subarray(1, KEY_BYTES)))
  const tagOffset = message.length - TAG_BYTES
  const body = message.subarray(KEY_BYTES, tagOffset)
  const tag = hmac(sha256, keys.authentication, concatBytes(body, authenticated))
  if (!equalInConstantTime(tag, message.subarray(tagOffset))) throw invalidHandshake('wrong tag')
  const plaintext = body.slice(COUNTER_BYTES)
  ciphers.counterMode(keys.encryption, body.slice(0, COUNTER_BYTES)).apply(plaintext)
  return plaintext
}

/**
 * ECDH with a key that a peer has sent.
 * @throws {NodeError} INVALID_HANDSHAKE when it is not a point of the curve
 */
export function agreeWith(signer: Signer, publicKey: Uint8Array): Uint8Array {
  try {
    return signer.agree(publicKey)
  } catch (error) {
    throw invalidHandshake('the public key is not a point of secp256k1', error)
  }
}

/** Whether both are equal, in a time that does not depend on the position of a difference. */
export function equalInConstantTime(a: Uint8Array, b: Uint8Array): boolean {
  let difference = a.length ^ b.length
  for (let i = 0; i < a.length; i++) difference |= (a[i] as number) ^ (b[i] ?? 0)
  return difference === 0
}

function deriveKeys(sharedSecret: Uint8Array): EciesKeys {
  const derivedKeys = sha256(concatBytes(KDF_COUNTER, sharedSecret))
  return { encryption: derivedKeys.slice(0, 16), authentication: sha256(derivedKeys.subarray(16)) }
}
