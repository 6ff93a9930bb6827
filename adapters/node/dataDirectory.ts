import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { NodeError } from '../../src/primitives/errors.ts'
import { type DirectoryLock, lockDirectory } from './directoryLock.ts'
import { type Durability, LmdbStore } from './lmdbStore.ts'

const DATABASE = 'database'

export interface DataDirectory {
  /** Absolute. */
  readonly path: string
  readonly store: LmdbStore
  /** Closes the store, then gives the directory free. */
  close(): Promise<void>
}

/**
 * Opens a data directory for this process alone, or creates it.
 * @throws {NodeError} DIRECTORY_LOCKED, DIRECTORY_UNUSABLE, DISK_FULL, STORE_FAILED
 */
export function openDataDirectory(directory: string, durability: Durability): DataDirectory {
  const absolute = path.resolve(directory)
  const lock = createAndLock(absolute)
  try {
    const store = new LmdbStore({ directory: path.join(absolute, DATABASE), durability })
    return {
      path: absolute,
      store,
      close: async () => {
        await store.close()
        lock.release()
      },
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Opens the database of a data directory for a thread that reads while {@link openDataDirectory}'s store writes. */
export function openReader(directory: string, durability: Durability): LmdbStore {
  return new LmdbStore({ directory: path.join(path.resolve(directory), DATABASE), durability, readOnly: true })
}

function createAndLock(directory: string): DirectoryLock {
  try {
    mkdirSync(directory, { recursive: true })
    return lockDirectory(directory)
  } catch (error) {
    if (error instanceof NodeError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new NodeError({ code: 'DIRECTORY_UNUSABLE', directory }, `cannot use ${directory}: ${reason}`, {
      cause: error,
    })
  }
}
