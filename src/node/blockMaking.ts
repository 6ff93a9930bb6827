/**
 * Pool, journal and sealer of a node, put together.
 * @module
 */

import type { Chain } from '../chain/chain.ts'
import { POOL_SWEEP_INTERVAL_MS } from '../config/limits.ts'
import type { DevChain } from '../dev/contract.ts'
import { KnownKeyAccounts } from '../dev/devAccounts.ts'
import { LocalDevChain } from '../dev/localDevChain.ts'
import type { Clock, Logger } from '../ports/host.ts'
import type { KeyValueStore, Residency } from '../ports/keyValueStore.ts'
import type { Random } from '../ports/random.ts'
import type { Timer, Timers } from '../ports/timers.ts'
import type { YieldToHost } from '../ports/yieldToHost.ts'
import { BlockTemplate } from '../sealing/blockTemplate.ts'
import { ChainClock } from '../sealing/chainClock.ts'
import type { MiningControl, MiningInfo, SettleOutcome } from '../sealing/contract.ts'
import { IdleMiner } from '../sealing/idleMiner.ts'
import { PendingBlocks } from '../sealing/pendingBlocks.ts'
import { Sealer } from '../sealing/sealer.ts'
import type { StateSource } from '../state/contract.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import type { PooledTransaction } from '../txpool/contract.ts'
import { LocalJournal } from '../txpool/localJournal.ts'
import { Submission, type TransactionSubmission } from '../txpool/submission.ts'
import { TransactionPool } from '../txpool/transactionPool.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { NodeSettings } from './settings.ts'

export interface BlockMakingParts {
  readonly store: KeyValueStore
  readonly residency: Residency | undefined
  readonly chain: Chain
  readonly states: StateSource
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly yieldToHost: YieldToHost
  readonly logger: Logger
  readonly settings: NodeSettings
}

export interface BlockMaking extends Lifecycle {
  readonly pool: TransactionPool
  readonly submission: TransactionSubmission
  readonly mining: MiningInfo
  readonly miner: MiningControl
  readonly dev: DevChain | undefined
  /** undefined where `pending` names the head (besu profile) */
  readonly pending: PendingBlocks | undefined
  /** Local transactions of the last run come back into the pool. */
  start(): Promise<void>
  /** Waits for what is being kept. */
  stop(): Promise<void>
}

interface Maker {
  readonly isSealing: boolean
  readonly template?: BlockTemplate
}

export function openBlockMaking(parts: BlockMakingParts): BlockMaking {
  const { store, residency, chain, states, clock, timers, logger, settings } = parts
  const maker: { current?: Maker } = {}
  const pool = new TransactionPool({
    chain,
    states,
    clock,
    logger: logger.child('txpool'),
    settings: settings.pool,
    isSealing: () => maker.current?.isSealing ?? false,
    blockGasLimit: () => maker.current?.template?.gasLimit,
    givenBaseFee: () => maker.current?.template?.next.baseFeePerGas,
    ...(residency === undefined ? {} : { residency }),
  })
  const journal = new LocalJournal({ kv: store, logger: logger.child('txpool') })
  pool.events.on('mined', ({ hash }) => journal.forget(hash))
  pool.events.on('dropped', ({ pooled: { hash } }) => journal.forget(hash))
  const stopSweeping = sweepWhileFilled(pool, timers)
  const close = async (): Promise<void> => {
    stopSweeping()
    await pool.close()
    await journal.settled()
  }
  const made = settings.isDev ? devMaking(parts, pool, journal) : idleMaking(parts, pool, journal)
  maker.current = made.maker
  const template = made.maker.template ?? new BlockTemplate(new ChainClock(clock), settings.sealing)
  const pending = settings.rpc.profile === 'geth' ? openPending(parts, pool, template) : undefined
  return {
    name: 'transaction pool',
    pool,
    ...made.making,
    pending,
    start: () => readmit(journal, pool, residency, logger),
    stop: () => {
      made.stop?.()
      pending?.close()
      return close()
    },
  }
}

function openPending(
  { chain, states, clock, residency }: BlockMakingParts,
  pool: TransactionPool,
  template: BlockTemplate,
): PendingBlocks {
  const resident = residency === undefined ? {} : { residency }
  return new PendingBlocks({ chain, pool, states, template, clock, ...resident })
}

interface Made {
  readonly maker: Maker
  readonly making: Omit<BlockMaking, 'pool' | 'pending' | keyof Lifecycle>
  readonly stop?: () => void
}

/** A chain whose blocks are made elsewhere. */
function idleMaking(
  { residency, logger, settings, yieldToHost }: BlockMakingParts,
  pool: TransactionPool,
  journal: LocalJournal,
): Made {
  const miner = new IdleMiner(settings.sealing, logger.child('miner'))
  const submission = new Submission({ pool, journal, yieldToHost, ...(residency === undefined ? {} : { residency }) })
  return { maker: miner, making: { submission, mining: miningInfo(miner, settings), miner, dev: undefined } }
}

function devMaking(
  { residency, chain, states, clock, timers, random, yieldToHost, logger, settings }: BlockMakingParts,
  pool: TransactionPool,
  journal: LocalJournal,
): Made {
  const template = new BlockTemplate(new ChainClock(clock), settings.sealing)
  const { mode } = settings.sealing
  const sealer = new Sealer({ chain, pool, states, template, clock, timers, logger: logger.child('sealer'), mode })
  const settle = (pooled: PooledTransaction): SettleOutcome | Promise<SettleOutcome> => sealer.settle(pooled)
  const submission = new Submission({
    pool,
    journal,
    yieldToHost,
    settle,
    ...(residency === undefined ? {} : { residency }),
  })
  const dev = new LocalDevChain({
    chain,
    pool,
    sealer,
    accounts: new KnownKeyAccounts(),
    logger: logger.child('dev'),
    random,
  })
  return {
    maker: sealer,
    making: { submission, mining: miningInfo(sealer, settings), miner: sealer, dev },
    stop: () => sealer.close(),
  }
}

/** Looks for transactions that have waited too long, for as long as there are any. */
function sweepWhileFilled(pool: TransactionPool, timers: Timers): () => void {
  let timer: Timer | undefined
  const sweepLater = (): void => {
    timer = timers.schedule(POOL_SWEEP_INTERVAL_MS, () => {
      timer = undefined
      pool.sweep()
      if (pool.size > 0) sweepLater()
    })
  }
  const unsubscribe = pool.events.on('added', () => {
    if (timer === undefined) sweepLater()
  })
  return () => {
    unsubscribe()
    timer?.cancel()
  }
}

async function readmit(
  journal: LocalJournal,
  pool: TransactionPool,
  residency: Residency | undefined,
  logger: Logger,
): Promise<void> {
  for (const { hash, candidate, addedAtMs } of await retryMisses(() => journal.load(), residency)) {
    const verdict = await retryMisses(() => pool.admit(candidate, addedAtMs), residency)
    if (verdict.kind === 'admitted') continue
    journal.forget(hash)
    logger.debug('a transaction of the last run is no longer valid', { code: verdict.error.code })
  }
}

function miningInfo(
  maker: { readonly coinbase: Uint8Array | undefined; readonly isSealing: boolean },
  { pool }: NodeSettings,
): MiningInfo {
  return {
    get coinbase() {
      return maker.coinbase
    },
    get mining() {
      return maker.isSealing
    },
    hashrate: 0n,
    minGasPrice: pool.minGasPrice,
  }
}
