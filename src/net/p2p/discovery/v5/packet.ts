/**
 * Packets of Node Discovery v5.1: a masked header and an encrypted message.
 * @see devp2p, discv5-wire.md, "Packet Encoding"
 * @module
 */
import { ctr, gcm } from '@noble/ciphers/aes.js'
import { bytesToBigInt, concatBytes, equalBytes, writeUint } from '../../../../base/primitives/bytes.ts'

const MAX_PACKET_BYTES = 1280
const MIN_PACKET_BYTES = 63
const IV_BYTES = 16
const NODE_ID_BYTES = 32
export const NONCE_BYTES = 12
export const ID_NONCE_BYTES = 16
const PROTOCOL: Uint8Array = new TextEncoder().encode('discv5')
const VERSION = 1
const VERSION_AT = 6
const FLAG_AT = 8
const NONCE_AT = 9
const SIZE_AT = 21
const STATIC_BYTES = 23
const WHO_ARE_YOU_BYTES = 24
const HANDSHAKE_HEAD_BYTES = 34
const SIGNATURE_BYTES = 64
const KEY_BYTES = 33

export type HeaderV5 = { readonly nonce: Uint8Array } & (
  | { readonly kind: 'message'; readonly source: Uint8Array }
  | { readonly kind: 'whoAreYou'; readonly idNonce: Uint8Array; readonly enrSeq: bigint }
  | {
      readonly kind: 'handshake'
      readonly source: Uint8Array
      /** 64 bytes */
      readonly signature: Uint8Array
      /** Compressed, 33 bytes. */
      readonly ephemeralKey: Uint8Array
      /** Encoded record, not verified; empty when it was omitted. */
      readonly record: Uint8Array
    }
)

export interface PacketV5 {
  readonly header: HeaderV5
  /** masking-iv ‖ header: the authenticated data of the message, and the challenge data of WHOAREYOU. */
  readonly authenticated: Uint8Array
  /** Encrypted; empty in WHOAREYOU. */
  readonly message: Uint8Array
}

const FLAGS = ['message', 'whoAreYou', 'handshake'] as const

function headerBytes(header: HeaderV5): Uint8Array {
  const authData = authDataOf(header)
  const bytes = new Uint8Array(STATIC_BYTES + authData.length)
  bytes.set(PROTOCOL)
  writeUint(bytes, VERSION_AT, VERSION, 2)
  bytes[FLAG_AT] = FLAGS.indexOf(header.kind)
  bytes.set(header.nonce, NONCE_AT)
  writeUint(bytes, SIZE_AT, authData.length, 2)
  bytes.set(authData, STATIC_BYTES)
  return bytes
}

function authDataOf(header: HeaderV5): Uint8Array {
  if (header.kind === 'message') return header.source
  if (header.kind === 'whoAreYou') {
    const seq = new Uint8Array(8)
    new DataView(seq.buffer).setBigUint64(0, header.enrSeq)
    return concatBytes(header.idNonce, seq)
  }
  const { source, signature, ephemeralKey, record } = header
  return concatBytes(source, Uint8Array.of(signature.length, ephemeralKey.length), signature, ephemeralKey, record)
}

/** A packet without its message, which is encrypted with `authenticated`. */
export interface UnsealedPacket {
  readonly authenticated: Uint8Array
  /** Masking-iv and masked header. */
  readonly start: Uint8Array
}

/** @param destination node id, 32 bytes @param iv 16 random bytes */
export function maskHeader(destination: Uint8Array, iv: Uint8Array, header: HeaderV5): UnsealedPacket {
  const plain = headerBytes(header)
  const masked = ctr(destination.subarray(0, IV_BYTES), iv).encrypt(plain)
  return { authenticated: concatBytes(iv, plain), start: concatBytes(iv, masked) }
}

export function sealMessage(
  key: Uint8Array,
  nonce: Uint8Array,
  plain: Uint8Array,
  authenticated: Uint8Array,
): Uint8Array {
  return gcm(key, nonce, authenticated).encrypt(plain)
}

/** @returns undefined when the message was not encrypted with this key */
export function openMessage(
  key: Uint8Array,
  nonce: Uint8Array,
  message: Uint8Array,
  authenticated: Uint8Array,
): Uint8Array | undefined {
  try {
    return gcm(key, nonce, authenticated).decrypt(message)
  } catch {
    return undefined
  }
}

/**
 * Unmasks a packet.
 * @param self id of this node, 32 bytes
 * @returns undefined when it is not a packet of this protocol for this node
 */
export function readPacketV5(self: Uint8Array, bytes: Uint8Array): PacketV5 | undefined {
  if (bytes.length < MIN_PACKET_BYTES || bytes.length > MAX_PACKET_BYTES) return undefined
  const plain = ctr(self.subarray(0, IV_BYTES), bytes.subarray(0, IV_BYTES)).decrypt(bytes.subarray(IV_BYTES))
  if (!equalBytes(plain.subarray(0, PROTOCOL.length), PROTOCOL)) return undefined
  const view = new DataView(plain.buffer, plain.byteOffset)
  const end = STATIC_BYTES + view.getUint16(SIZE_AT)
  if (view.getUint16(VERSION_AT) !== VERSION || end > plain.length) return undefined
  const message = bytes.subarray(IV_BYTES + end)
  const header = decodeHeader(plain, plain.subarray(STATIC_BYTES, end), message.length)
  return header && { header, authenticated: concatBytes(bytes.subarray(0, IV_BYTES), plain.subarray(0, end)), message }
}

function decodeHeader(plain: Uint8Array, authData: Uint8Array, messageLength: number): HeaderV5 | undefined {
  const nonce = plain.slice(NONCE_AT, SIZE_AT)
  const source = authData.slice(0, NODE_ID_BYTES)
  switch (FLAGS[plain[FLAG_AT] as number]) {
    case 'message':
      return authData.length === NODE_ID_BYTES ? { kind: 'message', nonce, source } : undefined
    case 'whoAreYou':
      if (authData.length !== WHO_ARE_YOU_BYTES || messageLength > 0) return undefined
      return {
        kind: 'whoAreYou',
        nonce,
        idNonce: authData.slice(0, ID_NONCE_BYTES),
        enrSeq: bytesToBigInt(authData.subarray(ID_NONCE_BYTES)),
      }
    case 'handshake': {
      const [keyAt, recordAt] = [
        HANDSHAKE_HEAD_BYTES + SIGNATURE_BYTES,
        HANDSHAKE_HEAD_BYTES + SIGNATURE_BYTES + KEY_BYTES,
      ]
      if (authData.length < recordAt || authData[32] !== SIGNATURE_BYTES || authData[33] !== KEY_BYTES) return undefined
      const signature = authData.slice(HANDSHAKE_HEAD_BYTES, keyAt)
      return {
        kind: 'handshake',
        nonce,
        source,
        signature,
        ephemeralKey: authData.slice(keyAt, recordAt),
        record: authData.slice(recordAt),
      }
    }
    default:
      return undefined
  }
}
