/** A peer under the control of a test, connected to a whole node: it speaks RLPx and eth/68, and says what the test wants. */

import type { KeyValueStore } from '../../../../src/base/ports/keyValueStore.ts'
import { hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { type DisconnectReason, decodeDisconnect } from '../../../../src/net/p2p/rlpx/disconnect.ts'
import { encodeHello } from '../../../../src/net/p2p/rlpx/hello.ts'
import type { SessionHost } from '../../../../src/net/p2p/rlpx/sessionContract.ts'
import { decodeEthMessage, encodeEthMessage } from '../../../../src/net/protocols/eth/codec.ts'
import { EthServer } from '../../../../src/net/protocols/eth/ethServer.ts'
import { localStatus } from '../../../../src/net/protocols/eth/handshake.ts'
import type { EthMessage, EthRequest, Status } from '../../../../src/net/protocols/eth/messages.ts'
import { type EthVersion, ethVersion } from '../../../../src/net/protocols/eth/versions.ts'
import { ForkFilter } from '../../../../src/net/protocols/forkId.ts'
import { StoredBlocks } from '../../../../src/net/protocols/storedBlocks.ts'
import type { IsoNode } from '../../../../src/node/node.ts'
import { Life } from '../../../simulation/world.ts'
import { GENESIS_SECONDS } from '../../../support/nodes/genesisNode.ts'
import { hostOf } from '../../net/p2p/rlpx/handshakes.ts'
import { RawPeer } from '../../net/p2p/rlpx/peers.ts'
import type { NetworkNode, NetworkWorld } from './networkNodes.ts'

export const ETH68: EthVersion = ethVersion(68) as EthVersion
/** Code of the first message of eth, whose capability is the only one. */
const ETH_OFFSET = 0x10

export type EthAnswer = (request: EthRequest, index: number) => EthMessage | undefined

export interface RawEthPeerOptions {
  readonly host: string
  /** The Status; undefined: none is sent. */
  readonly status: Status | undefined
  readonly answer?: EthAnswer
  /** Time that each answer takes. */
  readonly delayMs?: number
  /** Requests after which the peer is silent, even when it is pinged. */
  readonly silentAfter?: number
}

export class RawEthPeer {
  readonly #raw: RawPeer
  readonly #options: RawEthPeerOptions
  readonly #session: SessionHost
  readonly #life: Life
  asked = 0
  /** Why the node has disconnected. */
  reason: DisconnectReason | undefined

  private constructor(raw: RawPeer, session: SessionHost, life: Life, options: RawEthPeerOptions) {
    this.#raw = raw
    this.#life = life
    this.#session = session
    this.#options = options
    raw.onMessage = (code, payload) => this.#onMessage(code, payload)
  }

  /** Connects to the node. */
  static async connect(net: NetworkWorld, target: NetworkNode, options: RawEthPeerOptions): Promise<RawEthPeer> {
    const { host } = options
    const life = new Life(net.world, host, (GENESIS_SECONDS + 1000) * 1000)
    const { tcp } = net.network.attach(life, host)
    const session: SessionHost = { ...hostOf(Number(host.replaceAll('.', ''))), clock: life.clock, timers: life.timers }
    const connection = await net.complete(tcp.connect({ host: target.host, port: 30_303 }))
    const { id } = await target.rpc<{ readonly id: string }>('admin_nodeInfo')
    const raw = new RawPeer(session, connection, hexToBytes(`0x${id}`))
    return new RawEthPeer(raw, session, life, options)
  }

  get isClosed(): boolean {
    return this.#raw.isClosed
  }

  /** Unread bytes of this side. */
  get backlog(): number {
    return this.#raw.connection.backlog
  }

  say(...messages: readonly EthMessage[]): void {
    this.sayRaw(
      ...messages.map((message) => {
        const { code, payload } = encodeEthMessage(ETH68, message)
        return [ETH_OFFSET + code, payload] as const
      }),
    )
  }

  sayRaw(...messages: readonly (readonly [code: number, payload: Uint8Array])[]): void {
    if (!this.isClosed && this.reason === undefined) this.#raw.sendAll(...messages)
  }

  /** Stops reading. */
  pause(): void {
    this.#raw.connection.pause()
  }

  #onMessage(code: number, payload: Uint8Array): void {
    this.#raw.received.length = 0
    if (code === 0) this.#onHello()
    else if (code === 1) this.reason ??= decodeDisconnect(payload)
    else if (this.#isSilent()) return
    else if (code === 2) this.sayRaw([3, Uint8Array.of(0xc0)])
    else if (code >= ETH_OFFSET) this.#onEth(decodeEthMessage(ETH68, { code: code - ETH_OFFSET, payload }))
  }

  #onHello(): void {
    const nodeId = this.#session.signer.publicKey
    const capabilities = [{ name: 'eth', version: 68 }]
    this.#raw.send(0, encodeHello({ version: 5, clientId: 'raw', capabilities, port: 0, nodeId }))
    this.#raw.transport.finishHello(true)
  }

  #onEth(message: EthMessage): void {
    const { status, answer, delayMs = 0 } = this.#options
    if (message.kind === 'status') {
      if (status !== undefined) this.say(status)
      return
    }
    if (!message.kind.startsWith('get')) return
    const reply = answer?.(message as EthRequest, this.asked++)
    if (reply !== undefined) this.#life.schedule(delayMs, 'answer', () => this.say(reply))
  }

  #isSilent(): boolean {
    return this.asked >= (this.#options.silentAfter ?? Number.POSITIVE_INFINITY)
  }
}

/** Status of a node's chain. */
export function statusOf({ chain }: IsoNode, changes: Partial<Status> = {}): Status {
  const forks = new ForkFilter(chain.config, { hash: chain.genesis.hash, timestamp: chain.genesis.header.timestamp })
  return { ...localStatus(ETH68, { chain, forks, earliest: 0n }), ...changes }
}

/** Answers as the node with this store would. */
export function honestAnswers(store: KeyValueStore): (request: EthRequest) => EthMessage {
  const server = new EthServer({
    blocks: new StoredBlocks(store),
    pool: { byHash: () => undefined },
    nodes: { byHash: () => undefined },
  })
  return (request) => decodeEthMessage(ETH68, server.answer(ETH68, request))
}
