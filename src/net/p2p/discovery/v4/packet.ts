/**
 * Packets of Node Discovery v4: hash ‖ signature ‖ type ‖ data.
 * @see devp2p, discv4.md
 * @module
 */
import type { Signer } from '../../../../base/ports/signer.ts'
import { concatBytes, equalBytes } from '../../../../base/primitives/bytes.ts'
import { keccak256 } from '../../../../base/primitives/keccak.ts'
import { recoverPublicKey } from '../../../../base/primitives/secp256k1.ts'
import { decodeMessage, encodeMessage, type Message } from './messages.ts'

/** Largest packet that is sent. */
export const MAX_SENT_BYTES = 1280
/** Larger packets are dropped; Besu's limit. */
const MAX_RECEIVED_BYTES = 1600
const HASH_BYTES = 32
const SIGNATURE_END = HASH_BYTES + 65
export const HEADER_BYTES: number = SIGNATURE_END + 1

/** A packet whose hash is correct and whose message is well-formed; the sender is not known yet. */
export interface UnverifiedPacket {
  readonly hash: Uint8Array
  readonly message: Message
  readonly bytes: Uint8Array
}

export interface SignedPacket {
  readonly hash: Uint8Array
  readonly bytes: Uint8Array
}

export function createPacket(signer: Signer, message: Message): SignedPacket {
  const { type, data } = encodeMessage(message)
  const typeAndData = concatBytes(Uint8Array.of(type), data)
  const { signature, yParity } = signer.sign(keccak256(typeAndData))
  const signedData = concatBytes(signature, Uint8Array.of(yParity), typeAndData)
  const hash = keccak256(signedData)
  return { hash, bytes: concatBytes(hash, signedData) }
}

/** Whether a datagram belongs to this protocol. Packets of version 5 have no such hash. */
export function isPacket(bytes: Uint8Array): boolean {
  return (
    bytes.length > HEADER_BYTES &&
    bytes.length <= MAX_RECEIVED_BYTES &&
    equalBytes(bytes.subarray(0, HASH_BYTES), keccak256(bytes.subarray(HASH_BYTES)))
  )
}

/**
 * Reads a packet without verifying its signature, which is the costly part.
 * @param bytes for which {@link isPacket} holds
 * @returns undefined for an unknown type, an invalid message, or a signature whose last byte is impossible
 */
export function readPacket(bytes: Uint8Array): UnverifiedPacket | undefined {
  if ((bytes[SIGNATURE_END - 1] as number) > 1) return undefined
  const message = decodeMessage(bytes[SIGNATURE_END] as number, bytes.subarray(HEADER_BYTES))
  return message && { hash: bytes.subarray(0, HASH_BYTES), message, bytes }
}

/** @returns the public key of the sender, 64 bytes; undefined when the signature is invalid */
export function senderOf({ bytes }: UnverifiedPacket): Uint8Array | undefined {
  return recoverPublicKey(
    keccak256(bytes.subarray(SIGNATURE_END)),
    bytes.subarray(HASH_BYTES, SIGNATURE_END - 1),
    bytes[SIGNATURE_END - 1] === 1 ? 1 : 0,
  )
}
