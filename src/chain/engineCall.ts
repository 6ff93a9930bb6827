import type { Residency } from '../base/ports/keyValueStore.ts'
import type { MaybePromise } from '../base/primitives/maybePromise.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import type { Evm } from '../evm/evm.ts'
import type { ExecutionScheduler } from '../evm/scheduler.ts'
import type { StateStore } from '../state/stateStore.ts'
import type { StagedStore } from '../storage/stagedStore.ts'
import { ancestorHashes } from './ancestorHashes.ts'
import type { BlockStore } from './blockStore.ts'
import type { StoredHeader } from './blockTables.ts'
import type { ConsensusEngine, ConsensusSchedule, ParentCallResult } from './engine.ts'
import { callOnParent } from './parentCall.ts'

interface Ancestors {
  readonly parent: StoredHeader
  readonly blocks: BlockStore
  readonly stage?: StagedStore
}

interface CallModules {
  readonly config: ChainConfig
  readonly evm: Evm
  readonly consensus: ConsensusSchedule
  readonly states: StateStore
  readonly scheduler?: ExecutionScheduler
  readonly residency?: Residency
}

/**
 * The call that an engine needs on the parent of a block.
 * @returns undefined when the engine needs none or the state of the parent is not available
 */
export function callForEngine(
  engine: ConsensusEngine,
  { parent, blocks, stage }: Ancestors,
  { config, evm, consensus, states, scheduler, residency }: CallModules,
): MaybePromise<ParentCallResult> | undefined {
  const call = engine.parentCall?.()
  if (call === undefined || parent.stateRoot.isMissing === true) return undefined
  const state = states.mutable(parent.stateRoot, stage)
  const blockHash = ancestorHashes(parent, blocks, (hash) => blocks.header(hash))
  return callOnParent(call, { parent, state, blockHash }, { config, evm, consensus, control: { scheduler, residency } })
}
