import type { ChainConfig, RulesPoint } from '../../config/chainConfig.ts'
import type { ConsensusEngine } from '../../consensus/engine.ts'
import type { Patience } from '../../evm/driver.ts'
import type { Engine } from '../../evm/engine.ts'
import type { MutableState } from '../../state/contract.ts'
import type { Block } from '../../types/block.ts'
import type { BlockExecutionInput } from './contract.ts'

/** What simulations and replays run with. */
export interface ExecutionParts {
  readonly config: ChainConfig
  readonly engine: Engine
  /** Which engine's rules a block follows. */
  readonly engines: { claimedBy(header: RulesPoint): ConsensusEngine }
  /** Scheduler and residency; deadline and signal come with each run. */
  readonly patience: Pick<Patience, 'scheduler' | 'residency'>
}

export interface ExecutionTarget {
  readonly block: Block
  readonly senders: readonly Uint8Array[]
  readonly state: MutableState
  blockHash(number: bigint): Uint8Array | undefined
}

/** The input of the transition for a block that is not imported, but simulated or run again. */
export function executionInput(
  { config, engine, engines, patience }: ExecutionParts,
  target: ExecutionTarget,
): BlockExecutionInput {
  const { scheduler, residency } = patience
  return {
    ...target,
    config,
    engine,
    rules: config.rulesAt(target.block.header),
    consensus: engines.claimedBy(target.block.header),
    keepRevertReasons: false,
    ...(scheduler === undefined ? {} : { scheduler }),
    ...(residency === undefined ? {} : { residency }),
  }
}
