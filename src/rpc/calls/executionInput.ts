/**
 * From what RPC asks for to the input of the chain's transition.
 * @module
 */
import type { BlockExecutionInput } from '../../chain/transition/contract.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { Patience } from '../../evm/driver.ts'
import type { Engine } from '../../evm/engine.ts'
import type { MutableState } from '../../state/contract.ts'
import type { Block } from '../../types/block.ts'
import type { CallLimits, ConsensusSource } from '../backend.ts'

/** What simulations run with. */
export interface CallModules {
  readonly config: ChainConfig
  readonly engine: Engine
  readonly engines: ConsensusSource
  /** Scheduler and residency; deadline and signal come with each call. */
  readonly patience: Pick<Patience, 'scheduler' | 'residency'>
}

export function patienceOf({ patience }: CallModules, { signal, timeoutMs, deadline }: CallLimits): Patience {
  const { scheduler } = patience
  const left = deadline === undefined || scheduler === undefined ? timeoutMs : deadline - scheduler.clock.monotonic()
  return { ...patience, signal, deadlineMs: Math.max(Math.ceil(left), 0) }
}

export interface ExecutionTarget {
  readonly block: Block
  readonly senders: readonly Uint8Array[]
  readonly state: MutableState
  blockHash(number: bigint): Uint8Array | undefined
}

export function executionInput(
  { config, engine, engines, patience }: CallModules,
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
