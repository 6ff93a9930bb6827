/**
 * The two packets of the RLPx handshake. Each has two forms: the plain one of fixed length, and that of EIP-8 with a
 * length, an RLP body and padding.
 * @see devp2p, rlpx.md, "Initial Handshake"; EIP-8
 * @module
 */
import { MAX_RLPX_HANDSHAKE_BYTES } from '../../../base/limits/limits.ts'
import type { FrameCiphers } from '../../../base/ports/frameCipher.ts'
import type { Random } from '../../../base/ports/random.ts'
import type { Signer } from '../../../base/ports/signer.ts'
import { concatBytes, readUint, uintBytes } from '../../../base/primitives/bytes.ts'
import { isNodeError } from '../../../base/primitives/errors.ts'
import { rlpDecodeList, rlpEncode, rlpSpan } from '../../../base/primitives/rlp.ts'
import type { ByteQueue } from './byteQueue.ts'
import { ECIES_OVERHEAD, eciesDecrypt, eciesEncrypt, UNCOMPRESSED_KEY } from './ecies.ts'
import { invalidHandshake } from './errors.ts'

export type HandshakeForm = 'plain' | 'eip8'

/** The host's part of a handshake. */
export interface HandshakeHost {
  /** Holds the node key. */
  readonly signer: Signer
  readonly random: Random
  readonly ciphers: FrameCiphers
}

export interface AuthMessage {
  /** r ‖ s ‖ parity, 65 bytes, with the ephemeral key of the initiator. */
  readonly signature: Uint8Array
  /** Node id of the initiator, 64 bytes. */
  readonly publicKey: Uint8Array
  readonly nonce: Uint8Array
  /** Keccak-256 of the ephemeral key; only in the plain form. */
  readonly ephemeralKeyHash?: Uint8Array
}

export interface AckMessage {
  /** 64 bytes */
  readonly ephemeralKey: Uint8Array
  readonly nonce: Uint8Array
}

/** A packet that was read, with its bytes: the MACs begin with them. */
export interface HandshakePacket<T> {
  readonly form: HandshakeForm
  readonly message: T
  readonly bytes: Uint8Array
}

const SIGNATURE_BYTES = 65
const PUBLIC_KEY_BYTES = 64
const HASH_BYTES = 32
const SIZE_BYTES = 2
const VERSION = Uint8Array.of(4)
/** EIP-8 recommends 100 to 300 random bytes. */
const MIN_PADDING = 100
const PADDING_RANGE = 201

interface PacketKind<T> {
  readonly name: string
  /** Length of the plaintext of the plain form. */
  readonly plainBytes: number
  /** Lengths of the first RLP items. */
  readonly items: readonly number[]
  fromPlain(plaintext: Uint8Array): T
  fromItems(items: readonly Uint8Array[]): T
}

const AUTH: PacketKind<AuthMessage> = {
  name: 'auth',
  plainBytes: SIGNATURE_BYTES + HASH_BYTES + PUBLIC_KEY_BYTES + HASH_BYTES + 1,
  items: [SIGNATURE_BYTES, PUBLIC_KEY_BYTES, HASH_BYTES],
  fromPlain: (bytes) => ({
    signature: bytes.subarray(0, 65),
    ephemeralKeyHash: bytes.subarray(65, 97),
    publicKey: bytes.subarray(97, 161),
    nonce: bytes.subarray(161, 193),
  }),
  fromItems: ([signature, publicKey, nonce]) =>
    ({ signature, publicKey, nonce }) as { signature: Uint8Array; publicKey: Uint8Array; nonce: Uint8Array },
}

const ACK: PacketKind<AckMessage> = {
  name: 'ack',
  plainBytes: PUBLIC_KEY_BYTES + HASH_BYTES + 1,
  items: [PUBLIC_KEY_BYTES, HASH_BYTES],
  fromPlain: (bytes) => ({ ephemeralKey: bytes.subarray(0, 64), nonce: bytes.subarray(64, 96) }),
  fromItems: ([ephemeralKey, nonce]) => ({ ephemeralKey, nonce }) as { ephemeralKey: Uint8Array; nonce: Uint8Array },
}

/** @param recipient node id, 64 bytes @throws {NodeError} INVALID_PUBLIC_KEY */
export function encodeAuth(
  host: HandshakeHost,
  recipient: Uint8Array,
  form: HandshakeForm,
  message: Required<AuthMessage>,
): Uint8Array {
  const { signature, ephemeralKeyHash, publicKey, nonce } = message
  if (form === 'eip8') return encodeEip8(host, recipient, [signature, publicKey, nonce, VERSION])
  return eciesEncrypt(host, recipient, concatBytes(signature, ephemeralKeyHash, publicKey, nonce, Uint8Array.of(0)))
}

