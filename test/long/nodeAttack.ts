/** Arbitrary input for a node in a simulated network: valid packets and messages, changed ones, and bytes without form. */

import { createSigner } from '../../src/base/ports/keySigner.ts'
import type { KeyValueStore } from '../../src/base/ports/keyValueStore.ts'
import type { Signer } from '../../src/base/ports/signer.ts'
import type { TcpConnection } from '../../src/base/ports/tcpSockets.ts'
import type { UdpSockets } from '../../src/base/ports/udpSockets.ts'
import { concatBytes, hexToBytes } from '../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../src/base/primitives/keccak.ts'
import { rlpEncode } from '../../src/base/primitives/rlp.ts'
import { createPacket } from '../../src/net/p2p/discovery/v4/packet.ts'
import { type HeaderV5, maskHeader } from '../../src/net/p2p/discovery/v5/packet.ts'
import { decodeDisconnect } from '../../src/net/p2p/rlpx/disconnect.ts'
import { initiateHandshake } from '../../src/net/p2p/rlpx/handshake.ts'
import { encodeHello } from '../../src/net/p2p/rlpx/hello.ts'
import { decodeEthMessage, encodeEthMessage } from '../../src/net/protocols/eth/codec.ts'
import type { EthMessage, EthRequest, Transactions } from '../../src/net/protocols/eth/messages.ts'
import { encodeSnapMessage } from '../../src/net/protocols/snap/codec.ts'
import { SeededRandom } from '../simulation/seededRandom.ts'
import { Life } from '../simulation/world.ts'
import { ALICE, BOB, signed } from '../support/nodes/devChain.ts'
import { GENESIS_SECONDS } from '../support/nodes/genesisNode.ts'
import { hostOf } from '../unit/net/p2p/rlpx/handshakes.ts'
import { RawPeer } from '../unit/net/p2p/rlpx/peers.ts'
import type { NetworkNode, NetworkWorld } from '../unit/node/network/networkNodes.ts'
import { ETH68, honestAnswers, statusOf } from '../unit/node/network/rawEthPeer.ts'
import { AttackMessages } from './attackMessages.ts'

const START_MS = (GENESIS_SECONDS + 1000) * 1000
const PORT = 30_303
const ETH_OFFSET = 0x10
const SNAP_OFFSET = 0x21
/** Messages of one segment, of which the last one may be changed: what follows a breach is not read. */
const BATCH = 24
const MAX_BATCHES = 12
/** Part of the batches that end in a changed message. */
const CHANGED = 0.15

type Coded = readonly [code: number, payload: Uint8Array]

export interface AttackParts {
  readonly net: NetworkWorld
  readonly victim: NetworkNode
  /** Honest: its blocks and hashes are the material. */
  readonly source: NetworkNode
  readonly store: KeyValueStore
  readonly random: SeededRandom
}

interface Prepared extends AttackParts {
  readonly victimId: Uint8Array
  readonly messages: AttackMessages
}

export class NodeAttack {
  readonly #parts: Prepared
  readonly #random: SeededRandom
  /** Number of handshakes, frames, messages and datagrams by kind; closed sessions by reason. */
  readonly report: Record<string, number> = {}
  readonly #messages: AttackMessages
  readonly #honest: (request: EthRequest) => EthMessage
  #sessions = 0
  sent = 0

  private constructor(parts: Prepared) {
    this.#parts = parts
    this.#random = parts.random
    this.#messages = parts.messages
    this.#honest = honestAnswers(parts.store)
  }

  static async prepare(parts: AttackParts): Promise<NodeAttack> {
    const { id } = await parts.victim.rpc<{ readonly id: string }>('admin_nodeInfo')
    const transactions: Uint8Array[] = []
    for (let nonce = 0; nonce < 20; nonce++) {
      transactions.push(await signed(nonce % 2 === 0 ? ALICE : BOB, { nonce, chainId: 2128 } as never))
    }
    const decoded = decodeEthMessage(ETH68, { code: 2, payload: rlpEncode(transactions) }) as Transactions
    const messages = new AttackMessages(parts.random, parts.source.node, decoded.transactions)
    return new NodeAttack({ ...parts, victimId: hexToBytes(`0x${id}`), messages })
  }

