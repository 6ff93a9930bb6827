/** The receivers of hostile messages: a node with gossip over connections in virtual time. */
import { MAX_BRIEF_MESSAGE_BYTES, MAX_PROTOCOL_MESSAGE_BYTES } from '../../../../src/base/limits/limits.ts'
import { silentLogger } from '../../../../src/base/ports/logging.ts'
import { keccak256 } from '../../../../src/base/primitives/keccak.ts'
import { rlpEncode, rlpListOfEncoded, rlpSpan } from '../../../../src/base/primitives/rlp.ts'
import type { EthPeer } from '../../../../src/net/eth/contract.ts'
import { EthNetwork } from '../../../../src/net/eth/ethNetwork.ts'
import { Gossip } from '../../../../src/net/gossip/gossip.ts'
import type { AgreedCapability } from '../../../../src/net/p2p/rlpx/capabilities.ts'
import { encodeEthMessage } from '../../../../src/net/protocols/eth/codec.ts'
import { localStatus } from '../../../../src/net/protocols/eth/handshake.ts'
import type { EthMessage, EthRequest } from '../../../../src/net/protocols/eth/messages.ts'
import {
  ETH_MESSAGES,
  ETH_RESPONSES,
  ETH_VERSIONS,
  type EthMessageKind,
  type EthVersion,
  kindOfCode,
} from '../../../../src/net/protocols/eth/versions.ts'
import { ForkFilter } from '../../../../src/net/protocols/forkId.ts'
import { encodeSnapMessage } from '../../../../src/net/protocols/snap/codec.ts'
import { SNAP_CODE_COUNT, type SnapMessage } from '../../../../src/net/protocols/snap/messages.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { decodePooledTransaction } from '../../../../src/types/blobSidecar.ts'
import { encodeBody, splitBlock } from '../../../../src/types/blockCodec.ts'
import { SimulatedWorld } from '../../../simulation/world.ts'
import { TEST_SENDERS } from '../../../support/chains/testChain.ts'
import { connect, type LinkEnd, ScriptedPeer } from '../eth/links.ts'
import { GossipNode, LIGHT_OPTIONS, TestProgress, transfer } from '../gossip/gossipNodes.ts'
import type { Target } from './hostileTable.ts'

const SETTLE_MS = 5
const HASH = new Uint8Array(32).fill(0xab)

/** A node whose peers send what the tests want. */
export class HostileNode {
  readonly world: SimulatedWorld
  readonly node: GossipNode
  readonly network: EthNetwork
  readonly #forks: ForkFilter

  private constructor(world: SimulatedWorld, node: GossipNode) {
    this.world = world
    this.node = node
    const { chain } = node
    const parts = {
      clock: {
        now: () => (chain.head.header.timestamp > 0n ? Number(chain.head.header.timestamp) * 1000 : 0) + world.now,
        monotonic: () => performance.now(),
      },
      timers: { schedule: (delayMs: number, run: () => void) => world.schedule(delayMs, 'timer', run) },
      random: world.random,
      logger: silentLogger,
    }
    this.network = new EthNetwork({ ...parts, chain, reader: new MemoryStore(), pool: node.pool })
    this.#forks = new ForkFilter(chain.config, { hash: chain.genesis.hash, timestamp: chain.genesis.header.timestamp })
    const gossip = new Gossip({
      ...parts,
      peers: this.network,
      chain,
      pool: node.pool,
      progress: new TestProgress(),
      senders: TEST_SENDERS,
      yieldToHost: async () => {},
    })
    gossip.start()
  }

  static async open(): Promise<HostileNode> {
    const world = new SimulatedWorld(1, Number.POSITIVE_INFINITY)
    const forks = { terminalTotalDifficulty: 1_000_000_000 }
    const node = await GossipNode.open(world, 'node', { ...LIGHT_OPTIONS, forks })
    await node.produce()
    return new HostileNode(world, node)
  }

