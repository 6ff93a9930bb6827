import { bytesToHexUnprefixed } from '../../primitives/bytes.ts'
import type { ExecutionEnvironment, Message } from '../engine.ts'
import type { StateDB } from '../stateDb.ts'
import type { PreparedCommon } from './preparedCommon.ts'

/** Whether a call to this address runs nothing: neither code nor a precompile is there. */
export function isTransfer(
  to: Uint8Array,
  state: StateDB,
  { movedPrecompiles }: ExecutionEnvironment,
  { precompiles }: PreparedCommon,
): boolean {
  if (movedPrecompiles !== undefined || precompiles.has(bytesToHexUnprefixed(to))) return false
  return state.getCode(to).length === 0
}

/**
 * Moves the value of a message that runs no code. The caller's balance suffices. All reads come before the first
 * write, so that a miss leaves nothing half done.
 * @param clearsEmpty EIP-161: a transfer of nothing creates no account
 */
export function transfer(
  { caller, to, value }: Message & { to: Uint8Array },
  state: StateDB,
  clearsEmpty: boolean,
): void {
  const sender = state.getAccount(caller)
  const recipient = state.getAccount(to)
  const isSelf = bytesToHexUnprefixed(caller) === bytesToHexUnprefixed(to)
  if (value > 0n && !isSelf) {
    state.setBalance(caller, (sender?.balance ?? 0n) - value)
    state.setBalance(to, (recipient?.balance ?? 0n) + value)
  } else if (recipient === undefined && !clearsEmpty) {
    state.createAccount(to)
  }
  state.touch(caller)
  state.touch(to)
}
