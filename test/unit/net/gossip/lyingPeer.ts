/** A peer that lies about blocks and transactions in every way that the protocol can express. */
import { keccak256 } from '../../../../src/base/primitives/keccak.ts'
import { encodeEthMessage } from '../../../../src/net/protocols/eth/codec.ts'
import type { EthRequest } from '../../../../src/net/protocols/eth/messages.ts'
import type { EthVersion } from '../../../../src/net/protocols/eth/versions.ts'
import type { Block } from '../../../../src/types/block.ts'
import { encodeBlock, splitBlock } from '../../../../src/types/blockCodec.ts'
import type { SimulatedWorld } from '../../../simulation/world.ts'
import { type GossipNode, transfer } from './gossipNodes.ts'
import { link, type SimulatedPeer, SimulatedPeers } from './simulatedPeers.ts'

const RECONNECT_MS = 1500

export class LyingPeer {
  readonly peers: SimulatedPeers
  readonly #world: SimulatedWorld
  readonly #victims: readonly GossipNode[]
  /** A node whose blocks are the material of the lies. */
  readonly #source: GossipNode
  #isOver = false

  constructor(world: SimulatedWorld, name: string, victims: readonly GossipNode[]) {
    this.#world = world
    this.#victims = victims
    this.#source = victims[world.random.below(victims.length)] as GossipNode
    this.peers = new SimulatedPeers(name)
    this.peers.recordsSent = false
    this.peers.answer = (version, request) => this.#answer(version, request)
    this.peers.head = () => this.#head()
    this.peers.events.on('left', ({ connection }) => this.#reconnect(connection.remoteAddress.host))
    for (const victim of victims) this.#connect(victim)
  }

  stop(): void {
    this.#isOver = true
    for (const peer of [...this.peers.all]) peer.close()
  }

  /** Tells one lie. */
  async lie(): Promise<void> {
    const { random } = this.#world
    const peer = this.peers.all[random.below(Math.max(1, this.peers.all.length))]
    if (peer === undefined || this.#isOver) return
    const { block } = await this.#source.build(this.#source.chain.head, random.below(200))
    const { header } = block
    switch (random.below(10)) {
      case 0:
        return this.#announce(peer, { ...block, header: { ...header, nonce: new Uint8Array(8) } })
      case 1:
        return this.#announce(peer, { ...block, header: { ...header, stateRoot: random.bytes(32) } })
      case 2:
        return this.#announce(peer, { ...block, ommers: [header] })
      case 3:
        return this.#announce(peer, { ...block, header: { ...header, parentHash: random.bytes(32) } })
      case 4:
        return this.#announce(peer, block, 10n ** 18n)
      case 5:
        return this.#announce(peer, { ...block, header: { ...header, difficulty: 10n ** 6n } })
      case 6: {
        const number = header.number + BigInt(random.below(20))
        return peer.send({ kind: 'newBlockHashes', blocks: [{ hash: random.bytes(32), number }] })
      }
      case 7: {
        const hashes = Array.from({ length: 50 }, () => random.bytes(32))
        const forms = { types: new Uint8Array(50).fill(2), sizes: hashes.map(() => 100) }
        return peer.send({ kind: 'newPooledTransactionHashes', hashes, forms })
      }
      case 8: {
        const encoding = transfer(random.below(100), 0, random.chance(0.5) ? { r: 2n ** 255n } : { maxFeePerGas: 1n })
        const transactions = [{ encoding, hash: keccak256(encoding) }]
        return peer.send({ kind: 'transactions', transactions })
      }
      default:
        return peer.sendWire({ code: random.below(12), payload: random.bytes(random.below(60)) })
    }
  }

  /** Announces real transactions under false forms, and never delivers them. */
  claim(encodings: readonly Uint8Array[]): void {
    const hashes = encodings.map((encoding) => keccak256(encoding))
    const forms = { types: new Uint8Array(hashes.length).fill(2), sizes: hashes.map(() => 100) }
    if (hashes.length === 0) return
    for (const peer of this.peers.all) peer.send({ kind: 'newPooledTransactionHashes', hashes, forms })
  }

  #announce(peer: SimulatedPeer, block: Block, totalDifficulty = this.#source.chain.head.totalDifficulty + 2n): void {
    const rlp = encodeBlock(block)
    const header = { header: block.header, encoding: splitBlock(rlp).header }
    peer.send({ kind: 'newBlock', block: rlp, header, totalDifficulty })
  }

  #head() {
    const { random } = this.#world
    const { header, totalDifficulty } = this.#source.chain.head
    const distance = BigInt(random.below(10))
    return {
      hash: random.bytes(32),
      number: header.number + distance,
      totalDifficulty: totalDifficulty + distance * 2n,
    }
  }

  /** Nothing, an empty list, or other items than requested. */
  #answer(version: EthVersion, request: EthRequest) {
    const { random } = this.#world
    const { requestId } = request
    const { chain } = this.#source
    if (random.chance(0.4)) return undefined
    const isEmpty = random.chance(0.5)
    if (request.kind === 'getBlockHeaders') {
      const rlp = chain.blockRlp(chain.head.hash) as Uint8Array
      const headers = isEmpty ? [] : [{ header: chain.head.header, encoding: splitBlock(rlp).header }]
      return encodeEthMessage(version, { kind: 'blockHeaders', requestId, headers })
    }
    if (request.kind === 'getPooledTransactions') {
      const encoding = transfer(5000)
      const transactions = isEmpty ? [] : [{ encoding, hash: keccak256(encoding) }]
      return encodeEthMessage(version, { kind: 'pooledTransactions', requestId, transactions })
    }
    return undefined
  }

  #connect(victim: GossipNode): void {
    if (!this.#isOver) link(this.#world, this.peers, victim.peers)
  }

  #reconnect(host: string): void {
    const victim = this.#victims.find(({ name }) => name === host)
    if (victim === undefined || this.#isOver) return
    this.#world.schedule(RECONNECT_MS, `${this.peers.name} reconnects`, () => this.#connect(victim))
  }
}
