/**
 * Objects over any driver of `unstorage`: `unstorage:DRIVER?option=value`. An option's value may be the name of an
 * environment variable, `env:NAME`.
 * @module
 */
import type { Driver, Storage } from 'unstorage'
import {
  MAX_UNORDERED_NAMES,
  OBJECT_READ_MS,
  OBJECT_WRITE_MS,
  SMALL_OBJECT_PART_BYTES,
  UNSTORAGE_PART_BYTES,
} from '../../../src/base/limits/limits.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { reasonOf, unavailable } from '../../shared/objects/errors.ts'
import { PartedObjects, type PartValues } from '../../shared/objects/partedObjects.ts'
import type { ObjectsEnvironment } from './openObjects.ts'

interface DriverModule {
  readonly default: (options: Readonly<Record<string, unknown>>) => Driver
}

/** Drivers of services whose values have at most 64 KiB. */
const SMALL_VALUES: ReadonlySet<string> = new Set(['deno-kv', 'deno-kv-node', 'azure-storage-table'])
const SECRET = /key|token|secret|password|credential|connection/i

/** @throws {NodeError} INVALID_OPTION, MISSING_PACKAGE */
export async function openUnstorage(url: URL, env: ObjectsEnvironment): Promise<PartedObjects> {
  const name = url.pathname
  if (!/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(name)) throw invalid('expected unstorage:DRIVER?option=value')
  const { options, secrets } = optionsOf(url, env)
  const { createStorage } = await loadPackage(() => import('unstorage'), 'unstorage')
  const driver = (await loadDriver(name)).default(options)
  if (driver.setItem === undefined && driver.setItemRaw === undefined) {
    throw invalid(`the driver ${name} of unstorage cannot write`)
  }
  return openDriver(createStorage({ driver }), name, secrets)
}

/**
 * @param name of the driver
 * @param secrets left out of messages
 */
export function openDriver(storage: Storage, name: string, secrets: readonly string[] = []): PartedObjects {
  const partBytes = SMALL_VALUES.has(name) ? SMALL_OBJECT_PART_BYTES : UNSTORAGE_PART_BYTES
  return new PartedObjects(new UnstorageValues(storage, name, secrets), partBytes)
}

class UnstorageValues implements PartValues {
  readonly label: string
  readonly #storage: Storage
  readonly #secrets: readonly string[]

  constructor(storage: Storage, name: string, secrets: readonly string[]) {
    this.label = `unstorage:${name}`
    this.#storage = storage
    this.#secrets = secrets
  }

  async get(key: string): Promise<Uint8Array | undefined> {
    const value: unknown = await this.#about(key, OBJECT_READ_MS, () => this.#storage.getItemRaw(key))
    if (value === null || value === undefined) return undefined
    const bytes = await bytesOf(value)
    if (bytes === undefined) throw unavailable(this.label, key, 'the value is not bytes')
    return bytes
  }

  set(key: string, value: Uint8Array): Promise<void> {
    return this.#about(key, OBJECT_WRITE_MS, () => this.#storage.setItemRaw(key, value))
  }

  delete(key: string): Promise<void> {
    return this.#about(key, OBJECT_READ_MS, () => this.#storage.removeItem(key))
  }

  async *keys(prefix: string): AsyncIterable<string> {
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
    const found = await this.#about(prefix, OBJECT_READ_MS, () => this.#storage.getKeys(folder))
    if (found.length > MAX_UNORDERED_NAMES) {
      throw unavailable(this.label, prefix, `there are more than ${MAX_UNORDERED_NAMES} keys`)
    }
    const keys = found.map((key) => key.replaceAll(':', '/')).filter((key) => key.startsWith(prefix))
    yield* keys.sort()
  }

  async close(): Promise<void> {
    await this.#storage.dispose()
  }

  /** Few drivers have a deadline. */
  async #about<T>(key: string, timeoutMs: number, work: () => Promise<T>): Promise<T> {
    const signal = AbortSignal.timeout(timeoutMs)
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    try {
      return await Promise.race([work(), late])
    } catch (error) {
      const reason = this.#secrets.reduce((text, secret) => text.replaceAll(secret, '…'), reasonOf(error))
      throw unavailable(this.label, key, reason, { isTransient: true })
    }
  }
}

/** The forms in which drivers return bytes. */
async function bytesOf(value: unknown): Promise<Uint8Array | undefined> {
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength).slice()
  if (value instanceof Blob) return new Uint8Array(await value.arrayBuffer())
  return undefined
}

interface DriverOptions {
  readonly options: Readonly<Record<string, unknown>>
  /** Values of the environment. */
  readonly secrets: readonly string[]
}

function optionsOf(url: URL, env: ObjectsEnvironment): DriverOptions {
  const options: Record<string, unknown> = {}
  const secrets: string[] = []
  for (const [name, text] of url.searchParams) {
    if (Object.hasOwn(options, name)) throw invalid(`the option ${name} of unstorage: is given twice`)
    const variable = /^env:(\w+)$/.exec(text)?.[1]
    if (variable === undefined) {
      if (SECRET.test(name)) {
        throw invalid(`the option ${name} of unstorage: is a secret: give ${name}=env:NAME, and its value in NAME`)
      }
      options[name] = parsedOption(text)
    } else {
      const value = env[variable]
      if (!value) throw invalid(`the environment has no ${variable}, which the option ${name} of unstorage: names`)
      options[name] = value
      secrets.push(value)
    }
  }
  return { options, secrets }
}

function parsedOption(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^\d{1,15}$/.test(text) ? Number(text) : text
}

async function loadDriver(name: string): Promise<DriverModule> {
  try {
    return await import(/* @vite-ignore */ `unstorage/drivers/${name}`)
  } catch (cause) {
    const needed = /(?:package|module) ["']([@\w][\w./-]*)["']/.exec((cause as Partial<Error>).message ?? '')?.[1]
    if (needed === undefined || needed.startsWith('unstorage')) throw invalid(`unstorage has no driver ${name}`)
    return loadPackage(() => Promise.reject(cause), needed)
  }
}

async function loadPackage<T>(load: () => Promise<T>, name: string): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    const message = `a mirror over unstorage: needs a package that is not installed: npm install ${name}`
    throw new NodeError({ code: 'MISSING_PACKAGE', package: name }, message, { cause })
  }
}

function invalid(message: string): NodeError {
  return new NodeError({ code: 'INVALID_OPTION' }, message)
}
