/**
 * SELFDESTRUCT.
 * @see EIP-150, EIP-161, EIP-3529, EIP-6780
 * @module
 */
import { bytesToHexUnprefixed, equalBytes } from '../../base/primitives/bytes.ts'
import { transferLog } from '../transferLogs.ts'
import { isDead } from './accounts.ts'
import { ANSWER_FLAGS, FRAME_ADDRESS, REQUEST_ADDRESS, TARGET_NEW } from './assembly/layout.ts'
import type { MessageExecution } from './messageExecution.ts'

/** Before EIP-3529, once per account. */
const REFUND = 24_000

/** EXIT_SELFDESTRUCT: whether the new-account cost is due. Marks the frame, so that its end reaches the host. */
export function answerSelfDestruct(execution: MessageExecution): void {
  const flags = paysForNewAccount(execution, execution.instance.address(REQUEST_ADDRESS)) ? TARGET_NEW : 0
  execution.marks.openAll()
  execution.instance.setU32(ANSWER_FLAGS, flags)
}

/** Whether SELFDESTRUCT in the running frame pays for a new account. */
export function paysForNewAccount({ instance, state, eips }: MessageExecution, address: Uint8Array): boolean {
  if (!eips.has(150)) return false
  const beneficiary = state.getAccount(address)
  if (!eips.has(161)) return beneficiary === undefined
  const balance = state.getAccount(instance.address(instance.frame + FRAME_ADDRESS))?.balance ?? 0n
  return balance > 0n && isDead(beneficiary)
}

/** Moves the balance and records the account. */
export function selfDestruct(execution: MessageExecution): void {
  const { instance, state, eips, effects, logsTransfers } = execution
  const address = instance.address(instance.frame + FRAME_ADDRESS)
  const beneficiary = instance.address(REQUEST_ADDRESS)
  const balance = state.getAccount(address)?.balance ?? 0n
  const target = state.getAccount(beneficiary)
  const isSelf = equalBytes(address, beneficiary)
  const key = bytesToHexUnprefixed(address)
  if (effects.selfDestructs.add(key) && !eips.has(3529)) instance.addRefund(REFUND)
  if (logsTransfers && balance > 0n) effects.logs.push(transferLog(address, beneficiary, balance))
  if (!isSelf) {
    if (balance > 0n) state.setBalance(beneficiary, (target?.balance ?? 0n) + balance)
    else if (target === undefined && !eips.has(161)) state.createAccount(beneficiary)
    else state.touch(beneficiary)
  }
  if (!isSelf || !eips.has(6780) || effects.created.has(key)) state.setBalance(address, 0n)
}
