/** A chain that synchronises with simulated peers. */

import type { Logger } from '../../../../src/base/ports/host.ts'
import type { KeyValueStore } from '../../../../src/base/ports/keyValueStore.ts'
import { silentLogger } from '../../../../src/base/ports/logging.ts'
import type { Chain } from '../../../../src/chain/chain.ts'
import type { ConsensusEngine } from '../../../../src/chain/engine.ts'
import { encodedBlock, prepareBlocks } from '../../../../src/chain/preparedBlock.ts'
import { SYNC_BOUNDS, type SyncBounds, type SyncPosition } from '../../../../src/net/sync/contract.ts'
import { Synchroniser } from '../../../../src/net/sync/synchroniser.ts'
import type { Header } from '../../../../src/types/block.ts'
import { decodeBlock } from '../../../../src/types/blockCodec.ts'
import { Life, SimulatedWorld } from '../../../simulation/world.ts'
import { type Branches, branches, type ServedChain } from './branches.ts'
import { type Behaviour, SimulatedPeer, SimulatedPeers } from './simulatedPeer.ts'

export const START_MS = Date.UTC(2026, 0, 1)

/** Small enough that the short chains of tests have many segments. */
export const TEST_BOUNDS: SyncBounds = { ...SYNC_BOUNDS, segmentHeaders: 8, skeletonSegments: 4 }

export interface SyncNodeOptions {
  readonly seed?: number
  readonly bounds?: Partial<SyncBounds>
  readonly kv?: KeyValueStore
  readonly world?: SimulatedWorld
  readonly life?: Life
  readonly maxPeers?: number
  /** Whether blocks of the chain are never replaced; default: the total difficulty decides. */
  readonly isFinal?: boolean
  /** Default: the chain of {@link branches}. */
  readonly source?: Pick<Branches, 'open' | 'senders'>
}

export interface LogLine {
  readonly level: string
  readonly message: string
  readonly fields: Record<string, unknown>
}

export class SyncNode {
  readonly world: SimulatedWorld
  readonly life: Life
  readonly chain: Chain
  readonly peers = new SimulatedPeers()
  readonly sync: Synchroniser
  readonly tree: Branches
  readonly log: LogLine[] = []
  readonly states: (SyncPosition | undefined)[] = []
  readonly behind: boolean[] = []

  private constructor(
    parts: { world: SimulatedWorld; life: Life; chain: Chain; tree: Branches },
    options: SyncNodeOptions,
  ) {
    this.world = parts.world
    this.life = parts.life
    this.chain = parts.chain
    this.tree = parts.tree
    const { clock, timers, yieldToHost } = this.life
    this.sync = new Synchroniser({
      chain: options.isFinal === true ? withFinality(this.chain) : this.chain,
      peers: this.peers,
      senders: (options.source ?? this.tree).senders,
      clock,
      timers,
      yieldToHost,
      logger: this.#logger(),
      maxPeers: options.maxPeers ?? 25,
      verifySeal: false,
      bounds: { ...TEST_BOUNDS, ...options.bounds },
    })
    this.sync.events.on('sync', (position) => this.states.push(position))
    this.sync.events.on('behind', (isBehind) => this.behind.push(isBehind))
  }

  static async open(options: SyncNodeOptions = {}): Promise<SyncNode> {
    const world = options.world ?? new SimulatedWorld(options.seed ?? 1)
    const life = options.life ?? new Life(world, 'node', START_MS)
    const tree = await branches()
    const { open } = options.source ?? tree
    const chain = await open({ clock: life.clock, ...(options.kv === undefined ? {} : { kv: options.kv }) })
    return new SyncNode({ world, life, chain, tree }, options)
  }

  get height(): number {
    return Number(this.chain.head.header.number)
  }

  /** Imports blocks without peers. */
  async import(chain: ServedChain): Promise<void> {
    const blocks = chain.slice(1).map(({ rlp }) => encodedBlock(decodeBlock(rlp), this.chain.consensus, rlp))
    const outcomes = await this.chain.importRun(await prepareBlocks(blocks, this.tree.senders), { verifySeal: false })
    const last = outcomes.at(-1)
    if (last?.kind !== 'imported' && last?.kind !== 'known') throw new Error(JSON.stringify(last?.kind))
  }

  join(behaviour: Behaviour): SimulatedPeer {
    const peer = new SimulatedPeer(this.life, behaviour)
    this.peers.join(peer)
    return peer
  }

  /** @returns whether it happens within the virtual time */
  until(condition: () => boolean, maxMs = 120_000): Promise<boolean> {
    return this.world.run(condition, this.world.now + maxMs)
  }

  /** Stops within virtual time. */
  async stop(): Promise<void> {
    let isOver = false
    void this.sync.stop().then(() => {
      isOver = true
    })
    if (!(await this.until(() => isOver))) throw new Error('the synchronisation does not stop')
  }

  #logger(): Logger {
    const at =
      (level: string) =>
      (message: string, fields: Record<string, unknown> = {}): void => {
        this.log.push({ level, message, fields })
      }
    const logger: Logger = {
      ...silentLogger,
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      child: () => logger,
    }
    return logger
  }
}

/** The chain, with engines whose blocks are final. */
function withFinality(chain: Chain): Chain {
  const { consensus } = chain
  const claimedBy = (header: Header): ConsensusEngine =>
    replaced(consensus.claimedBy(header), { finality: 'immediate' })
  return replaced(chain, { consensus: replaced(consensus, { claimedBy }) })
}

/** The object with other values of some properties. */
function replaced<T extends object>(target: T, values: Partial<T>): T {
  return new Proxy(target, {
    get(_, key) {
      if (key in values) return values[key as keyof T]
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
