/**
 * Locks that tell who lives: the browser releases those of a tab or worker that has ended, however it ended.
 * @module
 */
import { lifeLock } from './names.ts'

/** The part of `navigator.locks` that is used. */
export interface Locks {
  request<T>(name: string, options: LockOptions, work: (lock: object | null) => Promise<T> | T): Promise<T>
}

interface LockOptions {
  readonly mode?: 'exclusive' | 'shared'
  readonly ifAvailable?: boolean
  readonly signal?: AbortSignal
}

export interface HeldLock {
  release(): void
}

/** @returns undefined outside secure contexts, and on runtimes without locks */
export function webLocks(): Locks | undefined {
  const { navigator } = globalThis as { readonly navigator?: { readonly locks?: Locks } }
  return navigator?.locks
}

/**
 * Waits for a lock and keeps it.
 * @throws the reason of an aborted signal
 */
export function holdLock(locks: Locks, name: string, options: LockOptions = {}): Promise<HeldLock | undefined> {
  return new Promise((resolve, reject) => {
    const hold = (lock: object | null): Promise<void> | void => {
      if (lock === null) return resolve(undefined)
      return new Promise((release) => resolve({ release }))
    }
    locks.request(name, options, hold).catch(reject)
  })
}

/** Shows that the owner of an id lives, until the lock is released. */
export async function holdLife(locks: Locks, id: string): Promise<HeldLock> {
  const held = await holdLock(locks, lifeLock(id))
  if (held === undefined) throw new TypeError('a lock that waits is granted')
  return held
}

/** Resolves when the owner of an id has ended. Rejects with the reason of an aborted signal. */
export async function endOf(locks: Locks, id: string, signal: AbortSignal): Promise<void> {
  await locks.request(lifeLock(id), { mode: 'shared', signal }, () => {})
}
