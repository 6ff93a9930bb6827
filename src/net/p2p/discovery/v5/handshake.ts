/**
 * Keys and proofs of the handshake under the identity scheme v4.
 * @see devp2p, discv5-theory.md, "Handshake Steps"
 * @module
 */
import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import type { Signer } from '../../../../base/ports/signer.ts'
import { concatBytes } from '../../../../base/primitives/bytes.ts'
import {
  compressedKey,
  decompressedKey,
  publicKeyOf,
  sharedPoint,
  signerOf,
} from '../../../../base/primitives/secp256k1.ts'

/** Keys of a session: of the node that began the handshake, and of the other one. 16 bytes each. */
export interface SessionKeys {
  readonly initiator: Uint8Array
  readonly recipient: Uint8Array
}

const AGREEMENT: Uint8Array = new TextEncoder().encode('discovery v5 key agreement')
const IDENTITY_PROOF: Uint8Array = new TextEncoder().encode('discovery v5 identity proof')
const AES_KEY_BYTES = 16

/** @param secret the shared point, 33 bytes @param initiator, recipient node ids */
function deriveKeys(
  secret: Uint8Array,
  challenge: Uint8Array,
  initiator: Uint8Array,
  recipient: Uint8Array,
): SessionKeys {
  const data = hkdf(sha256, secret, challenge, concatBytes(AGREEMENT, initiator, recipient), 2 * AES_KEY_BYTES)
  return { initiator: data.slice(0, AES_KEY_BYTES), recipient: data.slice(AES_KEY_BYTES) }
}

/**
 * Keys on the side that began the handshake.
 * @param ephemeralKey private, 32 bytes
 * @param publicKey of the recipient, 64 bytes
 * @returns undefined for an invalid key
 */
export function initiatorKeys(
  ephemeralKey: Uint8Array,
  publicKey: Uint8Array,
  challenge: Uint8Array,
  initiator: Uint8Array,
  recipient: Uint8Array,
): SessionKeys | undefined {
  const secret = sharedPoint(ephemeralKey, publicKey)
  return secret && deriveKeys(secret, challenge, initiator, recipient)
}

/**
 * Both possible keys on the other side: a signer computes only the x coordinate of the shared point, so the one
 * that decrypts the message is the right one.
 * @param ephemeralKey compressed, 33 bytes
 * @returns empty for an invalid key
 */
export function recipientKeys(
  signer: Signer,
  ephemeralKey: Uint8Array,
  challenge: Uint8Array,
  initiator: Uint8Array,
  recipient: Uint8Array,
): SessionKeys[] {
  const publicKey = decompressedKey(ephemeralKey)
  if (publicKey === undefined) return []
  const x = signer.agree(publicKey)
  return [2, 3].map((sign) => deriveKeys(concatBytes(Uint8Array.of(sign), x), challenge, initiator, recipient))
}

const proofHash = (challenge: Uint8Array, ephemeralKey: Uint8Array, recipient: Uint8Array): Uint8Array =>
  sha256(concatBytes(IDENTITY_PROOF, challenge, ephemeralKey, recipient))

/** @param ephemeralKey compressed @param recipient node id @returns r ‖ s, 64 bytes */
export function proveIdentity(
  signer: Signer,
  challenge: Uint8Array,
  ephemeralKey: Uint8Array,
  recipient: Uint8Array,
): Uint8Array {
  return signer.sign(proofHash(challenge, ephemeralKey, recipient)).signature
}

/** @param publicKey of the node that began, 64 bytes */
export function isIdentityProven(
  signature: Uint8Array,
  publicKey: Uint8Array,
  challenge: Uint8Array,
  ephemeralKey: Uint8Array,
  recipient: Uint8Array,
): boolean {
  return signerOf(proofHash(challenge, ephemeralKey, recipient), signature, compressedKey(publicKey)) !== undefined
}

/** @param privateKey 32 bytes @returns compressed, 33 bytes */
export function ephemeralPublicKey(privateKey: Uint8Array): Uint8Array {
  return compressedKey(publicKeyOf(privateKey))
}
