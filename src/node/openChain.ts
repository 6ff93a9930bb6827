/**
 * The chain of a node, with its states and block execution.
 * @module
 */
import { CONSOLE_ADDRESS } from '../abi/consoleAddress.ts'
import { GENESIS_SLICE_MS, LARGE_GENESIS_ACCOUNTS } from '../base/limits/limits.ts'
import { TimeSlicer } from '../base/ports/yieldToHost.ts'
import { bytesToHex } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { SecondExecution } from '../chain/blockProcessor.ts'
import { Chain } from '../chain/chain.ts'
import { DevWriter } from '../chain/dev/devWriter.ts'
import { removeUnfinishedLoad } from '../chain/dev/unfinishedLoad.ts'
import type { ConsensusSchedule } from '../chain/engine.ts'
import { loadDaoAccounts } from '../chain/transition/daoAccounts.ts'
import type { ExecutionDeps } from '../chain/transition/executionInput.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import type { Genesis } from '../config/genesisFile.ts'
import { genesisError } from '../config/genesisJson.ts'
import { StateStore } from '../state/stateStore.ts'
import { readMetadata } from '../storage/metadata.ts'
import { addChecksums, isCurrent, type MigrationProgress, migrate } from '../storage/migrations.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import { genesisBlock } from '../types/genesisHeader.ts'
import { createExecution } from './execution.ts'
import type { NodeGenesis, NodeHost } from './host.ts'
import { isLogged } from './isLogged.ts'
import { LongWork } from './longWork.ts'
import { openSchedule } from './openSchedule.ts'
import type { Permissions } from './permissions/assemblePermissions.ts'
import { openPermissions } from './permissions/openPermissions.ts'
import type { openPrivateExecution, PrivateExecution } from './privacy.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'
import { choosePreimages } from './statePreimages.ts'

/** Engines that treat the genesis block as any other one. */
const ENGINES_OF_ANY_START: readonly string[] = ['ethash', 'instant', 'proofOfStake']

export interface ChainServices {
  readonly chain: Chain
  /** Used by dev chains only. */
  readonly devWriter: DevWriter
  readonly states: StateStore
  readonly consensus: ConsensusSchedule
  readonly execution: ExecutionDeps
  /** undefined: permissioning is off */
  readonly permissions: Permissions | undefined
  /** undefined without private transactions */
  readonly privacy: PrivateExecution | undefined
}

/** @throws {NodeError} INVALID_GENESIS */
function checkGenesis({ config, fields }: Genesis, consensus: ConsensusSchedule, settings: NodeSettings): void {
  checkFirstBlock(config, settings)
  const fault = consensus.claimedBy({ number: 0n, timestamp: 0n, difficulty: 1n }).checkGenesis?.(fields)
  if (fault !== undefined) throw genesisError(fault)
}

/** Peers and engines with signers assume that the genesis block is block 0. */
function checkFirstBlock({ firstBlock, consensus }: ChainConfig, { hasPeers }: NodeSettings): void {
  if (firstBlock === 0n) return
  const engine = consensus.entries.map(({ value }) => value.kind).find((kind) => !ENGINES_OF_ANY_START.includes(kind))
  if (engine === undefined && !hasPeers) return
  const [chain, advice] =
    engine === undefined
      ? ['with peers', ': --p2p-enabled=false starts it without peers, --dev as a dev chain']
      : [`of ${engine}`, '']
  throw genesisError(
    `The number of the genesis block is ${firstBlock}, but a chain ${chain} begins at block 0${advice}.`,
  )
}

/**
 * Migrates the database and opens the chain. Opening restarts after a store miss.
 * @throws {NodeError} GENESIS_MISMATCH when the store belongs to another chain, INVALID_GENESIS; STOPPED after a stop
 *   during a migration, or while the state of a large genesis block is written
 */
