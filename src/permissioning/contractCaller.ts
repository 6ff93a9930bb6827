/**
 * Asks a permissioning contract. Changes that a call makes are discarded.
 * @module
 */

import { MAX_CALLS_OF_PERMISSION_STATE } from '../base/limits/limits.ts'
import { type MaybePromise, mapMaybe } from '../base/primitives/maybePromise.ts'
import type { ParentCall, ParentCallResult } from '../chain/engine.ts'
import { callOnParent } from '../chain/parentCall.ts'
import type { SenderCheckPlace } from '../chain/senderCheck.ts'
import type { ExecutionParts } from '../chain/transition/executionInput.ts'
import type { MutableState } from '../state/contract.ts'
import { retryMissesMaybe } from '../storage/retryMisses.ts'
import type { ContractVerdict } from './contractCalls.ts'

interface IdleState {
  readonly state: MutableState
  /** Number of calls on it so far. */
  readonly calls: number
}

export class ContractCaller {
  readonly #execution: ExecutionParts
  readonly #isAllowedWithoutCode: boolean
  /** States without a running call. They keep in memory what earlier calls have read. */
  readonly #idle = new WeakMap<SenderCheckPlace, IdleState>()

  /** @param isAllowedWithoutCode the verdict while the contract does not exist */
  constructor(execution: ExecutionParts, isAllowedWithoutCode: boolean) {
    this.#execution = execution
    this.#isAllowedWithoutCode = isAllowedWithoutCode
  }

  /** Synchronous when the EVM and the store answer synchronously. Never throws for the contract's faults. */
  ask(
    call: ParentCall,
    verdictOf: (result: ParentCallResult) => ContractVerdict,
    place: SenderCheckPlace,
  ): MaybePromise<ContractVerdict> {
    const { control } = this.#execution
    const { parent, blockHash } = place
    const { state, calls } = this.#idle.get(place) ?? { state: place.state(), calls: 0 }
    this.#idle.delete(place)
    const code = retryMissesMaybe(() => state.getCode(call.to), control.residency)
    return mapMaybe(code, ({ length }) => {
      if (length === 0) return this.#isAllowedWithoutCode ? 'allowed' : 'failed'
      state.checkpoint()
      return mapMaybe(callOnParent(call, { parent, state, blockHash }, this.#execution), (result) => {
        state.revert()
        if (calls + 1 < MAX_CALLS_OF_PERMISSION_STATE) this.#idle.set(place, { state, calls: calls + 1 })
        return verdictOf(result)
      })
    })
  }
}
