import { MAX_HELLO_BYTES, MAX_RLPX_FRAME_BYTES } from '../../../base/limits/limits.ts'
import { concatBytes, EMPTY_BYTES } from '../../../base/primitives/bytes.ts'
import { ByteQueue } from './byteQueue.ts'
import { FrameReader, FrameWriter } from './frames.ts'
import { awaitHandshake, type Handshake, initiateHandshake } from './handshake.ts'
import type { HandshakeHost } from './handshakePackets.ts'
import { MessageCodec, type P2pMessage } from './messageCodec.ts'

interface Channel {
  readonly reader: FrameReader
  readonly writer: FrameWriter
}

/** One end of a connection: handshake, frames and compression; bytes in, messages out, and back. */
export class RlpxTransport {
  /** The first packet of an initiator. */
  readonly opening: Uint8Array | undefined
  readonly #host: HandshakeHost
  readonly #handshake: Handshake
  readonly #input = new ByteQueue()
  readonly #codec = new MessageCodec()
  #channel: Channel | undefined
  #remoteId: Uint8Array | undefined
  #maxFrameBytes = MAX_HELLO_BYTES

  /**
   * @param remoteId node id of the peer to connect to; undefined: the peer has connected
   * @throws {NodeError} INVALID_PUBLIC_KEY
   */
  constructor(host: HandshakeHost, remoteId: Uint8Array | undefined) {
    this.#host = host
    this.#handshake = remoteId === undefined ? awaitHandshake(host) : initiateHandshake(host, remoteId)
    this.opening = this.#handshake.opening
  }

  /** Node id that the peer has proved; undefined until the handshake is complete. */
  get remoteId(): Uint8Array | undefined {
    return this.#remoteId
  }

  /** Whether messages can be sent. */
  get isSecure(): boolean {
    return this.#channel !== undefined
  }

  /** @param bytes owned by the transport from this call */
  receive(bytes: Uint8Array): void {
    this.#input.push(bytes)
  }

  /** Discards everything that was received. */
  discard(): void {
    this.#input.clear()
    this.#channel?.reader.discard()
  }

  /**
   * Completes the handshake.
   * @returns what must be sent before any message, possibly nothing; undefined when more bytes are needed
   * @throws {NodeError} INVALID_HANDSHAKE
   */
  finishHandshake(): Uint8Array | undefined {
    const result = this.#handshake.read(this.#input)
    if (result === undefined) return undefined
    const { ciphers } = this.#host
    this.#remoteId = result.remoteId
    this.#channel = {
      reader: new FrameReader(ciphers, result.secrets),
      writer: new FrameWriter(ciphers, result.secrets),
    }
    return result.reply ?? EMPTY_BYTES
  }

  /** @param maxBytes of the bodies of further frames */
  limitFrames(maxBytes: number): void {
    this.#maxFrameBytes = maxBytes
  }

  /** The Hello messages have been exchanged. @param isCompressed both sides support compression */
  finishHello(isCompressed: boolean): void {
    this.#maxFrameBytes = MAX_RLPX_FRAME_BYTES
    if (isCompressed) this.#codec.startCompression()
  }

  /**
   * @param maxBytes longest payload by code
   * @returns the next message; undefined when more bytes are needed
   * @throws {NodeError} INVALID_FRAME, INVALID_SNAPPY or INVALID_P2P_MESSAGE
   */
  read(maxBytes?: (code: number) => number): P2pMessage | undefined {
    const body = this.#channel?.reader.read(this.#input, this.#maxFrameBytes)
    return body && this.#codec.decode(body, maxBytes)
  }

  /**
   * @returns a frame, to be sent in the order of the calls
   * @throws {RangeError} when the payload does not fit in a frame
   */
  write(message: P2pMessage): Uint8Array {
    if (this.#channel === undefined) throw new TypeError('message: the handshake is not complete')
    return this.#channel.writer.write(...this.#codec.encode(message))
  }

  /** A frame that arrived in the same segment as the handshake's reply. */
  writeAfter(reply: Uint8Array, message: P2pMessage): Uint8Array {
    return concatBytes(reply, this.write(message))
  }
}
