/**
 * Assembles pool, journal and block producer of a node.
 * @module
 */

import { POOL_SWEEP_INTERVAL_MS } from '../base/limits/limits.ts'
import type { DatasetHost } from '../base/ports/ethashDatasets.ts'
import type { Clock, Logger, SenderRecovery } from '../base/ports/host.ts'
import type { KeyValueStore, Residency } from '../base/ports/keyValueStore.ts'
import type { ShowProgress } from '../base/ports/progress.ts'
import type { Random } from '../base/ports/random.ts'
import type { OpenSealSearch } from '../base/ports/sealSearch.ts'
import type { Signer } from '../base/ports/signer.ts'
import type { TcpSockets } from '../base/ports/tcpSockets.ts'
import type { Timer, Timers } from '../base/ports/timers.ts'
import type { YieldToHost } from '../base/ports/yieldToHost.ts'
import { bytesToHex } from '../base/primitives/bytes.ts'
import type { Chain } from '../chain/chain.ts'
import type { DevWriter } from '../chain/dev/devWriter.ts'
import type { DerivedBlocks } from '../chain/sealRun.ts'
import type { ExecutionDeps } from '../chain/transition/executionInput.ts'
import type { SealedBlock } from '../chain/writeTask.ts'
import type { DevAccount } from '../config/devAccounts.ts'
import type { BftNetwork } from '../consensus/bft/messages/packets.ts'
import { VoteIntents } from '../consensus/voteIntents.ts'
import type { DevChain } from '../dev/contract.ts'
import type { LocalDevChainOptions } from '../dev/localDevChain.ts'
import type { Attendance, BlockProducer, MiningControl, MiningInfo, RemoteSealing } from '../sealing/contract.ts'
import { PendingBlocks } from '../sealing/pendingBlocks.ts'
import type { StateSource } from '../state/contract.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import type { AccountPermission } from '../txpool/admission.ts'
import type { SidecarVerification } from '../txpool/blobs.ts'
import { LocalJournal } from '../txpool/localJournal.ts'
import { Submission, type TransactionSubmission } from '../txpool/submission.ts'
import { TransactionPool } from '../txpool/transactionPool.ts'
import { createProducer } from './createProducer.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'

export interface BlockProductionDeps {
  readonly store: KeyValueStore
  readonly residency: Residency | undefined
  /** Permissioning; undefined: everyone may send. */
  readonly permits?: AccountPermission | undefined
  readonly chain: Chain
  readonly devWriter: DevWriter
  readonly states: StateSource
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly yieldToHost: YieldToHost
  readonly verifySidecar?: SidecarVerification | undefined
  readonly senders: SenderRecovery
  /** Holds the key of a signer or validator. */
  readonly signer?: Signer | undefined
  /** Connections to other validators; default: none. */
  readonly bftNetwork?: BftNetwork | undefined
  /** undefined: the node has no peers */
  readonly tcp?: TcpSockets | undefined
  readonly execution: ExecutionDeps
  /** Threads that search for seals; undefined: this thread searches, in slices. */
  readonly openSealSearch?: OpenSealSearch | undefined
  /** Threads that compute ethash datasets. */
  readonly ethashDatasets?: DatasetHost | undefined
  readonly showProgress?: ShowProgress | undefined
  readonly logger: Logger
  readonly settings: NodeSettings
  /** Called with each block that the dev chain's producer has committed. */
  readonly onSealed?: ((block: SealedBlock) => void) | undefined
  /** Called with the empty blocks that the producer has added without storing them. */
  readonly onDerived?: ((blocks: DerivedBlocks) => void) | undefined
  /** Accounts whose keys the dev chain has. */
  readonly accounts: readonly DevAccount[]
  /** Time of block 0 after a reset of the dev chain. */
  readonly resetTime: LocalDevChainOptions['resetTime']
}

export interface BlockProduction extends Lifecycle {
  readonly pool: TransactionPool
  readonly submission: TransactionSubmission
  readonly mining: MiningInfo
  readonly miner: MiningControl
  /** Proof of work by miners outside the node; undefined under other engines. */
  readonly remote: RemoteSealing | undefined
  readonly dev: DevChain | undefined
  /** Votes on signers that the operator has proposed. */
  readonly proposals: VoteIntents
  /** Votes on validators that the operator has proposed. */
  readonly votes: VoteIntents
  /** Whether blocks are produced. */
  isExtending(): boolean
  /** IBFT 2.0 and QBFT only; undefined while this node does not validate. */
  attendance(): Attendance | undefined
  /** The highest block for which this validator has signed a message; 0 without one. */
  signedHeight(): number
  /** undefined when `pending` names the head (besu profile) */
  readonly pending: PendingBlocks | undefined
  /** Begins production that the chain or options ask for. */
  produce(): Promise<void>
  /** Pauses production while this node is behind its peers. */
  setSynchronising(isSynchronising: boolean): void
  /** Restores local transactions of the previous run to the pool. */
  start(): Promise<void>
  /** Waits for pending writes of the journal. */
  stop(): Promise<void>
}