export async function openChain(
  host: NodeHost,
  { genesis, text, forked }: NodeGenesis,
  settings: NodeSettings,
): Promise<ChainServices> {
  const { config } = genesis
  const { store, clock, logger, senders, residency } = host
  await migrateStore(host)
  if (config.options.daoForkBlock !== undefined) await loadDaoAccounts()
  const { evm, scheduler } = createExecution(host, settings)
  const consensus = await openSchedule(config, settings)
  // The first block of a fork is a block of another chain, which its engine has made.
  if (forked === undefined) checkGenesis(genesis, consensus, settings)
  // A missing package is reported at the start, not by the first block.
  // Verdicts on connections cannot wait for the EVM.
  if (evm.name === 'reference' || settings.permissions?.nodesContract !== undefined) await evm.loaded()
  const crossCheck = settings.crossCheck ? await secondExecution(host) : undefined
  const { memory } = settings
  const keepsPreimages = await choosePreimages(host, settings)
  const states = new StateStore(store, { memory, keepsPreimages, base: host.fork?.base })
  const resident = residency === undefined ? {} : { residency }
  const { keepRevertReasons } = settings
  const logOptions = isLogged(host, settings) ? { watchedAddress: CONSOLE_ADDRESS } : {}
  const executionDeps: ExecutionDeps = { config, evm, consensus, control: { scheduler, ...resident } }
  const permissions = await openPermissions(host, settings, executionDeps, host.staticNodes ?? [])
  const senderChecks = permissions?.senders
  const privacy = await openPrivate(host, states, executionDeps, settings)
  const derivation = privacy?.derivation
  const open = () =>
    Chain.open({
      kv: store,
      genesis: {
        alloc: genesis.alloc,
        text,
        keepsPreimages,
        block: (stateRoot) => genesisBlock(genesis, stateRoot),
        forked,
        pause: (fraction) => pause(fraction),
      },
      modules: {
        config,
        states,
        evm,
        consensus,
        scheduler,
        keepRevertReasons,
        ...logOptions,
        crossCheck,
        ...resident,
        senderChecks,
        extension: derivation,
      },
      senders,
      clock,
      logger: logger.child('chain'),
      slotsInEpoch: settings.slotsInEpoch,
      memory,
      metrics: host.metrics,
    })
  const isLarge = genesis.alloc.length >= LARGE_GENESIS_ACCOUNTS
  const isNew = isLarge && (await retryMisses(() => readMetadata(store), residency)) === undefined
  const work = isNew
    ? new LongWork(host, 'writing the state of the genesis block', { accounts: genesis.alloc.length })
    : undefined
  const slicer = new TimeSlicer({ clock, yieldToHost: host.yieldToHost, sliceMs: GENESIS_SLICE_MS })
  const pause = async (fraction?: number): Promise<void> => {
    if (fraction !== undefined) work?.report(fraction)
    if (slicer.isDue) await slicer.yield()
    checkStop(host, 'the writing of the genesis block was stopped; the next start begins it again')
  }
  const chain = await retryMisses(open, residency)
  work?.end()
  await removeUnfinishedLoad(store, residency)
  const devWriter = new DevWriter(chain, genesis.alloc)
  return { chain, devWriter, states, consensus, execution: executionDeps, permissions, privacy }
}

/** @throws {NodeError} STOPPED with the message */
function checkStop({ stopSignal }: NodeHost, message: string): void {
  if (stopSignal?.aborted === true) throw new NodeError({ code: 'STOPPED' }, message)
}

/** Loads the steps of a migration only for an older database. */
async function migrateStore(host: NodeHost): Promise<void> {
  const { store, residency } = host
  const migration = new MigrationReport(host)
  if (store.hasChecksums === false) await addChecksums(store, migration.report)
  if (await retryMisses(() => isCurrent(store), residency)) return migration.end()
  const { MIGRATIONS } = await import('../chain/migrations.ts')
  await retryMisses(() => migrate(store, MIGRATIONS, migration.report), residency)
  migration.end()
}

/** Loads the code of private transactions only for the few nodes that have them. */
const openPrivate: typeof openPrivateExecution = async (host, ...parts) =>
  host.privacy === undefined ? undefined : (await import('./privacy.ts')).openPrivateExecution(host, ...parts)

/** Reports each step of a migration, and yields between batches. */
class MigrationReport {
  readonly #host: NodeHost
  #step: string | undefined
  #work: LongWork | undefined

  constructor(host: NodeHost) {
    this.#host = host
  }

  readonly report = ({ step, to, progress }: MigrationProgress): Promise<void> => {
    if (step !== this.#step) {
      this.end()
      this.#step = step
      this.#work = new LongWork(this.#host, 'migrating the database', { step, format: to })
    }
    this.#work?.report(progress)
    checkStop(this.#host, 'the migration of the database was stopped; the next start continues it')
    return this.#host.yieldToHost()
  }

  end(): void {
    this.#work?.end()
    this.#work = undefined
  }
}

async function secondExecution({ loadCrossCheck, logger, keepFile }: NodeHost): Promise<SecondExecution> {
  if (loadCrossCheck === undefined) {
    throw new NodeError({ code: 'UNSUPPORTED_RUNTIME' }, 'this host cannot execute blocks a second time')
  }
  const keepReport: SecondExecution['keepReport'] = (report, blockHash) => {
    const name = `cross-check-mismatch-${bytesToHex(blockHash)}.json`
    logger.error('the cross-check differs', { report: name })
    keepFile?.(name, JSON.stringify(report, undefined, 2))
  }
  return { run: await loadCrossCheck(), keepReport }
}
