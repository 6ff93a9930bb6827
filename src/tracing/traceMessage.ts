/**
 * A tracer around a message: what it is told before and after.
 * @module
 */
import type { AppliedMessage, TransactionMessage } from '../chain/transition/applyMessage.ts'
import type { ForkRules } from '../config/forks.ts'
import type { BlockEnvironment, StartOptions } from '../evm/evm.ts'
import type { Residency } from '../ports/keyValueStore.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import { recoverAuthority } from '../types/authorization.ts'
import type { Authorization } from '../types/transaction.ts'
import type { TracedTransaction, Tracer, TransactionPosition } from './contract.ts'
import type { StateRecorder } from './stateRecorder.ts'

/** Around the message. */
export interface MessagePlace {
  readonly rules: ForkRules
  readonly block: BlockEnvironment
  /** undefined for a call that is not part of a block */
  readonly hash: Uint8Array | undefined
  readonly position?: TransactionPosition
}

/**
 * To be called before the fee is paid.
 * @param recorder what the message then runs on; it has not seen a write yet
 * @returns what the engine has to be told
 */
export function beginTrace(
  tracer: Tracer,
  recorder: StateRecorder,
  message: TransactionMessage,
  { rules, block, hash, position }: MessagePlace,
): StartOptions {
  // From here on `before` is the state as it is now.
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

/** To be called when the transaction is settled and has ended. */
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
