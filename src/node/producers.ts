/**
 * The producer of each consensus engine.
 * @module
 */

import type { DatasetHost } from '../base/ports/ethashDatasets.ts'
import type { Clock, Logger, SenderRecovery } from '../base/ports/host.ts'
import type { KeyValueStore, Residency } from '../base/ports/keyValueStore.ts'
import type { ShowProgress } from '../base/ports/progress.ts'
import type { Random } from '../base/ports/random.ts'
import type { OpenSealSearch } from '../base/ports/sealSearch.ts'
import type { Signer } from '../base/ports/signer.ts'
import type { Timers } from '../base/ports/timers.ts'
import type { YieldToHost } from '../base/ports/yieldToHost.ts'
import type { Chain } from '../chain/chain.ts'
import type { DevWriter } from '../chain/dev/devWriter.ts'
import type { ConsensusEngine } from '../chain/engine.ts'
import type { ExecutionDeps } from '../chain/transition/executionInput.ts'
import type { SealedBlock } from '../chain/writeTask.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import type { DevAccount } from '../config/devAccounts.ts'
import { type BftNetwork, NO_BFT_NETWORK } from '../consensus/bft/messages/packets.ts'
import { ValidatorReader } from '../consensus/bft/validatorReader.ts'
import { PowEngine } from '../consensus/pow/pow.ts'
import type { VoteIntents } from '../consensus/voteIntents.ts'
import type { DevChain } from '../dev/contract.ts'
import { KnownKeyAccounts } from '../dev/devAccounts.ts'
import { DevProducer } from '../dev/devProducer.ts'
import { DevTemplate } from '../dev/devTemplate.ts'
import { LocalDevChain, type LocalDevChainOptions } from '../dev/localDevChain.ts'
import { BftProducer } from '../sealing/bft/bftProducer.ts'
import { VoteJournal } from '../sealing/bft/voteJournal.ts'
import { BlockTemplate } from '../sealing/blockTemplate.ts'
import { CliqueProducer } from '../sealing/cliqueProducer.ts'
import { CliqueTemplate } from '../sealing/cliqueTemplate.ts'
import type { BlockProducer } from '../sealing/contract.ts'
import { IdleProducer } from '../sealing/idleProducer.ts'
import { PowProducer } from '../sealing/pow/powProducer.ts'
import { WorkBuilder } from '../sealing/pow/workBuilder.ts'
import { SwitchingProducer } from '../sealing/switchingProducer.ts'
import type { StateSource } from '../state/contract.ts'
import type { TransactionPool } from '../txpool/transactionPool.ts'
import { nextVote } from './bft.ts'
import { cliqueReads } from './clique.ts'
import { datasetHost, openSearch } from './sealSearch.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'

export interface ProducerDeps {
  readonly chain: Chain
  readonly devWriter: DevWriter
  readonly pool: TransactionPool
  readonly states: StateSource
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly store: KeyValueStore
  readonly residency: Residency | undefined
  readonly senders: SenderRecovery
  /** Holds the key of a signer or validator. */
  readonly signer?: Signer | undefined
  /** Connections to other validators; default: none. */
  readonly bftNetwork?: BftNetwork | undefined
  readonly execution: ExecutionDeps
  readonly logger: Logger
  readonly yieldToHost: YieldToHost
  /** Threads that search for seals; undefined: this thread searches, in slices. */
  readonly openSealSearch?: OpenSealSearch | undefined
  /** Threads that compute ethash datasets. */
  readonly ethashDatasets?: DatasetHost | undefined
  readonly showProgress?: ShowProgress | undefined
  readonly settings: Pick<NodeSettings, 'isDev' | 'autoImpersonates' | 'failsOnRevert' | 'sealing' | 'pool'>
  /** Accounts whose keys the dev chain has. */
  readonly accounts: readonly DevAccount[]
  /** Time of block 0 after a reset of the dev chain. */
  readonly resetTime: LocalDevChainOptions['resetTime']
  /** Votes on signers that the operator has proposed. */
  readonly proposals: VoteIntents
  /** Votes on validators that the operator has proposed. */
  readonly votes: VoteIntents
  /** Called with each block that the dev chain's producer has committed. */
  readonly onSealed?: ((block: SealedBlock) => void) | undefined
}

export interface ChainProducer {
  readonly producer: BlockProducer
  readonly dev: DevChain | undefined
}

type CreateProducer = (deps: ProducerDeps) => BlockProducer

