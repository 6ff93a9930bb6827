/** Account checks of the native EVM. */
import { isEmptyAccount } from '../emptyAccount.ts'
import type { Account, StateDB } from '../stateDb.ts'

const MAX_BALANCE = 2n ** 256n - 1n

/** Absent or empty. */
export function isDead(account: Account | undefined): boolean {
  return account === undefined || isEmptyAccount(account)
}

/** Impossible on real chains, because the total supply is far below the bound. */
export function overflows(account: Account | undefined, value: bigint): boolean {
  return (account?.balance ?? 0n) + value > MAX_BALANCE
}

/**
 * The touch by a failed call of a precompile without value. It is reverted, but the state keeps the touches that
 * outlive a revert (RIPEMD-160).
 */
export function touchAndRevert(state: StateDB, address: Uint8Array): void {
  state.getAccount(address)
  state.checkpoint()
  state.touch(address)
  state.revert()
}
