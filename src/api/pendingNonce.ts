import { equalBytes } from '../base/primitives/bytes.ts'
import type { PoolReader } from '../txpool/contract.ts'
import { recoverAuthority } from '../types/authorization.ts'
import type { Transaction } from '../types/transaction.ts'
import type { RpcProfile } from './profile.ts'

/** Returns an account's nonce after one of its transactions. */
type NonceAfter = (transaction: Transaction, account: Uint8Array) => bigint

/**
 * Nonce for an account's next transaction.
 * @param nonce of the account at the head
 */
export function pendingNonce(pool: PoolReader, account: Uint8Array, nonce: bigint, profile: RpcProfile): bigint {
  if (profile === 'geth') return firstFree(pool, account, nonce, ({ nonce: used }) => used + 1n)
  const next = pool.nextNonce(account) ?? 0n
  return next > nonce ? next : nonce
}

/**
 * As {@link pendingNonce}, for the node's own transactions: an account that delegates itself uses one nonce more, which
 * costs the recovery of a signature to know.
 * @see EIP-7702
 */
export function nonceAfterPending(pool: PoolReader, account: Uint8Array, nonce: bigint): bigint {
  return firstFree(pool, account, nonce, afterDelegations)
}

/** Transactions beyond a nonce gap do not count: they cannot be executed. */
function firstFree(pool: PoolReader, account: Uint8Array, nonce: bigint, nonceAfter: NonceAfter): bigint {
  let next = nonce
  for (const { transaction } of pool.bySender(account)) {
    if (transaction.nonce > next) break
    if (transaction.nonce === next) next = nonceAfter(transaction, account)
  }
  return next
}

function afterDelegations(transaction: Transaction, account: Uint8Array): bigint {
  let next = transaction.nonce + 1n
  if (transaction.type !== 4) return next
  for (const authorization of transaction.authorizationList) {
    if (authorization.nonce !== next) continue
    const authority = recoverAuthority(authorization)
    if (authority !== undefined && equalBytes(authority, account)) next++
  }
  return next
}
