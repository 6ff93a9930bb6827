/**
 * Parts that all methods of private transactions share.
 * @module
 */
import { toBase64 } from '../../../base/primitives/base64.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { PrivacyAccess } from '../../../private/privacy/access.ts'
import type { RequestContext } from '../../method.ts'

export interface PrivacyBackend {
  /** undefined: the node has no private transactions */
  readonly privacy?: PrivacyAccess | undefined
}

/** @throws {NodeError} PRIVACY_NOT_ENABLED */
export function privacyOf({ privacy }: PrivacyBackend): PrivacyAccess {
  if (privacy !== undefined) return privacy
  throw new NodeError({ code: 'PRIVACY_NOT_ENABLED' }, 'private transactions are not enabled')
}

/**
 * Key of the user on whose behalf a request acts.
 * @throws {NodeError} PRIVACY_NOT_ENABLED, INVALID_REQUEST when a tenant's token names no user
 */
export function userOf(backend: PrivacyBackend, { claims }: Pick<RequestContext, 'claims'>): string {
  return privacyOf(backend).tenants.keyOf(claims)
}

/** Refuses callers before their parameters are read. */
export function isPrivate(backend: PrivacyBackend, context: RequestContext): true {
  userOf(backend, context)
  return true
}

/** For methods of groups that the enclave manages. */
export function hasEnclaveGroups(backend: PrivacyBackend, context: RequestContext): boolean {
  return isPrivate(backend, context) && !privacyOf(backend).isFlexible
}

/** For methods of groups in contracts. */
export function hasFlexibleGroups(backend: PrivacyBackend, context: RequestContext): boolean {
  return isPrivate(backend, context) && privacyOf(backend).isFlexible
}

/** @throws {NodeError} UNAUTHORIZED when a tenant is not a member of the group */
export async function requireMember(
  backend: PrivacyBackend,
  groupId: Uint8Array,
  context: RequestContext,
): Promise<void> {
  const { tenants } = privacyOf(backend)
  if (tenants.areSeparate) await tenants.requireMember(toBase64(groupId), userOf(backend, context))
}

/** Errors of every method. */
export const PRIVATE_ERRORS: readonly string[] = ['PRIVACY_NOT_ENABLED', 'INVALID_REQUEST', 'UNAUTHORIZED']
