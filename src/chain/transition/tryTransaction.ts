import { isNodeError } from '../../base/primitives/errors.ts'
import type { MaybePromise } from '../../base/primitives/maybePromise.ts'
import type { MutableState } from '../../state/contract.ts'
import type { ExecutionContext } from './applyMessage.ts'
import type { BuildTime } from './buildTime.ts'
import { executeTransaction, type TransactionInput, type TransactionOutcome } from './executeTransaction.ts'
import { type Rejection, reject } from './rejection.ts'

/**
 * Executes a transaction of a block under construction. One that this node cannot run to its end is rejected, and the
 * block goes on without it.
 * @param context of optional transactions
 */
export function tryTransaction(
  input: TransactionInput,
  state: MutableState,
  context: ExecutionContext,
  time: BuildTime,
): MaybePromise<TransactionOutcome> {
  const failed = (error: unknown): TransactionOutcome => {
    const rejection = rejectionOf(error, time)
    if (rejection === undefined) throw error
    return { kind: 'invalid', rejection }
  }
  try {
    const executing = executeTransaction(input, state, context)
    return executing instanceof Promise ? executing.catch(failed) : executing
  } catch (error) {
    return failed(error)
  }
}

function rejectionOf(error: unknown, time: BuildTime): Rejection | undefined {
  if (isNodeError(error, 'EXECUTION_OUT_OF_MEMORY')) return reject('EXECUTION_OUT_OF_MEMORY', error.message)
  if (!isNodeError(error, 'EXECUTION_TIMEOUT')) return undefined
  return time.wasLong
    ? reject('EXECUTION_TOO_SLOW', `${error.message}: the transaction takes longer than a block may`)
    : reject('BLOCK_TIME_LIMIT_REACHED', 'the time for the block is over')
}
