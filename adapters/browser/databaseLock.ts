/**
 * One tab, worker or service worker at a time may write to a database.
 * @module
 */
import { DATABASE_LOCK_WAIT_MS } from '../../src/config/limits.ts'
import { NodeError } from '../../src/primitives/errors.ts'

export interface DatabaseLock {
  release(): void
}

/**
 * Holds the lock until it is released or the page is gone. A page that is reloaded may have to wait for its own end.
 * @throws {NodeError} DATABASE_LOCKED when another tab holds it; LOCKS_UNAVAILABLE outside secure contexts
 */
export function lockDatabase(name: string): Promise<DatabaseLock> {
  const { locks } = navigator as { readonly locks?: LockManager }
  if (locks === undefined) {
    const message = 'a database needs navigator.locks, which pages have over https and on localhost only'
    return Promise.reject(new NodeError({ code: 'LOCKS_UNAVAILABLE' }, message))
  }
  return new Promise((resolve, reject) => {
    const hold = (): Promise<void> => new Promise((release) => resolve({ release }))
    locks
      .request(`isonode:${name}`, { signal: AbortSignal.timeout(DATABASE_LOCK_WAIT_MS) }, hold)
      .catch((cause: unknown) => {
        const message = `the database ${name} is open in another tab or worker`
        reject(new NodeError({ code: 'DATABASE_LOCKED', name }, message, { cause }))
      })
  })
}
