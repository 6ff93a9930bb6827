import { StoreMiss } from '../../base/ports/keyValueStore.ts'
import { bytesToHex, hexToBytes } from '../../base/primitives/bytes.ts'
import { EXISTING_AUTHORITY_REFUND } from '../../chain/transition/delegation.ts'
import type { TracedTransaction, TraceState } from '../contract.ts'

/**
 * The refund counter at the start of a transaction's message: each effective authorization has incremented a nonce and
 * earns a refund if its account existed.
 * @param now the state at the start of the message
 * @see EIP-7702
 */
export function authorizationRefund(
  { authorities = [], from }: TracedTransaction,
  before: TraceState,
  now: TraceState,
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

type Accounts = [old: ReturnType<TraceState['getAccount']>, account: ReturnType<TraceState['getAccount']>]

function accountsOf(authority: Uint8Array, before: TraceState, now: TraceState): Accounts {
  try {
    return [before.getAccount(authority), now.getAccount(authority)]
  } catch (error) {
    // The transaction cannot have changed an account that it has not read.
    if (error instanceof StoreMiss) return [undefined, undefined]
    throw error
  }
}
