/**
 * The chain of a node, with its states and block execution.
 * @module
 */
import { Chain } from '../chain/chain.ts'
import type { MismatchReport } from '../chain/crossCheck.ts'
import { MIGRATIONS } from '../chain/migrations.ts'
import type { ExecutionParts } from '../chain/transition/executionInput.ts'
import type { ConsensusSchedule } from '../consensus/engine.ts'
import { bytesToHex } from '../primitives/bytes.ts'
import { StateStore } from '../state/stateStore.ts'
import { migrate, type ReportMigration } from '../storage/migrations.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import { genesisBlock } from '../types/genesisHeader.ts'
import { createExecution } from './execution.ts'
import type { NodeGenesis, NodeHost } from './host.ts'
import type { NodeSettings } from './settings.ts'

export interface ChainParts {
  readonly chain: Chain
  readonly states: StateStore
  readonly consensus: ConsensusSchedule
  readonly execution: ExecutionParts
}

/**
 * Migrates the database and opens the chain. Opening restarts after a store miss.
 * @throws {NodeError} GENESIS_MISMATCH when the store belongs to another chain, UNSUPPORTED_CONSENSUS
 */
export async function openChain(
  host: NodeHost,
  { genesis, text }: NodeGenesis,
  settings: NodeSettings,
): Promise<ChainParts> {
  const { config } = genesis
  const { store, clock, logger, senders, residency } = host
  const reporter = migrationReporter(host)
  await retryMisses(() => migrate(store, MIGRATIONS, reporter), residency)
  const { evm, consensus, scheduler } = createExecution(host, config, settings)
  const states = new StateStore(store)
  const resident = residency === undefined ? {} : { residency }
  const { keepRevertReasons } = settings
  const crossCheck = settings.crossCheck ? { keepMismatchReport: mismatchReportKeeper(host) } : {}
  const open = () =>
    Chain.open({
      kv: store,
      genesis: { alloc: genesis.alloc, text, block: (stateRoot) => genesisBlock(genesis, stateRoot) },
      modules: { config, states, evm, consensus, scheduler, keepRevertReasons, ...crossCheck, ...resident },
      senders,
      clock,
      logger: logger.child('chain'),
      isHeadFinal: settings.isDev,
      metrics: host.metrics,
    })
  const chain = await retryMisses(open, residency)
  return { chain, states, consensus, execution: { config, evm, consensus, control: { scheduler, ...resident } } }
}

/** Logs each percent once, and yields between batches. */
function migrationReporter({ logger, yieldToHost }: NodeHost): ReportMigration {
  let logged = -1
  return ({ step, to, progress }) => {
    const percent = Math.floor(progress * 100)
    if (percent !== logged) logger.info('migrating the database', { step, format: to, percent })
    logged = percent
    return yieldToHost()
  }
}

function mismatchReportKeeper({ logger, keepFile }: NodeHost): (report: MismatchReport, blockHash: Uint8Array) => void {
  return (report, blockHash) => {
    const name = `cross-check-mismatch-${bytesToHex(blockHash)}.json`
    logger.error('the cross-check differs', { report: name })
    keepFile?.(name, JSON.stringify(report, undefined, 2))
  }
}
