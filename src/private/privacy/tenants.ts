import { NodeError } from '../../base/primitives/errors.ts'
import { type EnclaveClient, enclaveFailure } from './enclaveClient.ts'

/** The caller's claims that identify a tenant. */
export interface TenantClaims {
  readonly privacyUserId?: string
  readonly privacyPublicKey?: string
}

/** One user with a key in a file, or the tenants that the tokens of callers name. Keys and ids are in Base64. */
export type PrivacyUsers = { readonly kind: 'single'; readonly key: string } | { readonly kind: 'tenants' }

export interface TenantsOptions {
  readonly users: PrivacyUsers
  readonly enclave: EnclaveClient
  /** Members of a flexible group at the head; undefined without flexible groups. */
  readonly flexibleMembers: ((groupId: string) => Promise<readonly string[]>) | undefined
}

/** Decides on whose behalf a request acts, and which groups it may see. */
export class Tenants {
  readonly #options: TenantsOptions

  constructor(options: TenantsOptions) {
    this.#options = options
  }

  /** Whether tokens separate users from each other. */
  get areSeparate(): boolean {
    return this.#options.users.kind === 'tenants'
  }

  /**
   * The key of the user in the enclave.
   * @throws {NodeError} INVALID_REQUEST when the token of a tenant names none
   */
  keyOf(claims: TenantClaims | undefined): string {
    const { users } = this.#options
    if (users.kind === 'single') return users.key
    const key = claims?.privacyUserId ?? claims?.privacyPublicKey
    if (key === undefined) throw new NodeError({ code: 'INVALID_REQUEST' }, 'the token names no privacy user')
    return key
  }

  /** Whether a user may see a group. Errors of the enclave count as no. */
  async isMember(groupId: string, key: string): Promise<boolean> {
    if (!this.areSeparate) return true
    try {
      return (await this.#members(groupId)).includes(key)
    } catch (error) {
      if (enclaveFailure(error) !== undefined) return false
      throw error
    }
  }

  /** @throws {NodeError} UNAUTHORIZED when the user must not see the group */
  async requireMember(groupId: string, key: string): Promise<void> {
    if (await this.isMember(groupId, key)) return
    throw new NodeError({ code: 'UNAUTHORIZED' }, 'the user is not a member of the privacy group')
  }

  async #members(groupId: string): Promise<readonly string[]> {
    const { flexibleMembers, enclave } = this.#options
    return flexibleMembers === undefined ? (await enclave.retrieveGroup(groupId)).members : flexibleMembers(groupId)
  }
}
