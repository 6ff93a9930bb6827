/**
 * Asks a permissioning contract. Changes that a call makes are discarded.
 * @module
 */

import { MAX_CALLS_OF_PERMISSION_STATE } from '../base/limits/limits.ts'
import { type MaybePromise, mapMaybe } from '../base/primitives/maybePromise.ts'
import type { ParentCall, ParentCallResult } from '../chain/engine.ts'
import { callOnParent } from '../chain/parentCall.ts'
import type { SenderCheckContext } from '../chain/senderCheck.ts'
import type { ExecutionDeps } from '../chain/transition/executionInput.ts'
import type { MutableState } from '../state/contract.ts'
import { retryMissesMaybe } from '../storage/retryMisses.ts'
import type { ContractVerdict } from './contractCalls.ts'

interface IdleState {
  readonly state: MutableState
  /** Number of calls on it so far. */
  readonly calls: number
}

export class ContractCaller {
  readonly #execution: ExecutionDeps
  readonly #isAllowedWithoutCode: boolean
  /** States without a running call. They keep in memory what earlier calls have read. */
  readonly #idle = new WeakMap<SenderCheckContext, IdleState>()

  /** @param isAllowedWithoutCode the verdict while the contract does not exist */
  constructor(execution: ExecutionDeps, isAllowedWithoutCode: boolean) {
    this.#execution = execution
    this.#isAllowedWithoutCode = isAllowedWithoutCode
  }

  /** Synchronous when the EVM and the store answer synchronously. Never throws for the contract's faults. */
  ask(
    call: ParentCall,
    verdictOf: (result: ParentCallResult) => ContractVerdict,
    context: SenderCheckContext,
  ): MaybePromise<ContractVerdict> {
    const { control } = this.#execution
    const { parent, blockHash } = context
    const { state, calls } = this.#idle.get(context) ?? { state: context.state(), calls: 0 }
    this.#idle.delete(context)
    const code = retryMissesMaybe(() => state.getCode(call.to), control.residency)
    return mapMaybe(code, ({ length }) => {
      if (length === 0) return this.#isAllowedWithoutCode ? 'allowed' : 'failed'
      state.checkpoint()
      return mapMaybe(callOnParent(call, { parent, state, blockHash }, this.#execution), (result) => {
        state.revert()
        if (calls + 1 < MAX_CALLS_OF_PERMISSION_STATE) this.#idle.set(context, { state, calls: calls + 1 })
        return verdictOf(result)
      })
    })
  }
}
