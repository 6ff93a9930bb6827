/**
 * Opens the access control of an endpoint from its credentials and keys.
 * @module
 */
import type { Clock } from '../../base/ports/host.ts'
import { Authenticator } from './authenticator.ts'
import type { EndpointAccess, LoginService } from './contract.ts'
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
  /** The login of another process, in place of the credentials. */
  readonly remoteLogin?: RemoteLogin | undefined
}

export interface RemoteLogin extends LoginService {
  /** Verifies its tokens: PEM, algorithm RS256. */
  readonly publicKey: string
}

export interface AccessPorts {
  readonly clock: Clock
  readonly matches: MatchPassword
}

/** @throws {NodeError} INVALID_OPTION naming the fault of the credentials or the key */
export async function openAccess(source: AccessSource, { clock, matches }: AccessPorts): Promise<EndpointAccess> {
  const { credentials, publicKey, algorithm, openMethods, remoteLogin } = source
  const users = credentials === undefined ? undefined : parseCredentials(credentials)
  const issuer = users === undefined ? undefined : await TokenIssuer.create(clock)
  const external = publicKey === undefined ? undefined : await readPublicKey(publicKey, algorithm)
  const remote = remoteLogin && (await readPublicKey(remoteLogin.publicKey, 'RS256'))
  const keys = [issuer?.key, remote, external].filter((key) => key !== undefined)
  const { authenticate } = new Authenticator({ clock, openMethods, verify: (token) => verifyWith(keys, token, clock) })
  return {
    authenticate,
    tokenRequired: openMethods.length === 0,
    ...(remoteLogin === undefined ? {} : { login: remoteLogin }),
    ...(users === undefined || issuer === undefined
      ? {}
      : {
          login: new Login({ users, matches, clock, issue: (user) => issuer.issue(user) }),
          loginKey: await issuer.publicKey(),
        }),
  }
}

async function verifyWith(keys: readonly TokenKey[], token: string, clock: Clock): Promise<VerifiedToken | undefined> {
  for (const key of keys) {
    const verified = await verifyToken(token, key, clock)
    if (verified !== undefined) return verified
  }
  return undefined
}
