import { MAX_STORE_MISSES_PER_CALL } from '../base/limits/limits.ts'
import { type MissCause, type Residency, StoreMiss } from '../base/ports/keyValueStore.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { ModuleNotLoaded } from '../base/primitives/lazyModule.ts'
import type { MaybePromise } from '../base/primitives/maybePromise.ts'

/** Data of the store, or in a page code, that must be loaded before the work can be repeated. */
export type Missing = StoreMiss | ModuleNotLoaded

/**
 * Repeats work that throws store misses until all its data are in memory. The work must either only read, or read
 * everything before it writes.
 * @param residency undefined over a synchronous store
 * @param cause the message that the work is a part of
 * @throws {NodeError} STORE_MISSES_EXCEEDED after too many misses
 */
export async function retryMisses<T>(
  work: () => T | Promise<T>,
  residency: Residency | undefined,
  maxRounds: number = MAX_STORE_MISSES_PER_CALL,
  cause?: MissCause,
): Promise<T> {
  for (let round = 0; round <= maxRounds; round++) {
    try {
      const result = work()
      return result instanceof Promise ? await result : result
    } catch (error) {
      if (!isMiss(error, residency)) throw error
      await loadMissing(error, residency, cause)
    }
  }
  throw new NodeError(
    { code: 'STORE_MISSES_EXCEEDED', maxRounds },
    `the store had to fetch data more than ${maxRounds} times`,
  )
}

/**
 * Like {@link retryMisses}, for synchronous work. While no data are missing, it creates no promise and throws the
 * work's errors directly.
 */
export function retryMissesMaybe<T>(
  work: () => T,
  residency: Residency | undefined,
  cause?: MissCause,
): MaybePromise<T> {
  try {
    return work()
  } catch (error) {
    if (!isMiss(error, residency)) throw error
    return runAfterMiss(error, work, residency, cause)
  }
}

async function runAfterMiss<T>(
  miss: Missing,
  work: () => T,
  residency: Residency | undefined,
  cause: MissCause | undefined,
): Promise<T> {
  await loadMissing(miss, residency, cause)
  return retryMisses(work, residency, MAX_STORE_MISSES_PER_CALL - 1, cause)
}

/** @param residency undefined over a synchronous store */
export function isMiss(error: unknown, residency: Residency | undefined): error is Missing {
  return error instanceof ModuleNotLoaded || (residency !== undefined && error instanceof StoreMiss)
}

export async function loadMissing(
  missing: Missing,
  residency: Residency | undefined,
  cause?: MissCause,
): Promise<void> {
  if (missing instanceof ModuleNotLoaded) await missing.load()
  else await residency?.load(missing.request, cause)
}
