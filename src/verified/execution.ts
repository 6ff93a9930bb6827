/**
 * Calls on the states below a trusted head, with eth_call, which most pages need. It is loaded by the first call.
 * @module
 */
import { TransitionCallSimulator } from '../api/calls/callSimulator.ts'
import type { CallSimulator } from '../api/calls/contract.ts'
import { storedAncestorHashes } from '../chain/ancestorHashes.ts'
import type { ChainReader } from '../chain/contract.ts'
import type { ConsensusSchedule, ParentCall, ParentCallResult } from '../chain/engine.ts'
import { callOnParent } from '../chain/parentCall.ts'
import type { ExecutionDeps } from '../chain/transition/executionInput.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import { LazyEvm } from '../evm/lazyEvm.ts'
import { loadNativeEvm } from '../evm/loadNativeEvm.ts'
import { ExecutionScheduler } from '../evm/scheduler.ts'
import type { ForkStore } from '../fork/forkStore.ts'
import type { BaseState } from '../state/baseState.ts'
import { BaseStates } from '../state/baseStates.ts'
import type { StateSource } from '../state/contract.ts'
import type { VerifiedHost } from './contract.ts'

export { call } from '../rpc/methods/eth/call.ts'

export interface ExecutionOptions {
  readonly config: ChainConfig
  readonly consensus: ConsensusSchedule
  readonly host: Pick<VerifiedHost, 'clock' | 'random' | 'evmModule' | 'yieldToHost'>
}

/** Shared by all views. */
export class Execution {
  readonly #deps: ExecutionDeps

  constructor({ config, consensus, host }: ExecutionOptions) {
    const { clock, random, evmModule, yieldToHost } = host
    this.#deps = {
      config,
      evm: new LazyEvm('native', () => loadNativeEvm(clock, random, evmModule)),
      consensus,
      control: { scheduler: new ExecutionScheduler({ clock, yieldToHost }) },
    }
  }

  /** @param base the states in the store, of which nothing else is stored */
  over(store: ForkStore, base: BaseState): ViewExecution {
    const deps = { ...this.#deps, control: { ...this.#deps.control, residency: store } }
    return new ViewExecution(deps, new BaseStates(store, base))
  }
}

/** Executions on the states of one view. */
export class ViewExecution {
  readonly states: StateSource
  readonly calls: CallSimulator
  readonly #deps: ExecutionDeps

  constructor(deps: ExecutionDeps, states: BaseStates) {
    this.states = {
      at: ({ stateRoot }) => (stateRoot.isMissing === true ? undefined : states.reader(stateRoot)),
      mutable: ({ stateRoot }) => (stateRoot.isMissing === true ? undefined : states.mutable(stateRoot)),
    }
    this.calls = new TransitionCallSimulator(deps)
    this.#deps = deps
  }

  /** Calls a contract on the state after the head. */
  async callOnHead(call: ParentCall, chain: ChainReader): Promise<ParentCallResult> {
    const parent = chain.head
    const state = this.states.mutable(parent)
    if (state === undefined) return { kind: 'failed', reason: 'its state is not available' }
    return callOnParent(call, { parent, state, blockHash: storedAncestorHashes(chain, parent) }, this.#deps)
  }
}
