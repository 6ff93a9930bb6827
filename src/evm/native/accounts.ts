/** What the engine asks of accounts. */
import { isEmptyAccount } from '../emptyAccount.ts'
import type { Account, StateDB } from '../stateDb.ts'

const MAX_BALANCE = 2n ** 256n - 1n

/** Absent or empty. */
export function isDead(account: Account | undefined): boolean {
  return account === undefined || isEmptyAccount(account)
}

/** Only in a state that no chain has. */
export function overflows(account: Account | undefined, value: bigint): boolean {
  return (account?.balance ?? 0n) + value > MAX_BALANCE
}

/** A failed call of a precompile without value: the state knows whose touch outlives it all the same (RIPEMD-160). */
export function touchInVain(state: StateDB, address: Uint8Array): void {
  state.getAccount(address)
  state.checkpoint()
  state.touch(address)
  state.revert()
}