export async function openBlockProduction(deps: BlockProductionDeps): Promise<BlockProduction> {
  const { store, residency, chain, states, clock, timers, yieldToHost, verifySidecar, logger, settings, permits } = deps
  const current: { producer?: BlockProducer } = {}
  const pool = new TransactionPool({
    chain,
    states,
    clock,
    logger: logger.child('txpool'),
    settings: settings.pool,
    isSealing: () => isStarted(current.producer),
    blockGasLimit: () => current.producer?.template.overrides?.gasLimit,
    givenBaseFee: () => current.producer?.template.overrides?.baseFeePerGas,
    ...(permits === undefined ? {} : { permits }),
    ...(residency === undefined ? {} : { residency }),
  })
  const journal = new LocalJournal({ kv: store, logger: logger.child('txpool') })
  pool.events.on('mined', ({ hash }) => journal.forget(hash))
  pool.events.on('dropped', ({ pooled: { hash } }) => journal.forget(hash))
  const stopSweeping = sweepWhileFilled(pool, timers)
  const proposals = new VoteIntents()
  const votes = new VoteIntents()
  const { producer, dev } = await createProducer({ ...deps, pool, proposals, votes })
  current.producer = producer
  const isExtending = (): boolean => {
    const isProducing = producer.remote === undefined || settings.sealing.isEnabled || isStarted(producer)
    return producer.canProduce && isProducing
  }
  if (!settings.hasPeers || deps.tcp === undefined) warnOnce(pool, logger.child('txpool'), isExtending)
  const submission = new Submission({
    pool,
    journal,
    yieldToHost,
    verifySidecar,
    ...(producer.awaitMined === undefined ? {} : { awaitMined: producer.awaitMined.bind(producer) }),
    ...(residency === undefined ? {} : { residency }),
  })
  const pending = settings.rpc.profile === 'geth' ? openPending(deps, pool, producer) : undefined
  return {
    name: 'transaction pool',
    pool,
    submission,
    mining: miningInfo(producer, settings),
    miner: producer,
    remote: producer.remote,
    dev,
    proposals,
    votes,
    isExtending,
    attendance: () => producer.attendance,
    signedHeight: () => producer.signedHeight ?? 0,
    pending,
    produce: async () => {
      await producer.open?.()
      if (settings.sealing.isEnabled && !settings.isDev) producer.start()
    },
    setSynchronising: (isSynchronising) => producer.setSynchronising?.(isSynchronising),
    start: () => readmit(journal, pool, residency, logger),
    stop: async () => {
      producer.close()
      pending?.close()
      stopSweeping()
      await pool.close()
      await journal.settled()
    },
  }
}

function openPending(
  { chain, states, clock, residency }: BlockProductionDeps,
  pool: TransactionPool,
  { template }: BlockProducer,
): PendingBlocks {
  const resident = residency === undefined ? {} : { residency }
  return new PendingBlocks({ chain, pool, states, template, clock, ...resident })
}

function isStarted(producer: BlockProducer | undefined): boolean {
  return producer !== undefined && producer.status !== 'stopped'
}

function warnOnce(pool: TransactionPool, logger: Logger, isExtending: () => boolean): void {
  const unsubscribe = pool.events.on('added', ({ hash }) => {
    if (isExtending()) return
    unsubscribe()
    const message = 'nothing extends this chain (no block producer, no peers): transactions wait in the pool'
    logger.warn(message, { first: bytesToHex(hash) })
  })
}

/** Removes expired transactions regularly while the pool is not empty. */
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
  for (const { hash, incoming, addedAtMs } of await retryMisses(() => journal.load(), residency)) {
    const verdict = await retryMisses(() => pool.admit({ ...incoming, isReturning: true }, addedAtMs), residency)
    if (verdict.kind === 'admitted') continue
    journal.forget(hash)
    logger.debug('a local transaction of the previous run is no longer valid', { code: verdict.error.code })
  }
}

function miningInfo(producer: BlockProducer, { pool }: NodeSettings): MiningInfo {
  return {
    get coinbase() {
      return producer.coinbase
    },
    get mining() {
      return isStarted(producer)
    },
    get hashrate() {
      return producer.hashrate
    },
    minGasPrice: pool.minGasPrice,
  }
}
