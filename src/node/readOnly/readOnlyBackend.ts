/**
 * Answers from a store that another process or thread writes: chain, states and execution, without a writer.
 * @module
 */
import { TransitionCallSimulator } from '../../api/calls/callSimulator.ts'
import type { SenderRecovery } from '../../base/ports/host.ts'
import type { KeyValueReader } from '../../base/ports/keyValueStore.ts'
import { StoredChain } from '../../chain/storedChain.ts'
import type { ExecutionDeps } from '../../chain/transition/executionInput.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { createSchedule } from '../../consensus/createSchedule.ts'
import type { RpcBackend } from '../../rpc/backend.ts'
import { StateStore } from '../../state/stateStore.ts'
import { Replay } from '../../tracing/replay.ts'
import { createExecution, type ExecutionHost } from '../execution.ts'
import type { NodeSettings } from '../settings/nodeSettings.ts'
import { stateSource } from '../stateSource.ts'

export interface ReaderHost extends ExecutionHost {
  /** Synchronous. Reads within one turn of the event loop see the same commit. */
  readonly store: KeyValueReader
  readonly senders: SenderRecovery
}

/** The settings that affect answers. */
export type ReaderSettings = Pick<NodeSettings, 'rpc' | 'evm' | 'slotsInEpoch' | 'memory'>

/** The backend of read-only methods. */
export type ReadBackend = Pick<RpcBackend, 'chain' | ReadMembers>

type ReadMembers = 'states' | 'calls' | 'tracing' | 'consensus' | 'options' | 'yieldToHost' | 'scripts'

/** The parts of the backend that need no writer. */
export interface ReadOnlyBackend extends Pick<RpcBackend, ReadMembers> {
  readonly chain: StoredChain
  readonly execution: ExecutionDeps
}

/**
 * @param config of the chain in the store
 * @throws {NodeError} STORE_DAMAGED, FORMAT_TOO_NEW, STORE_NOT_MIGRATED
 */
export function openReadOnlyBackend(
  host: ReaderHost,
  config: ChainConfig,
  { rpc, evm: engine, slotsInEpoch, memory }: ReaderSettings,
): ReadOnlyBackend {
  const { store, senders, yieldToHost } = host
  const chain = new StoredChain(store, config, slotsInEpoch, memory)
  const { evm, scheduler } = createExecution(host, { evm: engine, memory })
  const consensus = createSchedule(config)
  const states = stateSource(new StateStore(store, { isWrittenElsewhere: true, memory }))
  const deps: ExecutionDeps = { config, evm, consensus, control: { scheduler } }
  return {
    chain,
    execution: deps,
    states,
    calls: new TransitionCallSimulator(deps),
    tracing: new Replay({ ...deps, chain, states, senders, changesBytes: memory.tracedChanges }),
    consensus,
    options: rpc,
    scripts: host.scripts,
    yieldToHost,
  }
}
