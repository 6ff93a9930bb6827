/**
 * Everything that the trusted head proves: the chain up to it and its states.
 * @module
 */

import { TransitionCallSimulator } from '../api/calls/callSimulator.ts'
import type { CallSimulator } from '../api/calls/contract.ts'
import type { ApiOptions } from '../api/options.ts'
import type { Residency } from '../base/ports/keyValueStore.ts'
import type { YieldToHost } from '../base/ports/yieldToHost.ts'
import { storedAncestorHashes } from '../chain/ancestorHashes.ts'
import type { ParentCall, ParentCallResult } from '../chain/engine.ts'
import { callOnParent } from '../chain/parentCall.ts'
import type { ExecutionDeps } from '../chain/transition/executionInput.ts'
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
import type { StateSource } from '../state/contract.ts'
import { StateStore } from '../state/stateStore.ts'
import type { PoolReader } from '../txpool/contract.ts'
import { EMPTY_POOL } from '../txpool/emptyPool.ts'
import { encodeHeader } from '../types/headerCodec.ts'
import { storeOfHead, VerifiedChain } from './verifiedChain.ts'

/** Parts that all views share. */
export interface ViewDeps {
  readonly remote: RemoteAccess
  /** Values that were proven for one head are proven for all. */
  readonly source: ForkSource
  /** 16 bytes (fork/cacheKeys.ts) */
  readonly scope: Uint8Array
  readonly execution: Omit<ExecutionDeps, 'control'> & { readonly control: Pick<ExecutionDeps['control'], 'scheduler'> }
  readonly options: ApiOptions
  readonly yieldToHost: YieldToHost
}

/** The part of the node's backend that the proven methods need. */
export interface VerifiedBackend {
  readonly chain: VerifiedChain
  readonly states: StateSource
  readonly calls: CallSimulator
  readonly consensus: ExecutionDeps['consensus']
  readonly options: ApiOptions
  readonly pool: PoolReader
  readonly residency: Residency
  readonly yieldToHost: YieldToHost
}

export class VerifiedView {
  readonly head: ForkHeader
  readonly backend: VerifiedBackend
  readonly #execution: ExecutionDeps

  constructor(deps: ViewDeps, head: ForkHeader) {
    const { remote, source, scope, options, yieldToHost } = deps
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
    const { config, consensus, control } = deps.execution
    this.#execution = { ...deps.execution, control: { ...control, residency: store } }
    const states = new StateStore(store, { base: state, keepsPreimages: false })
    // Its size must be that of its body, like that of every other block.
    source.put([
      [cacheKeys.plainBlock(scope, head.hash), encodePlainBlock(head)],
      [cacheKeys.header(head.hash), encodeHeader(head.header)],
    ])
    this.head = head
    this.backend = {
      chain: new VerifiedChain(store, config, head, consensus.claimedBy(head.header).finality === 'immediate'),
      states: {
        at: ({ stateRoot }) => (stateRoot.isMissing === true ? undefined : states.reader(stateRoot)),
        mutable: ({ stateRoot }) => (stateRoot.isMissing === true ? undefined : states.mutable(stateRoot)),
      },
      calls: new TransitionCallSimulator(this.#execution),
      consensus,
      options,
      pool: EMPTY_POOL,
      residency: store,
      yieldToHost,
    }
  }

  /** Calls a contract on the state after the head. */
  async call(call: ParentCall): Promise<ParentCallResult> {
    const { chain, states } = this.backend
    const parent = chain.head
    const state = states.mutable(parent)
    if (state === undefined) return { kind: 'failed', reason: 'its state is not available' }
    return callOnParent(call, { parent, state, blockHash: storedAncestorHashes(chain, parent) }, this.#execution)
  }
}
