/**
 * Opens the access control of an endpoint from its credentials and keys.
 * @module
 */
import type { Clock } from '../../base/ports/host.ts'
import { Authenticator } from './authenticator.ts'
import type { EndpointAccess } from './contract.ts'
import { parseCredentials } from './credentials.ts'
import { Login, type MatchPassword } from './login.ts'
import {
  readPublicKey,
  type TokenAlgorithm,
  TokenIssuer,
  type TokenKey,
  type VerifiedToken,
  verifyToken,
} from './tokens.ts'

export interface AccessSource {
  /** TOML; undefined: there is no login. */
  readonly credentials: string | undefined
  /** PEM; undefined: only tokens of the login are accepted. */
  readonly publicKey: string | undefined
  readonly algorithm: TokenAlgorithm
  /** Methods that need no token. */
  readonly openMethods: readonly string[]
}

export interface AccessPorts {
  readonly clock: Clock
  readonly matches: MatchPassword
}

/** @throws {NodeError} INVALID_OPTION naming the fault of the credentials or the key */
export async function openAccess(source: AccessSource, { clock, matches }: AccessPorts): Promise<EndpointAccess> {
  const { credentials, publicKey, algorithm, openMethods } = source
  const users = credentials === undefined ? undefined : parseCredentials(credentials)
  const issuer = users === undefined ? undefined : await TokenIssuer.create(clock)
  const external = publicKey === undefined ? undefined : await readPublicKey(publicKey, algorithm)
  const keys = [issuer?.key, external].filter((key) => key !== undefined)
  const { authenticate } = new Authenticator({ clock, openMethods, verify: (token) => verifyWith(keys, token, clock) })
  return {
    authenticate,
    tokenRequired: openMethods.length === 0,
    ...(users === undefined || issuer === undefined
      ? {}
      : { login: new Login({ users, matches, clock, issue: (user) => issuer.issue(user) }) }),
  }
}

async function verifyWith(keys: readonly TokenKey[], token: string, clock: Clock): Promise<VerifiedToken | undefined> {
  for (const key of keys) {
    const verified = await verifyToken(token, key, clock)
    if (verified !== undefined) return verified
  }
  return undefined
}
