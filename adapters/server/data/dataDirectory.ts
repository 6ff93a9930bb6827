import { chmodSync, existsSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { createFolder } from './createFolder.ts'
import { type DirectoryLock, lockDirectory } from './directoryLock.ts'
import { damageOf } from './lmdbCheck.ts'
import { DATA_FILE, type Durability, LmdbStore } from './lmdbStore.ts'
import { KEY_FILE } from './nodeKey.ts'

const DATABASE = 'database'
/** The file names that LMDB uses. */
const LMDB_FILES = [DATA_FILE, 'lock.mdb'] as const
/** The database's only large file, in its data directory. */
export const DATABASE_FILE: string = path.join(DATABASE, LMDB_FILES[0])
/** LMDB creates it whenever it opens the database. */
export const DATABASE_LOCK_FILE: string = path.join(DATABASE, LMDB_FILES[1])

/** In a data directory: the copy that a compaction writes before it replaces the database. */
export const COMPACTION_FOLDER = 'database.compact'

export interface DataDirectory {
  /** Absolute. */
  readonly path: string
  readonly store: LmdbStore
  /** Absolute path of the database's only large file. */
  readonly databaseFile: string
  /** Closes the store, then releases the lock on the directory. */
  close(): Promise<void>
}

/**
 * Opens or creates a data directory for the exclusive use of this process.
 * @throws {NodeError} DIRECTORY_LOCKED, DIRECTORY_UNUSABLE, STORE_DAMAGED, DISK_FULL, STORE_FAILED
 */
export function openDataDirectory(directory: string, durability: Durability): DataDirectory {
  const absolute = path.resolve(directory)
  const lock = createAndLock(absolute)
  try {
    removeCompaction(absolute)
    checkDatabase(absolute)
    const database = makePrivate(path.join(absolute, DATABASE))
    const store = new LmdbStore({ directory: database, durability, commitThread: {} })
    for (const file of LMDB_FILES) chmodSync(path.join(absolute, DATABASE, file), 0o600)
    return {
      path: absolute,
      store,
      databaseFile: path.join(absolute, DATABASE_FILE),
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

/**
 * Opens the database of a data directory for a thread that reads while the store of {@link openDataDirectory} writes.
 * @param keepsSnapshot as in LmdbStoreOptions
 */
export function openReader(directory: string, durability: Durability, keepsSnapshot = false): LmdbStore {
  const database = path.join(path.resolve(directory), DATABASE)
  return new LmdbStore({ directory: database, durability, readOnly: true, keepsSnapshot })
}

/** Removes what a compaction that was killed has left; the database is whole. */
export function removeCompaction(directory: string): void {
  rmSync(path.join(directory, COMPACTION_FOLDER), { recursive: true, force: true })
}

/** @throws {NodeError} INVALID_OPTION when the directory has no chain, STORE_DAMAGED */
export function requireDatabase(directory: string): void {
  if (!existsSync(path.join(directory, DATABASE_FILE))) {
    const message = `${directory} has no chain: name the directory of the node with --data-path`
    throw new NodeError({ code: 'INVALID_OPTION' }, message)
  }
  checkDatabase(directory)
}

/** Creates a folder that only its owner can enter, regardless of the umask. */
export function makePrivate(folder: string): string {
  createFolder(folder)
  chmodSync(folder, 0o700)
  return folder
}

/** @throws {NodeError} STORE_DAMAGED */
export function checkDatabase(directory: string): void {
  const file = path.join(directory, DATABASE_FILE)
  if (!existsSync(file)) return
  // A directory receives its node key only after its database has been created.
  const isLost = statSync(file).size === 0 && existsSync(path.join(directory, KEY_FILE))
  const damage = isLost ? 'it is empty' : damageOf(file)
  if (damage === undefined) return
  throw new NodeError({ code: 'STORE_DAMAGED', directory }, `the database ${file} is damaged: ${damage}`)
}

/**
 * Creates a directory if it is absent, and locks it.
 * @throws {NodeError} DIRECTORY_LOCKED, DIRECTORY_UNUSABLE
 */
export function createAndLock(directory: string): DirectoryLock {
  try {
    createFolder(directory, 0o700)
    return lockDirectory(directory)
  } catch (error) {
    if (error instanceof NodeError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new NodeError({ code: 'DIRECTORY_UNUSABLE', directory }, `cannot use ${directory}: ${reason}`, {
      cause: error,
    })
  }
}