const PRODUCERS: Readonly<Record<ConsensusEngine['name'], CreateProducer>> = {
  pow: powProducer,
  pos: idleProducer,
  clique: cliqueProducer,
  ibft2: bftProducer,
  qbft: bftProducer,
  ibft: idleProducer,
}

/**
 * Creates the producer of blocks on top of the head, which follows the chain to its other engines.
 * @throws {NodeError} INVALID_OPTION when the host cannot mine as the settings demand
 */
export function createProducer(deps: ProducerDeps): ChainProducer {
  const { chain, settings, logger } = deps
  if (settings.isDev) return devProducer(deps)
  datasetHost(deps)
  const select = (): CreateProducer => PRODUCERS[nextEngine(chain).name]
  const producer = changesEngine(chain.config)
    ? new SwitchingProducer({ chain, select, create: (create) => create(deps), logger })
    : select()(deps)
  return { producer, dev: undefined }
}

function changesEngine({ consensus, options }: ChainConfig): boolean {
  return (
    new Set(consensus.entries.map(({ value }) => value.kind)).size > 1 || options.terminalTotalDifficulty !== undefined
  )
}

function nextEngine({ head: { header, totalDifficulty }, consensus }: Chain): ConsensusEngine {
  const next = { number: header.number + 1n, timestamp: header.timestamp + 1n }
  return consensus.nextBlock(next, totalDifficulty).engine
}

function powProducer(deps: ProducerDeps): BlockProducer {
  const { chain, clock, logger: root, settings } = deps
  const { sealing, pool } = settings
  const engine = nextEngine(chain)
  if (!(engine instanceof PowEngine)) return idleProducer(deps)
  const logger = root.child('miner')
  return new PowProducer({
    ...deps,
    engine,
    logger,
    template: new BlockTemplate(sealing, clock),
    builder: new WorkBuilder({
      ...deps,
      engine,
      minOccupancyRatio: sealing.minOccupancyRatio,
      minGasPrice: pool.minGasPrice,
    }),
    search: sealing.remote.stratum === undefined ? openSearch(deps, engine.caches, logger) : undefined,
    limits: sealing.remote,
  })
}

function idleProducer({ clock, logger, settings }: ProducerDeps): BlockProducer {
  return new IdleProducer(new BlockTemplate(settings.sealing, clock), logger.child('miner'))
}

/** A node without a key cannot be a validator. */
function bftProducer(deps: ProducerDeps): BlockProducer {
  const { clock, settings, store, signer, logger, bftNetwork = NO_BFT_NETWORK } = deps
  if (signer === undefined) return idleProducer(deps)
  const validators = new ValidatorReader(deps)
  return new BftProducer({
    ...deps,
    signer,
    logger: logger.child('bft'),
    network: bftNetwork,
    template: new BlockTemplate(settings.sealing, clock),
    journal: new VoteJournal(store),
    validators,
    votes: { next: (parent) => nextVote(parent, deps.votes, validators, signer.address) },
  })
}

/** A node without a key cannot be a signer. */
function cliqueProducer(deps: ProducerDeps): BlockProducer {
  const { chain, settings, signer, logger, clock } = deps
  if (signer === undefined) return idleProducer(deps)
  const template = new CliqueTemplate(new BlockTemplate(settings.sealing, clock), signer.address)
  return new CliqueProducer({
    ...deps,
    signer,
    template,
    reads: cliqueReads(chain),
    logger: logger.child('producer'),
  })
}

function devProducer(deps: ProducerDeps): ChainProducer {
  const {
    chain,
    devWriter: writer,
    pool,
    states,
    clock,
    timers,
    yieldToHost,
    random,
    logger,
    settings,
    onSealed,
  } = deps
  const { mode, continuesTime } = settings.sealing
  const template = new DevTemplate(settings.sealing, clock)
  if (continuesTime) template.clock.set(chain.head.header.timestamp)
  const producer = new DevProducer({
    chain,
    writer,
    pool,
    states,
    template,
    clock,
    timers,
    yieldToHost,
    logger: logger.child('producer'),
    mode,
    order: settings.sealing.order,
    reportsFailures: settings.failsOnRevert,
    onSealed,
  })
  const accounts = new KnownKeyAccounts(deps.accounts, { clock, random }, settings.autoImpersonates)
  const { resetTime } = deps
  const devLogger = logger.child('dev')
  const parts = { chain, writer, pool, producer, accounts, random, logger: devLogger }
  const dev = new LocalDevChain({ ...parts, resetTime, continuesTime })
  return { producer, dev }
}
