import type { PoolReader } from '../txpool/contract.ts'
import type { RpcProfile } from './profile.ts'

/**
 * Nonce for an account's next transaction.
 * @param nonce of the account at the head
 */
export function pendingNonce(pool: PoolReader, account: Uint8Array, nonce: bigint, profile: RpcProfile): bigint {
  if (profile === 'geth') return firstFree(pool, account, nonce)
  const next = pool.nextNonce(account) ?? 0n
  return next > nonce ? next : nonce
}

/** Transactions beyond a nonce gap do not count: they cannot be executed. */
function firstFree(pool: PoolReader, account: Uint8Array, nonce: bigint): bigint {
  let next = nonce
  for (const { transaction } of pool.bySender(account)) {
    if (transaction.nonce > next) break
    if (transaction.nonce === next) next++
  }
  return next
}
