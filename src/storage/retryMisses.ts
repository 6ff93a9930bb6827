import { MAX_STORE_MISSES_PER_CALL } from '../base/limits/limits.ts'
import { type MissCause, type Residency, StoreMiss } from '../base/ports/keyValueStore.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { MaybePromise } from '../base/primitives/maybePromise.ts'

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
      if (residency === undefined || !(error instanceof StoreMiss)) throw error
      await residency.load(error.request, cause)
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
  if (residency === undefined) return work()
  try {
    return work()
  } catch (error) {
    if (!(error instanceof StoreMiss)) throw error
    return runAfterMiss(error, work, residency, cause)
  }
}

async function runAfterMiss<T>(
  { request }: StoreMiss,
  work: () => T,
  residency: Residency,
  cause: MissCause | undefined,
): Promise<T> {
  await residency.load(request, cause)
  return retryMisses(work, residency, MAX_STORE_MISSES_PER_CALL - 1, cause)
}
