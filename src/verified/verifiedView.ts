/**
 * Everything that the trusted head proves: the chain up to it and its states.
 * @module
 */
import type { ApiOptions } from '../api/options.ts'
import type { YieldToHost } from '../base/ports/yieldToHost.ts'
import type { ConsensusSchedule, ParentCall, ParentCallResult } from '../chain/engine.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import { cacheKeys } from '../fork/cacheKeys.ts'
import type { ForkSource } from '../fork/contract.ts'
import { encodePlainBlock, type ForkHeader } from '../fork/forkBlock.ts'
import { ForkBlocks } from '../fork/forkBlocks.ts'
import { ForkStore } from '../fork/forkStore.ts'
import { remoteBlockOf } from '../fork/openFork.ts'
import { ReadAhead } from '../fork/readAhead.ts'
import type { RemoteAccess } from '../fork/remoteAccess.ts'
import { RemoteBlocks } from '../fork/remoteBlocks.ts'
import { RemoteHeaders } from '../fork/remoteHeaders.ts'
import { RemoteState } from '../fork/remoteState.ts'
import { StateRemote } from '../fork/stateRemote.ts'
import { BaseReader } from '../state/baseReader.ts'
import type { StateReader, StoredState } from '../state/contract.ts'
import { EMPTY_POOL } from '../txpool/emptyPool.ts'
import { encodeHeader } from '../types/headerCodec.ts'
import type { CallBackend, ReadBackend } from './backend.ts'
import type { Execution, ViewExecution } from './execution.ts'
import { storeOfHead, VerifiedChain } from './verifiedChain.ts'

/** Parts that all views share. */
export interface ViewDeps {
  readonly remote: RemoteAccess
  /** Values that were proven for one head are proven for all. */
  readonly source: ForkSource
  /** 16 bytes (fork/cacheKeys.ts) */
  readonly scope: Uint8Array
  readonly config: ChainConfig
  readonly consensus: ConsensusSchedule
  readonly options: ApiOptions
  readonly yieldToHost: YieldToHost
  /** Loads what executes code. */
  loadExecution(): Promise<Execution>
}

export class VerifiedView {
  readonly head: ForkHeader
  readonly reads: ReadBackend
  readonly #load: () => Promise<ViewExecution>
  #execution: ViewExecution | undefined

  constructor(deps: ViewDeps, head: ForkHeader) {
    const { remote, source, scope, config, consensus, options, yieldToHost } = deps
    const onUnverified = (): void => {}
    const proofs = new StateRemote({ remote, mode: 'proofs', onUnverified })
    const headers = new RemoteHeaders({ remote, source, scope, forkBlock: head, checks: true, isStrict: true })
    const parts = new RemoteBlocks({ remote, source, checks: true, isStrict: true, onUnverified })
    const state = new RemoteState(
      { source, remote: proofs, scope, readAhead: new ReadAhead({ remote, source }) },
      remoteBlockOf(head),
    )
    const blocks = new ForkBlocks(headers, parts, head)
    const store = new ForkStore({ local: storeOfHead(head), blocks, state, source, remote })
    // Its size must be that of its body, like that of every other block.
    source.put([
      [cacheKeys.plainBlock(scope, head.hash), encodePlainBlock(head)],
      [cacheKeys.header(head.hash), encodeHeader(head.header)],
    ])
    this.head = head
    this.#load = async () => (await deps.loadExecution()).over(store, state)
    this.reads = {
      chain: new VerifiedChain(store, config, head, consensus.claimedBy(head.header).finality === 'immediate'),
      states: { at: ({ stateRoot }) => stateReader(state, stateRoot) },
      consensus,
      options,
      pool: EMPTY_POOL,
      residency: store,
      yieldToHost,
    }
  }

  /** The backend of methods that execute code, which is loaded by the first of them. */
  async calls(): Promise<CallBackend> {
    const { states, calls } = await this.#executing()
    return { ...this.reads, states, calls }
  }

  /** Calls a contract on the state after the head. */
  async call(call: ParentCall): Promise<ParentCallResult> {
    return (await this.#executing()).callOnHead(call, this.reads.chain)
  }

  async #executing(): Promise<ViewExecution> {
    this.#execution ??= await this.#load()
    return this.#execution
  }
}

/** All states are those of the remote's chain. */
function stateReader(states: RemoteState, root: StoredState): StateReader | undefined {
  if (root.isMissing === true || root.base === undefined) return undefined
  return new BaseReader(states, root.base, root)
}
