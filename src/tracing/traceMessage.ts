/**
 * Notifies a tracer before and after a message.
 * @module
 */

import type { Residency } from '../base/ports/keyValueStore.ts'
import type { AppliedMessage, TransactionMessage } from '../chain/transition/applyMessage.ts'
import type { ForkRules } from '../config/forks.ts'
import type { BlockEnvironment, StartOptions } from '../evm/evm.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import { recoverAuthority } from '../types/authorization.ts'
import type { Authorization } from '../types/transaction.ts'
import type { TracedTransaction, Tracer, TransactionPosition } from './contract.ts'
import type { StateRecorder } from './stateRecorder.ts'

/** The environment of a message. */
export interface MessageContext {
  readonly rules: ForkRules
  readonly block: BlockEnvironment
  /** undefined for a call that is not part of a block */
  readonly hash: Uint8Array | undefined
  readonly position?: TransactionPosition
}

/**
 * Must be called before the fee is paid.
 * @param recorder state that the message then runs on; nothing has been written to it yet
 * @returns options for the EVM
 */
export function beginTrace(
  tracer: Tracer,
  recorder: StateRecorder,
  message: TransactionMessage,
  { rules, block, hash, position }: MessageContext,
): StartOptions {
  // From here on, `before` refers to the current state.
  recorder.beginTransaction()
  const { sender, to, value, data, gasLimit, gasPrice, intrinsic, authorizationList } = message
  const transaction: TracedTransaction = {
    hash,
    from: sender,
    to,
    value,
    input: data,
    gasLimit,
    gasPrice,
    intrinsicGas: intrinsic.intrinsic,
    ...(authorizationList.length === 0 ? {} : { authorities: authorities(authorizationList) }),
    ...(position === undefined ? {} : { position }),
  }
  tracer.begin({ transaction, rules, block, before: recorder.before, now: recorder.now })
  return tracer.hooks === undefined ? {} : { hooks: tracer.hooks }
}

/** Must be called after the end of the transaction, with its fees paid. */
export function endTrace(
  tracer: Tracer,
  recorder: StateRecorder,
  { result, gasUsed, gasUsedBeforeRefund }: AppliedMessage,
  residency: Residency | undefined,
): Promise<void> {
  const outcome = { result, gasUsed, gasUsedBeforeRefund, changed: recorder.changed }
  return retryMisses(() => tracer.end(outcome), residency)
}

function authorities(list: readonly Authorization[]): readonly Uint8Array[] {
  return list.map(recoverAuthority).filter((authority) => authority !== undefined)
}
