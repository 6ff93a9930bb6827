/**
 * Access control of the endpoints: the files that the options name.
 * @module
 */
import { readFileSync } from 'node:fs'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import type { NodeOptions } from '../../../src/config/options.ts'
import type { EndpointAccess } from '../../../src/http/access/contract.ts'
import type { RemoteLogin } from '../../../src/http/access/endpointAccess.ts'
import type { MatchPassword } from '../../../src/http/access/login.ts'
import type { HostAccess } from '../../../src/node/host.ts'
import { systemClock } from '../../shared/systemPorts.ts'

/** Option names of each endpoint. */
const HTTP = {
  enabled: 'rpc-http-authentication-enabled',
  credentials: 'rpc-http-authentication-credentials-file',
  publicKey: 'rpc-http-authentication-jwt-public-key-file',
  algorithm: 'rpc-http-authentication-jwt-algorithm',
  openMethods: 'rpc-http-api-methods-no-auth',
} as const
const WEB_SOCKET = {
  enabled: 'rpc-ws-authentication-enabled',
  credentials: 'rpc-ws-authentication-credentials-file',
  publicKey: 'rpc-ws-authentication-jwt-public-key-file',
  algorithm: 'rpc-ws-authentication-jwt-algorithm',
  openMethods: 'rpc-ws-api-methods-no-auth',
} as const

type Names = typeof HTTP | typeof WEB_SOCKET

/**
 * WebSockets without settings for authentication need the tokens of HTTP, since they also reach the HTTP port.
 * @throws {NodeError} INVALID_OPTION naming the file and its fault
 */
export async function openHostAccess(options: NodeOptions, matches: MatchPassword): Promise<HostAccess> {
  const withCredentials = (names: Names) => ({ credentials: readOptional(options, names.credentials), matches })
  const http = await endpointAccess(options, HTTP, withCredentials(HTTP))
  return { http, webSocket: (await endpointAccess(options, WEB_SOCKET, withCredentials(WEB_SOCKET))) ?? http }
}

/** Logins of another process by endpoint; undefined: the endpoint has none. */
export interface RemoteLogins {
  readonly http: RemoteLogin | undefined
  readonly webSocket: RemoteLogin | undefined
}

/**
 * The access control of a process whose clients log in to another one.
 * @throws {NodeError} INVALID_OPTION naming the file and its fault
 */
export async function openWorkerAccess(options: NodeOptions, logins: RemoteLogins): Promise<HostAccess> {
  const matches = async (): Promise<boolean> => false
  const withLogin = (remoteLogin: RemoteLogin | undefined) => ({ credentials: undefined, matches, remoteLogin })
  const http = await endpointAccess(options, HTTP, withLogin(logins.http))
  return { http, webSocket: (await endpointAccess(options, WEB_SOCKET, withLogin(logins.webSocket))) ?? http }
}

interface Logins {
  /** TOML; undefined: there is no login, or another process has it. */
  readonly credentials: string | undefined
  readonly matches: MatchPassword
  readonly remoteLogin?: RemoteLogin | undefined
}

async function endpointAccess(
  options: NodeOptions,
  names: Names,
  { credentials, matches, remoteLogin }: Logins,
): Promise<EndpointAccess | undefined> {
  if (!options[names.enabled]) return undefined
  const source = {
    credentials,
    remoteLogin,
    publicKey: readOptional(options, names.publicKey),
    algorithm: options[names.algorithm],
    openMethods: options[names.openMethods],
  }
  // Loaded late: few nodes need tokens.
  const { openAccess } = await import('../../../src/http/access/endpointAccess.ts')
  return openAccess(source, { clock: systemClock, matches })
}

function readOptional(options: NodeOptions, name: Names['credentials' | 'publicKey']): string | undefined {
  const file = options[name]
  if (file === undefined) return undefined
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new NodeError({ code: 'INVALID_OPTION' }, `Invalid value for option '--${name}': cannot read ${file}`, {
      cause,
    })
  }
}
