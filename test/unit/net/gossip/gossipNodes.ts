/** Nodes that gossip: a real chain, pool and server of each, over simulated peers on virtual time. */

import type { Clock, Logger, SenderRecovery } from '../../../../src/base/ports/host.ts'
import { silentLogger } from '../../../../src/base/ports/logging.ts'
import { bytesToBigInt, bytesToHex, equalBytes } from '../../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../../src/chain/chain.ts'
import type { ChainHeader } from '../../../../src/chain/contract.ts'
import type { VerifyContext } from '../../../../src/chain/engine.ts'
import { BlockSchedule } from '../../../../src/config/blockSchedule.ts'
import { parseGenesis } from '../../../../src/config/genesisFile.ts'
import { PosEngine } from '../../../../src/consensus/pos.ts'
import { EngineSchedule } from '../../../../src/consensus/schedule.ts'
import type { GossipDeps } from '../../../../src/net/gossip/contract.ts'
import { Gossip } from '../../../../src/net/gossip/gossip.ts'
import { EthServer } from '../../../../src/net/protocols/eth/ethServer.ts'
import { StoredBlocks } from '../../../../src/net/protocols/storedBlocks.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import type { TransactionPool } from '../../../../src/txpool/transactionPool.ts'
import type { Block, Header } from '../../../../src/types/block.ts'
import { encodeBlock } from '../../../../src/types/blockCodec.ts'
import { genesisBlock } from '../../../../src/types/genesisHeader.ts'
import type { FeeMarketTransaction } from '../../../../src/types/transaction.ts'
import { encodeTransaction } from '../../../../src/types/transactionCodec.ts'
import { Life, type SimulatedWorld } from '../../../simulation/world.ts'
import { FakeEngine } from '../../../support/chains/fakeEngine.ts'
import { accountAddress, openPool, richState, unsignedTransfer } from '../../../support/chains/pool.ts'
import { openTestChain, TEST_SENDERS } from '../../../support/chains/testChain.ts'
import { ALICE, BOB, planBlock } from '../../../support/nodes/devChain.ts'
import { SimulatedPeers } from './simulatedPeers.ts'

const GENESIS_SECONDS = 1_700_000_000
const GENESIS = {
  config: { chainId: 1337, londonBlock: 0, clique: { blockperiodseconds: 1, epochlength: 30000 } },
  difficulty: '0x64',
  gasLimit: '0x1c9c380',
  baseFeePerGas: '0x7',
  timestamp: GENESIS_SECONDS,
  extraData: `0x${'00'.repeat(32)}${'11'.repeat(20)}${'00'.repeat(65)}`,
  alloc: Object.fromEntries([ALICE, BOB].map(({ address }) => [address, { balance: '0x3635c9adc5dea00000' }])),
}

/** The seal is a nonce of ones, which the block hash does not cover. */
class SealedEngine extends FakeEngine {
  override verifyHeader(header: Header, parent: Header, context: VerifyContext): string | undefined {
    if (context.verifySeal && !isSealed(header)) return 'invalid seal'
    return super.verifyHeader(header, parent, context)
  }
}

const SEAL = new Uint8Array(8).fill(1)

function isSealed({ nonce }: Header): boolean {
  return equalBytes(nonce as Uint8Array, SEAL)
}

export interface GossipNodeOptions {
  readonly senders?: SenderRecovery
  readonly pool?: Parameters<typeof openPool>[1]
  readonly verifySidecar?: GossipDeps['verifySidecar']
  /** Added to the configuration of the genesis. */
  readonly forks?: object
  /** Default: errors fail the test. */
  readonly logger?: Logger
}

export class GossipNode {
  readonly name: string
  readonly peers: SimulatedPeers
  readonly chain: Chain
  readonly pool: TransactionPool
  readonly gossip: Gossip
  readonly progress = new TestProgress()
  readonly errors: string[] = []

