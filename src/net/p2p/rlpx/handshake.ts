/**
 * The RLPx handshake, bytes in and bytes out: each side proves its node key, and both derive the secrets of the frames.
 * @see devp2p, rlpx.md, "Initial Handshake"; EIP-8
 * @module
 */
import { createSigner } from '../../../base/ports/keySigner.ts'
import type { Signer } from '../../../base/ports/signer.ts'
import { concatBytes, equalBytes } from '../../../base/primitives/bytes.ts'
import { keccak256 } from '../../../base/primitives/keccak.ts'
import { recoverPublicKey } from '../../../base/primitives/secp256k1.ts'
import type { ByteQueue } from './byteQueue.ts'
import { agreeWith } from './ecies.ts'
import { invalidHandshake } from './errors.ts'
import {
  type AuthMessage,
  ackReader,
  authReader,
  encodeAck,
  encodeAuth,
  type HandshakeForm,
  type HandshakeHost,
} from './handshakePackets.ts'
import { deriveSecrets, type FrameSecrets, xorBytes } from './secrets.ts'

const NONCE_BYTES = 32

export interface HandshakeResult {
  /** Node id of the peer, 64 bytes; the peer has proved that it holds the key. */
  readonly remoteId: Uint8Array
  readonly secrets: FrameSecrets
  /** The ack packet, which a responder must send before any frame. */
  readonly reply: Uint8Array | undefined
}

export interface Handshake {
  /** The auth packet, which an initiator sends first. */
  readonly opening: Uint8Array | undefined
  /**
   * Reads the packet of the peer. Bytes that follow it remain in the queue.
   * @returns undefined when more bytes are needed
   * @throws {NodeError} INVALID_HANDSHAKE
   */
  read(input: ByteQueue): HandshakeResult | undefined
}

/**
 * @param remoteId node id of the peer, 64 bytes
 * @throws {NodeError} INVALID_PUBLIC_KEY when `remoteId` is not a point of the curve
 */
export function initiateHandshake(
  host: HandshakeHost,
  remoteId: Uint8Array,
  form: HandshakeForm = 'eip8',
): Handshake & { readonly opening: Uint8Array } {
  const ephemeral = createSigner(host.random)
  const initiatorNonce = host.random.bytes(NONCE_BYTES)
  const { signature, yParity } = ephemeral.sign(xorBytes(host.signer.agree(remoteId), initiatorNonce))
  const auth = encodeAuth(host, remoteId, form, {
    signature: concatBytes(signature, Uint8Array.of(yParity)),
    ephemeralKeyHash: keccak256(ephemeral.publicKey),
    publicKey: host.signer.publicKey,
    nonce: initiatorNonce,
  })
  const reader = ackReader(host)
  return {
    opening: auth,
    read(input) {
      const ack = reader.read(input)
      if (ack === undefined) return undefined
      const { ephemeralKey, nonce: responderNonce } = ack.message
      const ephemeralSecret = agreeWith(ephemeral, ephemeralKey)
      const transcript = { ephemeralSecret, initiatorNonce, responderNonce, auth, ack: ack.bytes }
      return { remoteId, secrets: deriveSecrets(host.ciphers, 'initiator', transcript), reply: undefined }
    },
  }
}

/** Answers in the form of the initiator's packet. */
export function awaitHandshake(host: HandshakeHost): Handshake {
  const reader = authReader(host)
  return {
    opening: undefined,
    read(input) {
      const auth = reader.read(input)
      if (auth === undefined) return undefined
      const remoteEphemeralKey = ephemeralKeyOf(host.signer, auth.message)
      const ephemeral = createSigner(host.random)
      const responderNonce = host.random.bytes(NONCE_BYTES)
      const message = { ephemeralKey: ephemeral.publicKey, nonce: responderNonce }
      const remoteId = auth.message.publicKey.slice()
      const ack = encodeAck(host, remoteId, auth.form, message)
      const ephemeralSecret = agreeWith(ephemeral, remoteEphemeralKey)
      const initiatorNonce = auth.message.nonce
      const transcript = { ephemeralSecret, initiatorNonce, responderNonce, auth: auth.bytes, ack }
      return { remoteId, secrets: deriveSecrets(host.ciphers, 'responder', transcript), reply: ack }
    },
  }
}

/**
 * The initiator signs the shared secret of the static keys, so the signature both proves its node key and reveals its
 * ephemeral key.
 */
function ephemeralKeyOf(signer: Signer, { signature, publicKey, nonce, ephemeralKeyHash }: AuthMessage): Uint8Array {
  const parity = signature[64] as number
  if (parity > 1) throw invalidHandshake(`signature with recovery id ${parity}`)
  const hash = xorBytes(agreeWith(signer, publicKey), nonce)
  const ephemeralKey = recoverPublicKey(hash, signature.subarray(0, 64), parity as 0 | 1)
  if (ephemeralKey === undefined) throw invalidHandshake('invalid signature')
  if (ephemeralKeyHash !== undefined && !equalBytes(keccak256(ephemeralKey), ephemeralKeyHash)) {
    throw invalidHandshake('the signature is not by the announced ephemeral key')
  }
  return ephemeralKey
}
