/**
 * Frames: `header 16 ‖ header tag 16 ‖ body, padded to 16 ‖ body tag 16`. The header is the size of the body (24 bits) and
 * unused data. Each direction is one continuous keystream of AES-256 in counter mode.
 * @see devp2p, rlpx.md, "Framing"
 * @module
 */
import { MAX_RLPX_FRAME_BYTES } from '../../../base/limits/limits.ts'
import type { FrameCiphers, StreamCipher } from '../../../base/ports/frameCipher.ts'
import { concatBytes, readUint, writeUint } from '../../../base/primitives/bytes.ts'
import type { ByteQueue } from './byteQueue.ts'
import { equalInConstantTime } from './ecies.ts'
import { invalidFrame } from './errors.ts'
import { BLOCK_BYTES, FrameMac, TAG_BYTES } from './frameMac.ts'
import type { FrameSecrets } from './secrets.ts'

const HEADER_BYTES: number = BLOCK_BYTES + TAG_BYTES
const SIZE_BYTES = 3
/** Shorter parts of a body wait for more. */
const MIN_PART_BYTES = 65_536
/** RLP of the capability id and context id of the header, which are unused: `[0, 0]`. */
const HEADER_DATA = Uint8Array.of(0xc2, 0x80, 0x80)

/** Encrypts the frames that this side sends. */
export class FrameWriter {
  readonly #cipher: StreamCipher
  readonly #mac: FrameMac

  constructor(ciphers: FrameCiphers, secrets: FrameSecrets) {
    this.#cipher = ciphers.counterMode(secrets.aes, new Uint8Array(BLOCK_BYTES))
    this.#mac = new FrameMac(secrets.egress, ciphers.blockCipher(secrets.mac))
  }

  /**
   * @param parts the body, 1 to MAX_RLPX_FRAME_BYTES in total
   * @returns the frame, to be sent in the order of the calls
   * @throws {RangeError} when the body does not fit in a frame
   */
  write(...parts: readonly Uint8Array[]): Uint8Array {
    const size = parts.reduce((sum, part) => sum + part.length, 0)
    if (size === 0 || size > MAX_RLPX_FRAME_BYTES) throw new RangeError(`parts: a frame cannot hold ${size} bytes`)
    const end = HEADER_BYTES + padded(size)
    const frame = new Uint8Array(end + TAG_BYTES)
    const header = frame.subarray(0, BLOCK_BYTES)
    writeUint(header, 0, size, SIZE_BYTES)
    header.set(HEADER_DATA, SIZE_BYTES)
    this.#cipher.apply(header)
    frame.set(this.#mac.headerTag(header), BLOCK_BYTES)
    let at = HEADER_BYTES
    for (const part of parts) {
      frame.set(part, at)
      at += part.length
    }
    const body = frame.subarray(HEADER_BYTES, end)
    this.#cipher.apply(body)
    this.#mac.addBody(body)
    frame.set(this.#mac.bodyTag(), end)
    return frame
  }
}

/**
 * Verifies and decrypts the frames of the peer. The parts of a long body are hashed and decrypted as they arrive, not all in
 * one turn of the event loop; the body is returned when its tag is right.
 */
export class FrameReader {
  readonly #cipher: StreamCipher
  readonly #mac: FrameMac
  /** Size of the body that follows; undefined: a header follows. */
  #size: number | undefined
  /** The received parts of the body, decrypted. */
  #parts: Uint8Array[] = []
  #partBytes = 0

  constructor(ciphers: FrameCiphers, secrets: FrameSecrets) {
    this.#cipher = ciphers.counterMode(secrets.aes, new Uint8Array(BLOCK_BYTES))
    this.#mac = new FrameMac(secrets.ingress, ciphers.blockCipher(secrets.mac))
  }

  /**
   * Removes one frame from received bytes, which may end anywhere. Reserves no memory for bytes that have not arrived.
   * @param maxBytes a larger body is refused when its header has been read
   * @returns the body without padding, owned by the caller; undefined when more bytes are needed
   * @throws {NodeError} INVALID_FRAME; nothing more can be read then
   */
  read(input: ByteQueue, maxBytes: number = MAX_RLPX_FRAME_BYTES): Uint8Array | undefined {
    if (this.#size === undefined) {
      if (input.length < HEADER_BYTES) return undefined
      this.#size = this.#readHeader(input, maxBytes)
    }
    const size = this.#size
    const missingBytes = padded(size) - this.#partBytes
    if (input.length < missingBytes + TAG_BYTES) {
      // Each part costs memory in addition to its bytes.
      const bytes = Math.min(input.length, missingBytes - BLOCK_BYTES)
      if (bytes >= MIN_PART_BYTES) this.#addPart(input.take(bytes - (bytes % BLOCK_BYTES)))
      return undefined
    }
    this.#addPart(input.take(missingBytes))
    const tag = this.#mac.bodyTag()
    if (!equalInConstantTime(tag, input.take(TAG_BYTES))) throw invalidFrame('wrong MAC of the body')
    const [first] = this.#parts as [Uint8Array]
    const body = this.#parts.length === 1 ? first : concatBytes(...this.#parts)
    this.discard()
    return body.subarray(0, size)
  }

  /** Forgets the received parts of a body. */
  discard(): void {
    this.#size = undefined
    this.#parts = []
    this.#partBytes = 0
  }

  #addPart(part: Uint8Array): void {
    this.#mac.addBody(part)
    this.#cipher.apply(part)
    this.#parts.push(part)
    this.#partBytes += part.length
  }

  #readHeader(input: ByteQueue, maxBytes: number): number {
    const header = input.take(BLOCK_BYTES)
    const tag = this.#mac.headerTag(header)
    if (!equalInConstantTime(tag, input.take(TAG_BYTES))) throw invalidFrame('wrong MAC of the header')
    this.#cipher.apply(header)
    const size = readUint(header, 0, SIZE_BYTES)
    if (size === 0) throw invalidFrame('empty body')
    if (size > maxBytes) throw invalidFrame(`body of ${size} bytes where ${maxBytes} are allowed`)
    return size
  }
}

function padded(size: number): number {
  return Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES
}
