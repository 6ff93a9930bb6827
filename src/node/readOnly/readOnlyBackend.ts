/**
 * Answers from a store that another process or thread writes: chain, states and execution, without a writer.
 * @module
 */
import { TransitionCallSimulator } from '../../api/calls/callSimulator.ts'
import type { SenderRecovery } from '../../base/ports/host.ts'
import type { KeyValueReader, Residency } from '../../base/ports/keyValueStore.ts'
import type { ConsensusSchedule } from '../../chain/engine.ts'
import { StoredChain } from '../../chain/storedChain.ts'
import type { ExecutionDeps } from '../../chain/transition/executionInput.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { createSchedule } from '../../consensus/createSchedule.ts'
import type { RpcBackend } from '../../rpc/backend.ts'
import { StateStore } from '../../state/stateStore.ts'
import { Replay } from '../../tracing/replay.ts'
import { createExecution, type ExecutionHost, type NodeExecution } from '../execution.ts'
import type { NodeSettings } from '../settings/nodeSettings.ts'
import { stateSource } from '../stateSource.ts'

export interface ReaderHost extends ExecutionHost {
  /** Synchronous. Reads within one turn of the event loop see the same commit. */
  readonly store: KeyValueReader
  /** Needed over a store that is not fully resident. */
  readonly residency?: Residency | undefined
  readonly senders: SenderRecovery
}

/** The settings that affect answers. */
export type ReaderSettings = Pick<NodeSettings, 'rpc' | 'evm' | 'slotsInEpoch' | 'memory'>

/** The backend of read-only methods. */
export type ReadBackend = Pick<RpcBackend, 'chain' | ReadMembers>

type ReadMembers = 'states' | 'calls' | 'tracing' | 'consensus' | 'options' | 'yieldToHost' | 'scripts' | 'residency'

/** The parts of the backend that need no writer. */
export interface ReadOnlyBackend extends Pick<RpcBackend, ReadMembers> {
  readonly chain: StoredChain
  readonly execution: ExecutionDeps
}

/** The parts that views of the same chain share. */
export interface SharedExecution extends NodeExecution {
  readonly consensus: ConsensusSchedule
  /** Default: the chain as it is stored. */
  readonly openChain?: () => StoredChain
}

export function openExecution(host: ReaderHost, config: ChainConfig, settings: ReaderSettings): SharedExecution {
  return { ...createExecution(host, settings), consensus: createSchedule(config) }
}

/**
 * @param config of the chain in the store
 * @param shared default: opened for this backend
 * @throws {NodeError} STORE_DAMAGED, FORMAT_TOO_NEW, STORE_NOT_MIGRATED
 */
export function openReadOnlyBackend(
  host: ReaderHost,
  config: ChainConfig,
  settings: ReaderSettings,
  shared?: SharedExecution,
): ReadOnlyBackend {
  const { rpc, slotsInEpoch, memory } = settings
  const { store, residency, senders, yieldToHost } = host
  const chain = shared?.openChain?.() ?? new StoredChain(store, config, slotsInEpoch, memory)
  const { evm, scheduler, consensus } = shared ?? openExecution(host, config, settings)
  const states = stateSource(new StateStore(store, { isWrittenElsewhere: true, memory }))
  const deps: ExecutionDeps = { config, evm, consensus, control: { scheduler, residency } }
  return {
    chain,
    execution: deps,
    states,
    calls: new TransitionCallSimulator(deps),
    tracing: new Replay({ ...deps, chain, states, senders, changesBytes: memory.tracedChanges }),
    consensus,
    options: rpc,
    scripts: host.scripts,
    residency,
    yieldToHost,
  }
}
