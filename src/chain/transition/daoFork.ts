import { hexToBytes } from '../../base/primitives/bytes.ts'
import type { StateDB } from '../../evm/stateDb.ts'
import { daoAccounts } from './daoAccounts.ts'

/** Receives all the balances, 20 bytes. */
const DAO_REFUND_CONTRACT: Uint8Array = hexToBytes('bf4ed7b27f1d666546e30d74d50d173d20bca754')

/** The irregular state change of the DAO fork: moves all balances of the DAO into the refund contract (EIP-779). */
export function applyDaoFork(state: StateDB): void {
  let total = state.getAccount(DAO_REFUND_CONTRACT)?.balance ?? 0n
  for (const address of daoAccounts()) {
    total += state.getAccount(address)?.balance ?? 0n
    state.setBalance(address, 0n)
  }
  state.setBalance(DAO_REFUND_CONTRACT, total)
}