  /** A connection that has exchanged its Status, unless the message is the Status. */
  async connect(version: EthVersion, isAdmitted: boolean) {
    const offered = [
      { name: 'eth', version: version.number, length: version.codeCount },
      { name: 'snap', version: 1, length: SNAP_CODE_COUNT },
    ]
    const peer = new ScriptedPeer(offered)
    const [near] = connect(this.world, this.network, peer)
    if (isAdmitted) {
      peer.send(
        'eth',
        encodeEthMessage(version, localStatus(version, { chain: this.node.chain, forks: this.#forks, earliest: 0n })),
      )
      await this.world.pass(50)
    }
    return { near, session: this.network.all.at(-1) as EthPeer }
  }

  target(version: EthVersion, message: EthMessage): Target {
    const { kind } = message
    const { code, payload: example } = encodeEthMessage(version, message)
    return {
      protocol: `eth/${version.number}`,
      message: kind,
      example,
      maxBytes: ETH_MESSAGES[kind].isLarge === true ? MAX_PROTOCOL_MESSAGE_BYTES : MAX_BRIEF_MESSAGE_BYTES,
      open: async (payload) => {
        const { near, session } = await this.connect(version, kind !== 'status')
        this.#ask(session, kind)
        await this.world.pass(20)
        return this.#receiver(near, 'eth', code, payload)
      },
    }
  }

  snapTarget(message: SnapMessage): Target {
    const { code, payload: example } = encodeSnapMessage(message)
    const version = ETH_VERSIONS[5] as EthVersion
    return {
      protocol: 'snap/1',
      message: message.kind,
      example,
      maxBytes: MAX_BRIEF_MESSAGE_BYTES,
      open: async (payload) => this.#receiver((await this.connect(version, true)).near, 'snap', code, payload),
    }
  }

  /** A response needs its question. */
  #ask(session: EthPeer, kind: EthMessageKind): void {
    const asked = Object.entries(ETH_RESPONSES).find(([, response]) => response === kind)?.[0] as EthRequest['kind']
    if (asked === undefined) return
    if (asked === 'getBlockHeaders') {
      void session.ask<'getBlockHeaders'>({ kind: asked, start: 1n, limit: 1024n, skip: 0n, isReverse: false })
    } else void session.ask({ kind: asked, hashes: [HASH] } as never)
  }

  #receiver(near: LinkEnd, name: string, code: number, payload: Uint8Array): () => Promise<string> {
    const capability = near.capabilities.find((agreed) => agreed.name === name) as AgreedCapability
    return async () => {
      if (payload.length > near.handlers.maxBytes(capability, code)) near.disconnect('breachOfProtocol')
      else near.handlers.onMessage(capability, code, payload)
      await this.world.pass(SETTLE_MS)
      const outcome = near.end?.reason ?? (near.reports.length > 0 ? `open, ${near.reports[0]?.[0]}` : 'open')
      near.disconnect('requested')
      near.peer.disconnect('requested')
      await this.world.pass(50)
      return outcome
    }
  }

  /** A valid message of each kind that the version has. */
  async examples(version: EthVersion): Promise<EthMessage[]> {
    const { chain } = this.node
    const { block, rlp } = await this.node.build(chain.head, 7)
    const { header: encoding } = splitBlock(rlp)
    const header = { encoding, header: block.header }
    const requestId = version.hasRequestIds ? 1n : undefined
    const transactions = [transfer(900), transfer(901)].map((one) => ({
      encoding: one,
      hash: keccak256(one),
      ...decodePooledTransaction(one),
    }))
    const hashes = [HASH]
    const forms = version.announcesTypes ? { types: Uint8Array.of(2), sizes: [120] } : undefined
    const body = encodeBody({
      transactions: transactions.map(({ transaction }) => transaction),
      ommers: [block.header],
    })
    const blockRlp = rlpListOfEncoded([encoding, body.subarray(rlpSpan(body, 0).payload)])
    const all: EthMessage[] = [
      localStatus(version, { chain, forks: this.#forks, earliest: 0n }),
      { kind: 'newBlockHashes', blocks: [{ hash: HASH, number: 2n }] },
      { kind: 'transactions', transactions },
      { kind: 'getBlockHeaders', requestId, start: 1n, limit: 8n, skip: 0n, isReverse: false },
      { kind: 'blockHeaders', requestId, headers: [header] },
      { kind: 'getBlockBodies', requestId, hashes },
      { kind: 'blockBodies', requestId, bodies: [body] },
      {
        kind: 'newBlock',
        block: blockRlp,
        header,
        totalDifficulty: chain.head.totalDifficulty + block.header.difficulty,
      },
      { kind: 'newPooledTransactionHashes', hashes, forms },
      { kind: 'getPooledTransactions', requestId, hashes },
      { kind: 'pooledTransactions', requestId, transactions },
      { kind: 'getNodeData', requestId, hashes },
      { kind: 'nodeData', requestId, values: [HASH] },
      { kind: 'getReceipts', requestId, hashes },
      { kind: 'receipts', requestId, blocks: [rlpEncode([[Uint8Array.of(1), Uint8Array.of(1), []]])] },
      { kind: 'blockRangeUpdate', earliest: 0n, latest: 1n, latestHash: HASH },
    ]
    return all.filter(({ kind }) => kindOfCode(version, ETH_MESSAGES[kind].code) === kind)
  }

  /** One target for each kind in each version, unless an earlier one has the same message; in full for one version. */
  async ethTargets(): Promise<Target[]> {
    const seen = new Set<string>()
    const full = new Set<string>()
    const targets: Target[] = []
    for (const version of ETH_VERSIONS.toReversed()) {
      for (const message of await this.examples(version)) {
        const target = this.target(version, message)
        const key = `${message.kind} ${target.example.join()}`
        if (!seen.has(key)) targets.push({ ...target, isBrief: full.has(message.kind) })
        seen.add(key)
        full.add(message.kind)
      }
    }
    return targets
  }

  snapTargets(): Target[] {
    const base = { requestId: 1n, root: HASH, maxBytes: 1000n }
    const messages: SnapMessage[] = [
      { kind: 'getAccountRange', ...base, start: HASH, limit: HASH },
      {
        kind: 'accountRange',
        requestId: 1n,
        accounts: [{ hash: HASH, body: Uint8Array.of(0xc4, 1, 1, 0x80, 0x80) }],
        proof: [HASH],
      },
      { kind: 'getStorageRanges', ...base, accounts: [HASH], start: undefined, limit: undefined },
      { kind: 'storageRanges', requestId: 1n, slots: [[{ hash: HASH, body: Uint8Array.of(1) }]], proof: [HASH] },
      { kind: 'getByteCodes', requestId: 1n, maxBytes: 1000n, hashes: [HASH] },
      { kind: 'byteCodes', requestId: 1n, codes: [HASH] },
      { kind: 'getTrieNodes', ...base, paths: [[Uint8Array.of(0x13)]] },
      { kind: 'trieNodes', requestId: 1n, nodes: [HASH] },
    ]
    return messages.map((message) => this.snapTarget(message))
  }
}
