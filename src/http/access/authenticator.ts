/**
 * Identifies callers by their tokens. A verified token is cached while it is valid, so only its first request waits.
 * @module
 */
import { MAX_CACHED_TOKENS } from '../../base/limits/limits.ts'
import type { Clock } from '../../base/ports/host.ts'
import { LruCache } from '../../base/primitives/lruCache.ts'
import type { Claims, Principal } from '../../rpc/connection/principal.ts'
import { bearerToken } from './bearer.ts'
import { methodPermission } from './permissions.ts'
import type { VerifiedToken } from './tokens.ts'

export interface AuthenticatorOptions {
  readonly clock: Pick<Clock, 'now'>
  /** @returns undefined for an invalid token */
  readonly verify: (token: string) => Promise<VerifiedToken | undefined>
  /** Methods that need no token. */
  readonly openMethods: readonly string[]
}

export class Authenticator {
  readonly #options: AuthenticatorOptions
  readonly #open: ReadonlySet<string>
  readonly #anonymous: Principal
  /** By header. */
  readonly #known = new LruCache<string, Principal & { readonly expiresMs: number }>(MAX_CACHED_TOKENS)

  constructor(options: AuthenticatorOptions) {
    this.#options = options
    this.#open = new Set(options.openMethods)
    this.#anonymous = { permits: methodPermission([], this.#open), claims: undefined }
  }

  /** Synchronous for a known token and without one. */
  readonly authenticate = (authorization: string | undefined): Principal | Promise<Principal> => {
    const token = bearerToken(authorization)
    if (authorization === undefined || token === undefined) return this.#anonymous
    const cachedCaller = this.#known.get(authorization)
    if (cachedCaller === undefined) return this.#verify(authorization, token)
    if (this.#options.clock.now() < cachedCaller.expiresMs) return cachedCaller
    this.#known.delete(authorization)
    return this.#anonymous
  }

  async #verify(authorization: string, token: string): Promise<Principal> {
    const verified = await this.#options.verify(token)
    if (verified === undefined) return this.#anonymous
    const { permissions, expiresMs } = verified
    const principal = { permits: methodPermission(permissions, this.#open), claims: claimsOf(verified), expiresMs }
    this.#known.set(authorization, principal)
    return principal
  }
}

function claimsOf({ username, privacyPublicKey, privacyUserId }: VerifiedToken): Claims {
  return {
    ...(username === undefined ? {} : { username }),
    ...(privacyPublicKey === undefined ? {} : { privacyPublicKey }),
    ...(privacyUserId === undefined ? {} : { privacyUserId }),
  }
}
