/** A peer of devp2p over a real TCP socket that sends whatever a test wants, and claims the chain of the node it talks to. */
import { createConnection, type Socket } from 'node:net'
import { nodeFrameCiphers } from '../../../adapters/server/crypto/frameCiphers.ts'
import { createSigner } from '../../../src/base/ports/keySigner.ts'
import type { Random } from '../../../src/base/ports/random.ts'
import type { Signer } from '../../../src/base/ports/signer.ts'
import { numberToBytes } from '../../../src/base/primitives/bytes.ts'
import { rlpEncode } from '../../../src/base/primitives/rlp.ts'
import { ByteQueue } from '../../../src/net/p2p/rlpx/byteQueue.ts'
import {
  type AgreedCapability,
  agreeCapabilities,
  capabilityOfCode,
  type OfferedCapability,
} from '../../../src/net/p2p/rlpx/capabilities.ts'
import { FrameReader, FrameWriter } from '../../../src/net/p2p/rlpx/frames.ts'
import { type Handshake, initiateHandshake } from '../../../src/net/p2p/rlpx/handshake.ts'
import { decodeHello, encodeHello } from '../../../src/net/p2p/rlpx/hello.ts'
import { MessageCodec } from '../../../src/net/p2p/rlpx/messageCodec.ts'
import { snappyCompress } from '../../../src/net/p2p/rlpx/snappy.ts'

/** Unread bytes at which nothing more is written: the node does not read, and this program's memory is limited too. */
const MAX_UNSENT_BYTES = 16 * 1_048_576
const CONNECT_MS = 5000
const [HELLO, DISCONNECT, PING, PONG] = [0, 1, 2, 3]
const EMPTY_LIST = Uint8Array.of(0xc0)

export interface SocketAddress {
  readonly host: string
  readonly port: number
  /** Node id of 64 bytes. */
  readonly id: Uint8Array
}

export interface SocketPeerOptions {
  readonly random: Random
  readonly capabilities: readonly OfferedCapability[]
  /** Local address: the node limits connections of one host. */
  readonly from: string
  readonly signer?: Signer
  /** The Status to send. Default: the node's own. */
  readonly status?: (own: Uint8Array) => Uint8Array
}

export class SocketPeer {
  readonly signer: Signer
  readonly #options: SocketPeerOptions
  readonly #socket: Socket
  readonly #handshake: Handshake
  readonly #input = new ByteQueue()
  readonly #codec = new MessageCodec()
  #channel: { readonly reader: FrameReader; readonly writer: FrameWriter } | undefined
  #agreed: readonly AgreedCapability[] = []
  #onReady: () => void = () => {}
  onMessage: (capability: string, code: number, payload: Uint8Array) => void = () => {}
  isReady = false

  private constructor(socket: Socket, id: Uint8Array, options: SocketPeerOptions) {
    this.#options = options
    this.#socket = socket
    this.signer = options.signer ?? createSigner(options.random)
    const host = { signer: this.signer, random: options.random, ciphers: nodeFrameCiphers }
    this.#handshake = initiateHandshake(host, id)
    socket.on('error', () => {})
    socket.on('data', (data: Buffer) => this.#receive(data))
    socket.write(this.#handshake.opening as Uint8Array)
  }

  /** Connects, exchanges Hello and Status. @returns undefined when the node refuses or does not answer */
  static async connect({ host, port, id }: SocketAddress, options: SocketPeerOptions): Promise<SocketPeer | undefined> {
    const socket = await openSocket(host, port, options.from)
    if (socket === undefined) return undefined
    const peer = new SocketPeer(socket, id, options)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, CONNECT_MS)
      const done = (): void => {
        clearTimeout(timer)
        resolve()
      }
      peer.#onReady = done
      socket.once('close', done)
    })
    if (peer.isReady) return peer
    socket.destroy()
    return undefined
  }

  get isClosed(): boolean {
    return this.#socket.destroyed
  }

  /** Whether the node takes more bytes. */
  get canWrite(): boolean {
    return !this.isClosed && this.#socket.writableLength < MAX_UNSENT_BYTES
  }

  speaks(capability: string): boolean {
    return this.#agreed.some(({ name }) => name === capability)
  }

  send(capability: string, code: number, payload: Uint8Array): boolean {
    return this.sendCompressed(capability, code, snappyCompress(payload))
  }

  /** @param payload the output of snappy, or what pretends to be it */
  sendCompressed(capability: string, code: number, payload: Uint8Array): boolean {
    const offset = this.#agreed.find(({ name }) => name === capability)?.offset
    if (offset === undefined || !this.canWrite) return false
    this.#frame(offset + code, payload)
    return true
  }

  /** Bytes outside of any frame. */
  write(bytes: Uint8Array): void {
    if (this.canWrite) this.#socket.write(bytes)
  }

  /** Stops reading. */
  pause(): void {
    this.#socket.pause()
  }

  close(): void {
    this.#socket.destroy()
  }

  #frame(code: number, payload: Uint8Array): void {
    this.#socket.write(this.#channel?.writer.write(rlpEncode(numberToBytes(code)), payload) as Uint8Array)
  }

  #receive(data: Uint8Array): void {
    try {
      this.#input.push(new Uint8Array(data))
      if (this.#channel === undefined) this.#shakeHands()
      for (let body = this.#next(); body !== undefined; body = this.#next()) {
        const { code, payload } = this.#codec.decode(body)
        this.#dispatch(code, payload)
      }
    } catch {
      this.#socket.destroy()
    }
  }

  #next(): Uint8Array | undefined {
    return this.#channel?.reader.read(this.#input)
  }

  #shakeHands(): void {
    const result = this.#handshake.read(this.#input)
    if (result === undefined) return
    const { secrets } = result
    this.#channel = {
      reader: new FrameReader(nodeFrameCiphers, secrets),
      writer: new FrameWriter(nodeFrameCiphers, secrets),
    }
    const { capabilities } = this.#options
    const nodeId = this.signer.publicKey
    this.#frame(HELLO as number, encodeHello({ version: 5, clientId: 'Geth/v1.13', capabilities, port: 0, nodeId }))
  }

  #dispatch(code: number, payload: Uint8Array): void {
    if (code === HELLO) {
      this.#agreed = agreeCapabilities(this.#options.capabilities, decodeHello(payload).capabilities)
      this.#codec.startCompression()
      return
    }
    if (code === DISCONNECT) {
      this.#socket.destroy()
      return
    }
    if (code === PING) {
      this.#frame(PONG as number, snappyCompress(EMPTY_LIST))
      return
    }
    const capability = capabilityOfCode(this.#agreed, code)
    if (capability === undefined) return
    const own = code - capability.offset
    if (capability.name === 'eth' && own === 0) {
      this.send('eth', 0, this.#options.status?.(payload) ?? payload)
      this.isReady = true
      this.#onReady()
    }
    this.onMessage(capability.name, own, payload)
  }
}

/** @returns a connected socket; undefined when the connection fails */
export function openSocket(host: string, port: number, from: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection({ host, port, localAddress: from })
    socket.setNoDelay(true)
    const timer = setTimeout(() => socket.destroy(), CONNECT_MS)
    socket.once('connect', () => {
      clearTimeout(timer)
      resolve(socket)
    })
    socket.once('close', () => {
      clearTimeout(timer)
      resolve(undefined)
    })
    socket.on('error', () => {})
  })
}
