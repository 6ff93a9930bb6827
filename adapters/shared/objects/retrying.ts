/**
 * Further attempts at what failed because of the network or an overloaded service.
 * @module
 */
import { MAX_OBJECT_RETRY_MS, OBJECT_RETRIES, OBJECT_RETRY_MS } from '../../../src/base/limits/limits.ts'
import type { Creation, ObjectReader, ObjectStore } from '../../../src/base/ports/objectStore.ts'
import { compareBytes } from '../../../src/base/primitives/bytes.ts'
import { isUnavailable } from './errors.ts'

export interface RetryOptions {
  /** Attempts after the first one; default {@link OBJECT_RETRIES}. */
  readonly retries?: number
  /** Delay before the second attempt, default {@link OBJECT_RETRY_MS}; it doubles with each. */
  readonly delayMs?: number
}

/** A reader whose requests fail only after several attempts. It passes lists on: their stores repeat them page by page. */
export function retryingReader(reader: ObjectReader, options: RetryOptions = {}): ObjectReader {
  const { label, list, watch } = reader
  return {
    label,
    get: (name, offset, length) => retried(() => reader.get(name, offset, length), options),
    ...(list === undefined ? {} : { list: list.bind(reader) }),
    ...(watch === undefined ? {} : { watch: watch.bind(reader) }),
    close: () => reader.close(),
  }
}

/** As {@link retryingReader}. */
export function retryingStore(store: ObjectStore, options: RetryOptions = {}): ObjectStore {
  return {
    ...retryingReader(store, options),
    createsOnce: store.createsOnce,
    list: (prefix, after) => store.list(prefix, after),
    create: (name, bytes) => createRetrying(store, name, bytes, options),
    put: (name, bytes) => retried(() => store.put(name, bytes), options),
    delete: (name) => retried(() => store.delete(name), options),
  }
}

/** An attempt without an answer may have created the object, so a later one compares what exists. */
async function createRetrying(
  store: ObjectStore,
  name: string,
  bytes: Uint8Array,
  options: RetryOptions,
): Promise<Creation> {
  let attempts = 0
  const creation = await retried(() => {
    attempts++
    return store.create(name, bytes)
  }, options)
  if (creation === 'created' || attempts === 1) return creation
  const found = await retried(() => store.get(name), options)
  return found !== undefined && compareBytes(found, bytes) === 0 ? 'created' : 'exists'
}

/** Repeats a request that failed with an error that says that it is transient, as late as the service asked. */
export async function retried<T>(work: () => Promise<T>, options: RetryOptions = {}): Promise<T> {
  const { retries = OBJECT_RETRIES, delayMs = OBJECT_RETRY_MS } = options
  for (let attempt = 0; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!isUnavailable(error) || !error.details.isTransient || attempt >= retries) throw error
      const waitMs = error.details.retryAfterMs ?? Math.min(delayMs * 2 ** attempt, MAX_OBJECT_RETRY_MS)
      if (waitMs > MAX_OBJECT_RETRY_MS) throw error
      await new Promise<void>((resolve) => setTimeout(resolve, waitMs))
    }
  }
}
