/**
 * Authorisations, which let accounts run the code of other accounts.
 * @see EIP-7702
 * @module
 */

import { concatBytes, EMPTY_BYTES, isZeroBytes } from '../../base/primitives/bytes.ts'
import { DELEGATION_DESIGNATOR, isDelegation } from '../../evm/delegation.ts'
import type { StateDB } from '../../evm/stateDb.ts'
import { recoverAuthority } from '../../types/authorization.ts'
import type { Authorization } from '../../types/transaction.ts'

const MAX_NONCE = 2n ** 64n - 1n
/** Refund for an authority whose account existed: PER_EMPTY_ACCOUNT_COST - PER_AUTH_BASE_COST. */
export const EXISTING_AUTHORITY_REFUND = 12_500n

export interface AppliedAuthorization {
  /** Becomes warm even when the authorisation has no effect; undefined without a valid signature for this chain. */
  readonly authority: Uint8Array | undefined
  /** gas */
  readonly refund: bigint
}

const NO_EFFECT: AppliedAuthorization = { authority: undefined, refund: 0n }

/**
 * Sets one delegation. An invalid authorisation is skipped, as EIP-7702 requires. All reads precede the first write.
 */
export function applyAuthorization(
  authorization: Authorization,
  chainId: bigint,
  state: StateDB,
): AppliedAuthorization {
  if (authorization.chainId !== 0n && authorization.chainId !== chainId) return NO_EFFECT
  if (authorization.nonce >= MAX_NONCE) return NO_EFFECT
  const authority = recoverAuthority(authorization)
  if (authority === undefined) return NO_EFFECT
  const account = state.getAccount(authority)
  const code = account === undefined ? EMPTY_BYTES : state.getCode(authority)
  const mayDelegate = code.length === 0 || isDelegation(code)
  if (!mayDelegate || (account?.nonce ?? 0n) !== authorization.nonce) return { authority, refund: 0n }
  state.setCode(
    authority,
    isZeroBytes(authorization.address) ? EMPTY_BYTES : concatBytes(DELEGATION_DESIGNATOR, authorization.address),
  )
  state.setNonce(authority, authorization.nonce + 1n)
  return { authority, refund: account === undefined ? 0n : EXISTING_AUTHORITY_REFUND }
}