  /** One session of one hostile computer. */
  async run(): Promise<void> {
    const { net } = this.#parts
    const n = ++this.#sessions
    const host = `10.${100 + (n % 100)}.${(n >> 8) & 255}.${n & 255}`
    const life = new Life(net.world, host, START_MS)
    const sockets = net.network.attach(life, host)
    const kind = this.#random.below(20)
    if (kind < 2) await this.#datagrams(host, sockets.udp)
    else {
      const connection = await net.complete(sockets.tcp.connect({ host: this.#parts.victim.host, port: PORT }))
      if (kind < 3) await this.#handshake(connection)
      else await this.#session(life, connection, kind)
      connection.destroy()
    }
    await net.world.pass(50)
    life.end()
    net.network.detach(host)
  }

  #count(kind: string, count = 1): void {
    this.report[kind] = (this.report[kind] ?? 0) + count
    this.sent += count
  }

  /** A valid value with some bytes changed, removed or repeated, or bytes without any form. */
  #changed(valid: Uint8Array): Uint8Array {
    const random = this.#random
    if (random.chance(0.1)) return random.bytes(random.below(valid.length + 8))
    let bytes: Uint8Array = valid.slice()
    for (let i = 1 + random.below(3); i > 0 && bytes.length > 0; i--) {
      const at = random.below(bytes.length)
      const kind = random.below(4)
      if (kind === 0) bytes = concatBytes(bytes.subarray(0, at), bytes.subarray(at + 1 + random.below(4)))
      else if (kind === 1) bytes = concatBytes(bytes.subarray(0, at), bytes.subarray(at >>> 1))
      else bytes[at] = kind === 2 ? random.below(256) : (bytes[at] as number) ^ (1 << random.below(8))
    }
    return bytes
  }

  async #handshake(connection: TcpConnection): Promise<void> {
    connection.open({ onData() {}, onEnd: () => connection.end(), onClose() {} })
    const { opening } = initiateHandshake(hostOf(this.#sessions), this.#parts.victimId)
    connection.write(this.#changed(opening))
    this.#count('handshake')
    await this.#parts.net.world.pass(20)
  }

  async #datagrams(host: string, udp: UdpSockets): Promise<void> {
    const { victim, victimId, net } = this.#parts
    const random = this.#random
    const signer = createSigner(new SeededRandom(this.#sessions))
    const socket = await udp.bind({ host, port: PORT }, () => {})
    const count = 1 + random.below(40)
    for (let i = 0; i < count; i++) {
      const packet = random.chance(0.7) ? this.#packetV4(signer, host) : this.#packetV5(keccak256(victimId))
      const bytes = random.chance(0.5) ? packet : this.#changed(packet)
      socket.send(bytes.subarray(0, 1500), { host: victim.host, port: PORT })
    }
    this.#count('datagram', count)
    await net.world.pass(20)
  }

  #packetV4(signer: Signer, host: string): Uint8Array {
    const { victimId } = this.#parts
    const target = this.#random.chance(0.5) ? victimId : this.#random.bytes(64)
    return createPacket(signer, this.#messages.datagram(host, target)).bytes
  }

  #packetV5(destination: Uint8Array): Uint8Array {
    const random = this.#random
    const [source, nonce] = [random.bytes(32), random.bytes(12)]
    const signature = random.bytes(64)
    const headers: readonly HeaderV5[] = [
      { kind: 'message', source, nonce },
      { kind: 'whoAreYou', nonce, idNonce: random.bytes(16), enrSeq: BigInt(random.uint32()) },
      { kind: 'handshake', source, nonce, signature, ephemeralKey: random.bytes(33), record: random.bytes(40) },
    ]
    const header = headers[random.below(3)] as HeaderV5
    return concatBytes(maskHeader(destination, random.bytes(16), header).start, random.bytes(random.below(100)))
  }

  /** A completed handshake, then a Hello, a Status and messages. */
  async #session(life: Life, connection: TcpConnection, kind: number): Promise<void> {
    const { net, victimId } = this.#parts
    const host = { ...hostOf(this.#sessions), clock: life.clock, timers: life.timers }
    const raw = new RawPeer(host, connection, victimId)
    let [isGreeted, isOver] = [false, false]
    raw.onMessage = (code, payload) => {
      raw.received.length = 0
      if (code === 0) this.#hello(raw, host.signer.publicKey, kind === 3)
      else if (code === 1) {
        isOver = true
        const reason = decodeDisconnect(payload)
        this.report[reason] = (this.report[reason] ?? 0) + 1
      } else if (code === ETH_OFFSET) {
        isGreeted = true
        this.#send(raw, [this.#status(kind === 4)])
      } else if (code > ETH_OFFSET && code < SNAP_OFFSET) this.#answer(raw, code - ETH_OFFSET, payload)
    }
    // Some sessions do not wait for the Status.
    if (kind !== 6) await net.world.run(() => isGreeted || isOver, net.world.now + 1000)
    for (let i = this.#random.below(MAX_BATCHES); i >= 0 && !isOver && !raw.isClosed; i--) {
      const batch = Array.from({ length: BATCH }, () => this.#message())
      if (this.#random.chance(CHANGED)) batch.push(this.#changedMessage())
      if (kind === 5 && i === 0 && raw.transport.isSecure) {
        connection.write(this.#changed(raw.transport.write({ code: ETH_OFFSET, payload: this.#random.bytes(50) })))
        this.#count('frame')
      } else this.#send(raw, batch)
      await net.world.pass(this.#random.below(60))
    }
  }

  #hello(raw: RawPeer, nodeId: Uint8Array, isChanged: boolean): void {
    const capabilities = [
      { name: 'eth', version: 68 },
      { name: 'snap', version: 1 },
    ]
    const hello = encodeHello({ version: 5, clientId: 'attack', capabilities, port: 0, nodeId })
    raw.send(0, isChanged ? this.#changed(hello) : hello)
    raw.transport.finishHello(true)
    this.#count('hello')
  }

  #status(isChanged: boolean): Coded {
    const { source } = this.#parts
    const { hash, totalDifficulty } = source.node.chain.head
    const claim = this.#random.chance(0.2) ? 10n ** 30n : totalDifficulty
    const best = { hash: this.#random.chance(0.2) ? this.#random.bytes(32) : hash, totalDifficulty: claim }
    const { code, payload } = encodeEthMessage(ETH68, statusOf(source.node, { best }))
    return [ETH_OFFSET + code, isChanged ? this.#changed(payload) : payload]
  }

  /** Answers as an honest node, with other bytes, or not at all. */
  #answer(raw: RawPeer, code: number, payload: Uint8Array): void {
    const message = decodeEthMessage(ETH68, { code, payload })
    if (!message.kind.startsWith('get') || this.#random.chance(0.1)) return
    const answer = encodeEthMessage(ETH68, this.#honest(message as EthRequest))
    const bytes = this.#random.chance(0.3) ? this.#changed(answer.payload) : answer.payload
    this.#send(raw, [[ETH_OFFSET + answer.code, bytes]])
  }

  #message(): Coded {
    const kind = this.#random.below(20)
    if (kind === 0) return [2 + this.#random.below(2), Uint8Array.of(0xc0)]
    if (kind < 4) {
      const { code, payload } = encodeSnapMessage(this.#messages.snap())
      return [SNAP_OFFSET + code, payload]
    }
    const { code, payload } = encodeEthMessage(ETH68, this.#messages.eth())
    return [ETH_OFFSET + code, payload]
  }

  #changedMessage(): Coded {
    const [code, payload] = this.#message()
    return [this.#random.chance(0.2) ? this.#random.below(48) : code, this.#changed(payload)]
  }

  #send(raw: RawPeer, messages: readonly Coded[]): void {
    if (raw.isClosed || !raw.transport.isSecure) return
    raw.sendAll(...messages)
    this.#count('message', messages.length)
  }
}
