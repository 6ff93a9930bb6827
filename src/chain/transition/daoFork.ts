import type { StateDB } from '../../evm/stateDb.ts'
import { DAO_ACCOUNTS, DAO_REFUND_CONTRACT } from './daoAccounts.ts'

/** The irregular state change of the DAO fork: moves all balances of the DAO into the refund contract (EIP-779). */
export function applyDaoFork(state: StateDB): void {
  let total = state.getAccount(DAO_REFUND_CONTRACT)?.balance ?? 0n
  for (const address of DAO_ACCOUNTS) {
    total += state.getAccount(address)?.balance ?? 0n
    state.setBalance(address, 0n)
  }
  state.setBalance(DAO_REFUND_CONTRACT, total)
}