/** @param recipient node id, 64 bytes @throws {NodeError} INVALID_PUBLIC_KEY */
export function encodeAck(
  host: HandshakeHost,
  recipient: Uint8Array,
  form: HandshakeForm,
  { ephemeralKey, nonce }: AckMessage,
): Uint8Array {
  if (form === 'eip8') return encodeEip8(host, recipient, [ephemeralKey, nonce, VERSION])
  return eciesEncrypt(host, recipient, concatBytes(ephemeralKey, nonce, Uint8Array.of(0)))
}

function encodeEip8(host: HandshakeHost, recipient: Uint8Array, items: readonly Uint8Array[]): Uint8Array {
  const [high, low] = host.random.bytes(2) as unknown as [number, number]
  const padding = host.random.bytes(MIN_PADDING + ((high * 256 + low) % PADDING_RANGE))
  const body = concatBytes(rlpEncode(items), padding)
  const size = uintBytes(body.length + ECIES_OVERHEAD, SIZE_BYTES)
  return concatBytes(size, eciesEncrypt(host, recipient, body, size))
}

/** Reads one packet, which may arrive in pieces. */
export class PacketReader<T> {
  readonly #host: HandshakeHost
  readonly #kind: PacketKind<T>
  /** The decryption of the plain form is costly: it is tried once, when all of its bytes are there. */
  #isPlainTried = false

  constructor(host: HandshakeHost, kind: PacketKind<T>) {
    this.#host = host
    this.#kind = kind
  }

  /**
   * Removes the packet from received bytes. A plain packet begins with the first byte of an uncompressed key. A size of
   * EIP-8 from 1024 to 1279 begins with the same byte: then the plain form is tried first.
   * @returns undefined when more bytes are needed
   * @throws {NodeError} INVALID_HANDSHAKE
   */
  read(input: ByteQueue): HandshakePacket<T> | undefined {
    if (input.length < SIZE_BYTES) return undefined
    const size = readUint(input.peek(SIZE_BYTES), 0, SIZE_BYTES)
    if (size >>> 8 === UNCOMPRESSED_KEY && !this.#isPlainTried) {
      const length = this.#kind.plainBytes + ECIES_OVERHEAD
      if (input.length < length) return undefined
      this.#isPlainTried = true
      const plaintext = tryDecrypt(this.#host, input.peek(length))
      if (plaintext !== undefined)
        return { form: 'plain', message: this.#kind.fromPlain(plaintext), bytes: input.take(length) }
    }
    return readEip8(this.#host, input, this.#kind, size)
  }
}

export const authReader = (host: HandshakeHost): PacketReader<AuthMessage> => new PacketReader(host, AUTH)
export const ackReader = (host: HandshakeHost): PacketReader<AckMessage> => new PacketReader(host, ACK)

function readEip8<T>(
  host: HandshakeHost,
  input: ByteQueue,
  kind: PacketKind<T>,
  size: number,
): HandshakePacket<T> | undefined {
  const least = ECIES_OVERHEAD + kind.items.reduce((sum, length) => sum + length, 0)
  if (size < least || size + SIZE_BYTES > MAX_RLPX_HANDSHAKE_BYTES) {
    throw invalidHandshake(`an ${kind.name} packet of ${size} bytes`)
  }
  if (input.length < SIZE_BYTES + size) return undefined
  const bytes = input.take(SIZE_BYTES + size)
  const body = eciesDecrypt(host.ciphers, host.signer, bytes.subarray(SIZE_BYTES), bytes.subarray(0, SIZE_BYTES))
  return { form: 'eip8', message: kind.fromItems(itemsOf(body, kind)), bytes }
}

function tryDecrypt(host: HandshakeHost, message: Uint8Array): Uint8Array | undefined {
  try {
    return eciesDecrypt(host.ciphers, host.signer, message)
  } catch (error) {
    if (isNodeError(error, 'INVALID_HANDSHAKE')) return undefined
    throw error
  }
}

/** EIP-8: further items and the bytes after the list are ignored, as is the version. */
function itemsOf<T>(body: Uint8Array, { name, items }: PacketKind<T>): readonly Uint8Array[] {
  const list = decodeFirst(body, name)
  return items.map((length, index) => {
    const item = list[index]
    if (!(item instanceof Uint8Array) || item.length !== length) {
      throw invalidHandshake(`item ${index} of the ${name} body is not a string of ${length} bytes`)
    }
    return item
  })
}

function decodeFirst(body: Uint8Array, name: string): readonly unknown[] {
  try {
    const { end } = rlpSpan(body, 0)
    if (end <= body.length) return rlpDecodeList(body.subarray(0, end))
  } catch (error) {
    throw invalidHandshake(`the ${name} body is not an RLP list`, error)
  }
  throw invalidHandshake(`the RLP list of the ${name} body is cut off`)
}
