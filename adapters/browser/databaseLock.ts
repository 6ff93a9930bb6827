/**
 * Ensures that only one tab, worker or service worker at a time writes to a database.
 * @module
 */
import { DATABASE_LOCK_WAIT_MS } from '../../src/base/limits/limits.ts'
import { NodeError } from '../../src/base/primitives/errors.ts'

export interface DatabaseLock {
  release(): void
}

/**
 * Acquires the lock, which is held until it is released or the page is closed. A reloaded page may have to wait until
 * its predecessor has released it.
 * @throws {NodeError} DATABASE_LOCKED when another tab holds it; LOCKS_UNAVAILABLE outside secure contexts; STORE_FAILED where the browser
 *   refuses, such as in a sandboxed frame
 */
export function lockDatabase(name: string): Promise<DatabaseLock> {
  const { navigator } = globalThis as { readonly navigator?: { readonly locks?: LockManager } }
  const locks = navigator?.locks
  if (locks === undefined) {
    const message =
      "a database needs navigator.locks, which exists only in pages served over https or from localhost; storage: 'memory' needs none"
    return Promise.reject(new NodeError({ code: 'LOCKS_UNAVAILABLE' }, message))
  }
  return new Promise((resolve, reject) => {
    const hold = (): Promise<void> => new Promise((release) => resolve({ release }))
    locks
      .request(`isonode:${name}`, { signal: AbortSignal.timeout(DATABASE_LOCK_WAIT_MS) }, hold)
      .catch((cause: unknown) => {
        if (!hasTimedOut(cause)) return reject(refused(cause))
        const message = `the database ${name} is open in another tab or worker: close that node, or pass another dataPath or storage: 'memory'`
        reject(new NodeError({ code: 'DATABASE_LOCKED', name }, message, { cause }))
      })
  })
}

const hasTimedOut = (cause: unknown): boolean =>
  cause instanceof DOMException && /^(?:Timeout|Abort)Error$/.test(cause.name)

function refused(cause: unknown): NodeError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  const message = `the database cannot be locked (${reason}); storage: 'memory' needs no lock`
  return new NodeError({ code: 'STORE_FAILED' }, message, { cause })
}
