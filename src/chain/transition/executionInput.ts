import type { ChainConfig } from '../../config/chainConfig.ts'
import type { ExecutionControl } from '../../evm/driver.ts'
import type { DevEnvironment, Evm } from '../../evm/evm.ts'
import type { MutableState } from '../../state/contract.ts'
import type { Block } from '../../types/block.ts'
import type { ConsensusSchedule } from '../engine.ts'
import type { BlockExecutionInput } from './contract.ts'

/** Needed by every execution outside an import: simulations, calls and replays. */
export interface ExecutionDeps {
  readonly config: ChainConfig
  readonly evm: Evm
  readonly consensus: ConsensusSchedule
  /** Scheduler and residency; deadline and signal differ for each run. */
  readonly control: Pick<ExecutionControl, 'scheduler' | 'residency'>
}

export interface ExecutionTarget {
  readonly block: Block
  readonly senders: readonly Uint8Array[]
  readonly state: MutableState
  readonly dev?: DevEnvironment | undefined
  blockHash(number: bigint): Uint8Array | undefined
}

/** The input of the transition for a block that is simulated or executed again, not imported. */
export function executionInput(
  { config, evm, consensus, control }: ExecutionDeps,
  target: ExecutionTarget,
): BlockExecutionInput {
  const { scheduler, residency } = control
  return {
    ...target,
    config,
    evm,
    rules: config.rulesAt(target.block.header),
    engine: consensus.claimedBy(target.block.header),
    keepRevertReasons: false,
    scheduler,
    residency,
  }
}