  private constructor(
    name: string,
    world: SimulatedWorld,
    parts: { readonly chain: Chain; readonly store: MemoryStore; readonly clock: Clock; readonly life: Life },
    options: GossipNodeOptions,
  ) {
    const { chain, store, clock, life } = parts
    this.name = name
    this.chain = chain
    this.peers = new SimulatedPeers(name)
    this.pool = openPool(chain, { clock, ...options.pool })
    const server = new EthServer({
      blocks: new StoredBlocks(store),
      pool: this.pool,
      nodes: { byHash: () => undefined },
    })
    this.peers.answer = (version, request) => server.answer(version, request)
    this.peers.head = () => {
      const { hash, header, totalDifficulty } = chain.head
      return { hash, number: header.number, totalDifficulty }
    }
    const error = (message: string, properties?: Record<string, unknown>): void =>
      void this.errors.push(`${message} ${String(properties?.['error'] ?? '')}`)
    this.gossip = new Gossip({
      peers: this.peers,
      chain,
      pool: this.pool,
      progress: this.progress,
      senders: options.senders ?? TEST_SENDERS,
      verifySidecar: options.verifySidecar,
      clock,
      timers: life.timers,
      random: world.random.fork(),
      yieldToHost: life.yieldToHost,
      logger: options.logger ?? { ...silentLogger, error },
    })
  }

  static async open(world: SimulatedWorld, name: string, options: GossipNodeOptions = {}): Promise<GossipNode> {
    const life = new Life(world, name, (GENESIS_SECONDS + 1000) * 1000)
    const clock: Clock = { now: () => Math.floor(life.clock.now()), monotonic: life.clock.monotonic }
    const store = new MemoryStore()
    const json = { ...GENESIS, config: { ...GENESIS.config, ...options.forks } }
    const genesis = parseGenesis(json, { networkId: 1337n })
    const { config } = genesis
    const engines = new BlockSchedule(new SealedEngine())
    const chain = await openTestChain({
      config,
      kv: store,
      clock,
      genesis: {
        alloc: genesis.alloc,
        text: JSON.stringify(json),
        block: (stateRoot) => genesisBlock(genesis, stateRoot),
      },
      consensus: new EngineSchedule({ config, engines, proofOfStake: new PosEngine() }),
    })
    const node = new GossipNode(name, world, { chain, store, clock, life }, options)
    node.gossip.start()
    return node
  }

  get head(): string {
    return bytesToHex(this.chain.head.hash)
  }

  /** Builds a sealed block, or one of proof of stake. @param salt distinguishes siblings */
  async build(
    parent: ChainHeader = this.chain.head,
    salt = 0,
  ): Promise<{ block: Block; rlp: Uint8Array; hash: Uint8Array }> {
    const candidate = await this.chain.build(
      planBlock(parent, { beneficiary: new Uint8Array(20).fill(salt + 1) }),
      parent,
    )
    if (candidate === undefined) throw new Error('no block was built')
    const { header } = candidate.block
    const isSealed = header.difficulty > 0n
    const block = { ...candidate.block, header: isSealed ? { ...header, nonce: SEAL } : header }
    this.chain.discard(candidate)
    return { block, rlp: encodeBlock(block), hash: candidate.hash }
  }

  /** Builds and imports a block, as a producer does. */
  async produce(salt = 0, parent: ChainHeader = this.chain.head): Promise<ChainHeader> {
    const { block, hash } = await this.build(parent, salt)
    const outcome = await this.chain.import(block)
    if (outcome.kind !== 'imported') throw new Error(`the block is ${outcome.kind}`)
    return this.chain.headerByHash(hash) as ChainHeader
  }
}

/** Senders that {@link transfer} chooses. */
export const STATED_SENDERS: SenderRecovery = {
  recover: async (tasks) => tasks.map(({ signature }) => (signature[0] === 0 ? signature.slice(12, 32) : undefined)),
  close: () => {},
}

/** Every account is rich, and senders are those that the transactions state. */
export const LIGHT_OPTIONS: GossipNodeOptions = {
  senders: STATED_SENDERS,
  pool: { states: { at: () => richState() }, settings: { maxSize: 100_000 } },
}

/** A transfer of an account, without a valid signature. */
export function transfer(sender: number, nonce = 0, fields: Partial<FeeMarketTransaction> = {}): Uint8Array {
  const r = bytesToBigInt(accountAddress(sender))
  const fees = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 10n ** 8n }
  return encodeTransaction({ ...unsignedTransfer(nonce, fees), chainId: 1337n, r, ...fields })
}

export class TestProgress {
  isBehind = false
  readonly #listeners = new Set<() => void>()

  onCaughtUp(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  catchUp(): void {
    this.isBehind = false
    for (const listener of this.#listeners) listener()
  }
}
