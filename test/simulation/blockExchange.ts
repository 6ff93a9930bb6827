/**
 * A small protocol for tests: nodes announce their heads by datagrams, and a node that hears of a heavier one requests
 * its blocks by number over a stream.
 * @module
 */

import type { Clock, SenderRecovery } from '../../src/base/ports/host.ts'
import type { SocketAddress, TcpConnection, TcpSockets } from '../../src/base/ports/tcpSockets.ts'
import type { Timers } from '../../src/base/ports/timers.ts'
import type { UdpSocket, UdpSockets } from '../../src/base/ports/udpSockets.ts'
import { concatBytes } from '../../src/base/primitives/bytes.ts'
import type { Chain } from '../../src/chain/chain.ts'
import { importBlocks } from '../../src/chain/import.ts'
import { decodeBlock, encodeBlock } from '../../src/types/blockCodec.ts'

export interface BlockExchangeOptions {
  readonly chain: Chain
  readonly senders: SenderRecovery
  readonly clock: Clock
  readonly timers: Timers
  readonly tcp: TcpSockets
  readonly udp: UdpSockets
  readonly host: string
  /** Addresses of the other nodes. */
  readonly peers: readonly string[]
  /** Default false. */
  readonly verifySeal?: boolean
  /** Whether blocks of the head's total difficulty are requested too. Default false. */
  readonly fetchesTies?: boolean
  onError(error: unknown): void
}

const PORT = 30303
const ANNOUNCE_MS = 300
const FETCH_MS = 2500
const MAX_BLOCKS = 16
const NUMBER_BYTES = 8

function numbers(...values: readonly bigint[]): Uint8Array {
  const bytes = new Uint8Array(values.length * NUMBER_BYTES)
  const view = new DataView(bytes.buffer)
  for (const [i, value] of values.entries()) view.setBigUint64(i * NUMBER_BYTES, value)
  return bytes
}

function numberAt(bytes: Uint8Array, index: number): bigint {
  return new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(index * NUMBER_BYTES)
}

/** Reassembles the frames of a stream: length (8 bytes) and bytes, repeated. */
class Frames {
  #bytes: Uint8Array = new Uint8Array(0)

  /** @returns the completed frames */
  add(bytes: Uint8Array): Uint8Array[] {
    this.#bytes = concatBytes(this.#bytes, bytes)
    const frames: Uint8Array[] = []
    while (this.#bytes.length >= NUMBER_BYTES) {
      const end = NUMBER_BYTES + Number(numberAt(this.#bytes, 0))
      if (this.#bytes.length < end) break
      frames.push(this.#bytes.slice(NUMBER_BYTES, end))
      this.#bytes = this.#bytes.slice(end)
    }
    return frames
  }
}

const frame = (bytes: Uint8Array): Uint8Array => concatBytes(numbers(BigInt(bytes.length)), bytes)

export class BlockExchange {
  readonly #options: BlockExchangeOptions
  #socket: UdpSocket | undefined
  #isFetching = false
  /** Distance below the local head at which the next request begins; doubled while the peer's blocks do not connect. */
  #overlap = 0n

  constructor(options: BlockExchangeOptions) {
    this.#options = options
  }

  async start(): Promise<void> {
    const { chain, tcp, udp, host } = this.#options
    await tcp.listen({ host, port: PORT }, (connection) => this.#serve(connection))
    this.#socket = await udp.bind({ host, port: PORT }, (bytes, from) => {
      const { totalDifficulty, hash } = chain.head
      const isTie = numberAt(bytes, 1) === totalDifficulty && numberAt(bytes, 2) !== numberAt(hash, 0)
      if (numberAt(bytes, 1) > totalDifficulty || (isTie && this.#options.fetchesTies === true))
        void this.#fetch(from.host, numberAt(bytes, 0))
    })
    chain.events.on('head', () => this.#announce())
    this.#announceAgain()
  }

  #announceAgain(): void {
    this.#announce()
    this.#options.timers.schedule(ANNOUNCE_MS, () => this.#announceAgain())
  }

  #announce(): void {
    const { header, totalDifficulty, hash } = this.#options.chain.head
    for (const host of this.#options.peers)
      this.#socket?.send(numbers(header.number, totalDifficulty, numberAt(hash, 0)), { host, port: PORT })
  }

  /** Answers one request: canonical blocks from a number upwards, then the end of the stream. */
  #serve(connection: TcpConnection): void {
    const { chain } = this.#options
    const frames = new Frames()
    let next = 0
    let last = -1
    const send = (): void => {
      while (next <= last) {
        const block = chain.headerByNumber(next++)
        const body = block && chain.body(block.hash)
        if (block === undefined || body === undefined) break
        if (!connection.write(frame(encodeBlock({ header: block.header, ...body })))) return
      }
      connection.end()
    }
    connection.open({
      onData: (bytes) => {
        for (const request of frames.add(bytes)) {
          next = Number(numberAt(request, 0))
          last = next + Math.min(Number(numberAt(request, 1)), MAX_BLOCKS) - 1
          send()
        }
      },
      onDrain: send,
      onClose: () => {},
    })
  }

  async #fetch(host: string, height: bigint): Promise<void> {
    if (this.#isFetching) return
    this.#isFetching = true
    try {
      const own = this.#options.chain.head.header.number
      const above = (own < height ? own : height) + 1n
      const first = above > this.#overlap + 1n ? above - this.#overlap : 1n
      const blocks = await this.#request({ host, port: PORT }, first)
      if (blocks.length > 0) await this.#import(blocks)
      else this.#reachBack()
    } catch (error) {
      if ((error as { code?: string }).code !== 'CONNECTION_FAILED') this.#options.onError(error)
    } finally {
      this.#isFetching = false
    }
  }

  async #import(blocks: readonly Uint8Array[]): Promise<void> {
    const { chain } = this.#options
    const { parentHash } = decodeBlock(blocks[0] as Uint8Array).header
    if (chain.headerByHash(parentHash) === undefined) {
      this.#reachBack()
      return
    }
    this.#overlap = 0n
    const { verifySeal = false } = this.#options
    const report = await importBlocks(this.#options, { blocks, verifySeal })
    if (report.end.kind === 'failed') throw new Error(report.end.reason)
  }

  /** The peer's branch starts below the requested blocks. */
  #reachBack(): void {
    const next = this.#overlap * 2n + 1n
    this.#overlap = next < MAX_BLOCKS ? next : BigInt(MAX_BLOCKS - 1)
  }

  /** @returns the data received before the stream ended or was cut */
  async #request(address: SocketAddress, first: bigint): Promise<readonly Uint8Array[]> {
    const { tcp, timers } = this.#options
    const connection = await tcp.connect(address, { timeoutMs: FETCH_MS })
    return new Promise((resolve) => {
      const blocks: Uint8Array[] = []
      const frames = new Frames()
      const timer = timers.schedule(FETCH_MS, () => connection.destroy())
      connection.open({
        onData: (bytes) => void blocks.push(...frames.add(bytes)),
        onEnd: () => connection.end(),
        onClose: () => {
          timer.cancel()
          resolve(blocks)
        },
      })
      connection.write(frame(numbers(first, BigInt(MAX_BLOCKS))))
    })
  }
}
