import { EXISTING_AUTHORITY_REFUND } from '../../chain/transition/delegation.ts'
import { StoreMiss } from '../../ports/keyValueStore.ts'
import { bytesToHex, hexToBytes } from '../../primitives/bytes.ts'
import type { StateView, TracedTransaction } from '../contract.ts'

/**
 * What the authorizations of a transaction have put into the refund counter when its message begins: each one that took
 * effect has raised a nonce, and is paid back for an account that was there.
 * @param now the state as the message begins
 * @see EIP-7702
 */
export function authorizationRefund(
  { authorities = [], from }: TracedTransaction,
  before: StateView,
  now: StateView,
): number {
  const sender = bytesToHex(from)
  let count = 0n
  for (const authority of new Set(authorities.map(bytesToHex))) {
    const [old, account] = accountsOf(hexToBytes(authority), before, now)
    const raised = (account?.nonce ?? 0n) - (old?.nonce ?? 0n) - (authority === sender ? 1n : 0n)
    if (raised > 0n) count += old === undefined ? raised - 1n : raised
  }
  return Number(count * EXISTING_AUTHORITY_REFUND)
}

type Accounts = [old: ReturnType<StateView['getAccount']>, account: ReturnType<StateView['getAccount']>]

function accountsOf(authority: Uint8Array, before: StateView, now: StateView): Accounts {
  try {
    return [before.getAccount(authority), now.getAccount(authority)]
  } catch (error) {
    // What the transaction has not read it has not changed.
    if (error instanceof StoreMiss) return [undefined, undefined]
    throw error
  }
}
