import { MAX_HELLO_BYTES, MAX_RLPX_FRAME_BYTES, MAX_RLPX_MESSAGE_BYTES } from '../../../base/limits/limits.ts'
import { numberToBytes, readUint } from '../../../base/primitives/bytes.ts'
import { isNodeError } from '../../../base/primitives/errors.ts'
import { rlpEncode, rlpSpan } from '../../../base/primitives/rlp.ts'
import { FIRST_CAPABILITY_CODE } from './capabilities.ts'
import { invalidMessage } from './errors.ts'
import { snappyCompress, snappyDecompress } from './snappy.ts'

export interface P2pMessage {
  readonly code: number
  /** After decompression. */
  readonly payload: Uint8Array
}

const MAX_CODE_BYTES = 2

/** Longest payload of a message, whatever its receiver allows. */
export function maxPayloadBytes(code: number): number {
  return code < FIRST_CAPABILITY_CODE ? MAX_HELLO_BYTES : MAX_RLPX_MESSAGE_BYTES
}

/**
 * Bodies of frames: the RLP of a message code, then the payload, which is compressed after the Hello.
 * @see devp2p, rlpx.md, "Capability Messaging"; EIP-706
 */
export class MessageCodec {
  #isCompressing = false
  #isFirstCompressed = false

  /** Both sides have version 5 or later. */
  startCompression(): void {
    this.#isCompressing = true
    this.#isFirstCompressed = true
  }

  /**
   * @returns the parts of the body
   * @throws {RangeError} when the payload is too long for a frame or for the peer
   */
  encode({ code, payload }: P2pMessage): readonly [Uint8Array, Uint8Array] {
    const limit = this.#isCompressing ? MAX_RLPX_MESSAGE_BYTES : MAX_RLPX_FRAME_BYTES - MAX_CODE_BYTES - 1
    if (payload.length > limit) throw new RangeError(`payload: ${payload.length} bytes, at most ${limit}`)
    return [rlpEncode(numberToBytes(code)), this.#isCompressing ? snappyCompress(payload) : payload]
  }

  /**
   * @param maxBytes longest payload by code; a longer one is refused before it is decompressed
   * @throws {NodeError} INVALID_P2P_MESSAGE or INVALID_SNAPPY
   */
  decode(body: Uint8Array, maxBytes: (code: number) => number = maxPayloadBytes): P2pMessage {
    const { code, offset } = readCode(body)
    const limit = maxBytes(code)
    const compressed = body.subarray(offset)
    const payload = this.#isCompressing ? this.#decompress(compressed, limit) : compressed
    if (payload.length > limit) throw invalidMessage(`code ${code} with ${payload.length} bytes, at most ${limit}`)
    return { code, payload }
  }

  /** A peer that does not compress its first message compresses none, whatever its version. */
  #decompress(payload: Uint8Array, maxBytes: number): Uint8Array {
    const isFirst = this.#isFirstCompressed
    this.#isFirstCompressed = false
    try {
      return snappyDecompress(payload, maxBytes)
    } catch (error) {
      if (!isFirst || !isNodeError(error, 'INVALID_SNAPPY')) throw error
      this.#isCompressing = false
      return payload
    }
  }
}

/** Zero is the empty string in RLP; some clients write it as a zero byte. */
function readCode(body: Uint8Array): { readonly code: number; readonly offset: number } {
  try {
    const { isList, payload, end } = rlpSpan(body, 0)
    if (!isList && end <= body.length && end - payload <= MAX_CODE_BYTES) {
      return { code: readUint(body, payload, end - payload), offset: end }
    }
  } catch (error) {
    throw invalidMessage('the code is not valid RLP', error)
  }
  throw invalidMessage(`the code is not an integer of ${MAX_CODE_BYTES} bytes`)
}
