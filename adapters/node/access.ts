/**
 * Access control of the endpoints: the files that the options name.
 * @module
 */
import { readFileSync } from 'node:fs'
import type { NodeOptions } from '../../src/config/options.ts'
import type { EndpointAccess } from '../../src/http/access/endpointAccess.ts'
import type { MatchPassword } from '../../src/http/access/login.ts'
import type { HostAccess } from '../../src/node/host.ts'
import { NodeError } from '../../src/primitives/errors.ts'
import { systemClock } from './systemPorts.ts'

type Prefix = 'rpc-http' | 'rpc-ws'

/**
 * WebSockets without authentication settings need the tokens of HTTP, since they also reach the HTTP port.
 * @throws {NodeError} INVALID_OPTION naming the file and its fault
 */
export async function openHostAccess(options: NodeOptions, matches: MatchPassword): Promise<HostAccess> {
  const http = await endpointAccess(options, 'rpc-http', matches)
  return { http, webSocket: (await endpointAccess(options, 'rpc-ws', matches)) ?? http }
}

async function endpointAccess(
  options: NodeOptions,
  prefix: Prefix,
  matches: MatchPassword,
): Promise<EndpointAccess | undefined> {
  if (!options[`${prefix}-authentication-enabled`]) return undefined
  const source = {
    credentials: readOptional(options, `${prefix}-authentication-credentials-file`),
    publicKey: readOptional(options, `${prefix}-authentication-jwt-public-key-file`),
    algorithm: options[`${prefix}-authentication-jwt-algorithm`],
    openMethods: options[`${prefix}-api-methods-no-auth`],
  }
  // Loaded late: few nodes need tokens.
  const { openAccess } = await import('../../src/http/access/endpointAccess.ts')
  return openAccess(source, { clock: systemClock, matches })
}

type FileOption = `${Prefix}-authentication-${'credentials-file' | 'jwt-public-key-file'}`

function readOptional(options: NodeOptions, name: FileOption): string | undefined {
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
