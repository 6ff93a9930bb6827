/**
 * Stores of objects by their URL. Each kind is loaded when it is used.
 * @module
 */
import { fileURLToPath } from 'node:url'
import type { ObjectReader, ObjectStore } from '../../../src/base/ports/objectStore.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { retryingReader, retryingStore } from '../../shared/objects/retrying.ts'

/** Environment variables, where secrets are. */
export type ObjectsEnvironment = Readonly<Record<string, string | undefined>>

type Open<T> = (url: URL, env: ObjectsEnvironment) => Promise<T>

/** A URL for messages, where only the scheme is sure to be no secret. */
const HELP =
  'file:///folder, s3://bucket/prefix?endpoint=&region=, redis://host:port/database, redis+cluster://host:port, ' +
  'unstorage:DRIVER?option=value, https://host/folder to read, or https://worker/publish to write'

const STORES: Readonly<Record<string, Open<ObjectStore>>> = {
  'file:': async (url) => {
    const { DirectoryObjects } = await import('./directoryObjects.ts')
    return new DirectoryObjects(folderOf(url))
  },
  's3:': async (url, env) => (await import('./s3Url.ts')).openS3(url, env),
  'redis:': openRedis,
  'rediss:': openRedis,
  'redis+cluster:': openRedis,
  'rediss+cluster:': openRedis,
  'http:': openWorker,
  'https:': openWorker,
  'unstorage:': async (url, env) => (await import('./unstorageObjects.ts')).openUnstorage(url, env),
}

const READERS: Readonly<Record<string, Open<ObjectReader>>> = { 'http:': openHttp, 'https:': openHttp }

/**
 * @param url see {@link HELP}; credentials are in `env`
 * @throws {NodeError} INVALID_OPTION, without the URL; MISSING_PACKAGE
 */
export async function openObjectReader(url: string, env: ObjectsEnvironment): Promise<ObjectReader> {
  const address = parsed(url)
  const open = READERS[address.protocol]
  return open === undefined ? openObjectStore(url, env) : retryingReader(await open(address, env))
}

/** As {@link openObjectReader}, for a publisher. */
export async function openObjectStore(url: string, env: ObjectsEnvironment): Promise<ObjectStore> {
  const address = parsed(url)
  const open = STORES[address.protocol]
  if (open === undefined) throw invalid(`a mirror cannot be at ${address.protocol}, only at ${HELP}`)
  return retryingStore(await open(address, env))
}

async function openHttp(url: URL, env: ObjectsEnvironment): Promise<ObjectReader> {
  const { HttpObjects } = await import('../../shared/objects/httpObjects.ts')
  return new HttpObjects(url.href, { token: env['ISONODE_MIRROR_TOKEN'] })
}

async function openWorker(url: URL, env: ObjectsEnvironment): Promise<ObjectStore> {
  const { WorkerObjects } = await import('../../shared/objects/workerObjects.ts')
  return WorkerObjects.open(url, env['ISONODE_MIRROR_TOKEN'])
}

async function openRedis(url: URL, env: ObjectsEnvironment): Promise<ObjectStore> {
  const redis = await import('./redisUrl.ts')
  return redis.openRedis(url, env)
}

function parsed(url: string): URL {
  if (!URL.canParse(url)) throw invalid(`the address of a mirror is not a URL: expected ${HELP}`)
  return new URL(url)
}

function folderOf(url: URL): string {
  try {
    return fileURLToPath(url)
  } catch {
    throw invalid('the address of a folder begins with file:/// and has no host')
  }
}

function invalid(message: string): NodeError {
  return new NodeError({ code: 'INVALID_OPTION' }, message)
}
