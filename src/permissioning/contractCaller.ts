/**
 * Asks a permissioning contract. Each call runs on a separate state, which is dropped.
 * @module
 */
import { callOnParent } from '../chain/parentCall.ts'
import type { SenderCheckPlace } from '../chain/senderCheck.ts'
import type { ExecutionParts } from '../chain/transition/executionInput.ts'
import type { ParentCall, ParentCallResult } from '../consensus/engine.ts'
import { type MaybePromise, mapMaybe } from '../primitives/maybePromise.ts'
import { retryMissesMaybe } from '../storage/retryMisses.ts'
import type { ContractVerdict } from './contractCalls.ts'

export class ContractCaller {
  readonly #execution: ExecutionParts
  readonly #isAllowedWithoutCode: boolean

  /** @param isAllowedWithoutCode the verdict while the contract does not exist */
  constructor(execution: ExecutionParts, isAllowedWithoutCode: boolean) {
    this.#execution = execution
    this.#isAllowedWithoutCode = isAllowedWithoutCode
  }

  /** Synchronous when the EVM and the store answer synchronously. Never throws for the contract's faults. */
  ask(
    call: ParentCall,
    verdictOf: (result: ParentCallResult) => ContractVerdict,
    { parent, state: open, blockHash }: SenderCheckPlace,
  ): MaybePromise<ContractVerdict> {
    const { control } = this.#execution
    const state = open()
    const code = retryMissesMaybe(() => state.getCode(call.to), control.residency)
    return mapMaybe(code, ({ length }) => {
      if (length === 0) return this.#isAllowedWithoutCode ? 'allowed' : 'failed'
      return mapMaybe(callOnParent(call, { parent, state, blockHash }, this.#execution), verdictOf)
    })
  }
}
