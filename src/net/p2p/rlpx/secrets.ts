import type { FrameCiphers, RunningHash } from '../../../base/ports/frameCipher.ts'
import { concatBytes } from '../../../base/primitives/bytes.ts'
import { keccak256 } from '../../../base/primitives/keccak.ts'

/** The keys of a connection, and the MAC states of its two directions. */
export interface FrameSecrets {
  /** 32 bytes */
  readonly aes: Uint8Array
  /** 32 bytes */
  readonly mac: Uint8Array
  /** MAC state of the bytes that this side sends. */
  readonly egress: RunningHash
  /** MAC state of the bytes that the peer sends. */
  readonly ingress: RunningHash
}

/** The secrets that both sides share after the handshake. */
export interface HandshakeTranscript {
  /** ECDH of the ephemeral keys, 32 bytes. */
  readonly ephemeralSecret: Uint8Array
  readonly initiatorNonce: Uint8Array
  readonly responderNonce: Uint8Array
  /** The packets as sent, with the size of EIP-8. */
  readonly auth: Uint8Array
  readonly ack: Uint8Array
}

/** @see devp2p, rlpx.md, "Initial Handshake" and "MAC" */
export function deriveSecrets(
  ciphers: FrameCiphers,
  side: 'initiator' | 'responder',
  { ephemeralSecret, initiatorNonce, responderNonce, auth, ack }: HandshakeTranscript,
): FrameSecrets {
  const sharedSecret = keccak256(concatBytes(ephemeralSecret, keccak256(concatBytes(responderNonce, initiatorNonce))))
  const aes = keccak256(concatBytes(ephemeralSecret, sharedSecret))
  const mac = keccak256(concatBytes(ephemeralSecret, aes))
  const fromInitiator = ciphers.runningKeccak256()
  fromInitiator.update(xorBytes(mac, responderNonce))
  fromInitiator.update(auth)
  const fromResponder = ciphers.runningKeccak256()
  fromResponder.update(xorBytes(mac, initiatorNonce))
  fromResponder.update(ack)
  return side === 'initiator'
    ? { aes, mac, egress: fromInitiator, ingress: fromResponder }
    : { aes, mac, egress: fromResponder, ingress: fromInitiator }
}

/** @returns new bytes of the length of `a` */
export function xorBytes(a: Uint8Array, b: Uint8Array): Uint8Array {
  const result = a.slice()
  for (let i = 0; i < result.length; i++) result[i] = (result[i] as number) ^ (b[i] as number)
  return result
}
