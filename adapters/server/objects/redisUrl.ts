/**
 * `redis://host:port/database?prefix=`, `rediss://` with TLS, and `redis+cluster://host:port?nodes=host:port,host:port`.
 * The password is `REDIS_PASSWORD` of the environment, the user `REDIS_USERNAME`.
 * @module
 */
import type { RedisOptions } from 'ioredis'
import {
  MAX_OBJECT_RETRY_MS,
  OBJECT_CONNECT_MS,
  OBJECT_READ_MS,
  OBJECT_RETRY_MS,
} from '../../../src/base/limits/limits.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import type { ObjectsEnvironment } from './openObjects.ts'
import { RedisObjects } from './redisObjects.ts'
import { optionsOf } from './urlOptions.ts'

const PORT = 6379

/** @throws {NodeError} INVALID_OPTION, MISSING_PACKAGE */
export async function openRedis(url: URL, env: ObjectsEnvironment): Promise<RedisObjects> {
  const isCluster = url.protocol.endsWith('+cluster:')
  const { prefix = 'isonode:', nodes = '' } = optionsOf(url, isCluster ? ['prefix', 'nodes'] : ['prefix'])
  if (url.username !== '') throw invalid('the address of Redis has no user, which is REDIS_USERNAME of the environment')
  if (!/^[\w.:-]{0,100}$/.test(prefix))
    throw invalid('the prefix of Redis has letters, digits, "_", ".", ":" and "-" only')
  const first = addressOf(url.host)
  const options = { ...optionsFor(env), ...(url.protocol.startsWith('rediss') ? { tls: {} } : {}) }
  const { Cluster, Redis } = await loadPackage()
  const client = isCluster
    ? new Cluster([first, ...nodes.split(',').filter(Boolean).map(addressOf)], {
        redisOptions: options,
        clusterRetryStrategy: delayOf,
        lazyConnect: true,
      })
    : new Redis({ ...options, ...first, db: databaseOf(url) })
  // Commands report what fails.
  client.on('error', () => {})
  return new RedisObjects(client, `${url.protocol}//${url.host}`, prefix)
}

function optionsFor(env: ObjectsEnvironment): RedisOptions {
  const { REDIS_USERNAME: username, REDIS_PASSWORD: password } = env
  return {
    ...(username ? { username } : {}),
    ...(password ? { password } : {}),
    connectTimeout: OBJECT_CONNECT_MS,
    commandTimeout: OBJECT_READ_MS,
    maxRetriesPerRequest: 2,
    retryStrategy: delayOf,
    lazyConnect: true,
  }
}

/** @param attempt from 1; @returns the delay before another connection in ms */
function delayOf(attempt: number): number {
  return Math.min(OBJECT_RETRY_MS * 2 ** attempt, MAX_OBJECT_RETRY_MS)
}

function addressOf(host: string): { readonly host: string; readonly port: number } {
  const address = `redis://${host}`
  const { hostname, port } = URL.canParse(address) ? new URL(address) : { hostname: '', port: '' }
  if (hostname === '') throw invalid('the address of Redis is redis://host:port/database')
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? PORT : Number(port) }
}

function databaseOf({ pathname }: URL): number {
  const [, database] = /^\/?(\d{0,5})$/.exec(pathname) ?? []
  if (database === undefined) throw invalid('the database of Redis is a number: redis://host:port/0')
  return Number(database)
}

async function loadPackage(): Promise<Pick<typeof import('ioredis'), 'Cluster' | 'Redis'>> {
  try {
    return await import('ioredis')
  } catch (cause) {
    const message = 'a mirror in Redis needs a package that is not installed: npm install ioredis'
    throw new NodeError({ code: 'MISSING_PACKAGE', package: 'ioredis' }, message, { cause })
  }
}

function invalid(message: string): NodeError {
  return new NodeError({ code: 'INVALID_OPTION' }, message)
}
