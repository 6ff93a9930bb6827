/**
 * The database of a chain in a page.
 * @module
 */
import type { CommitDurability, DatabaseInfo } from '../../src/base/ports/databaseInfo.ts'
import type { Logger } from '../../src/base/ports/host.ts'
import type { KeyValueStore } from '../../src/base/ports/keyValueStore.ts'
import { isNodeError } from '../../src/base/primitives/errors.ts'
import { MemoryStore } from '../../src/storage/memoryStore.ts'
import { ResidentStore } from '../../src/storage/residentStore.ts'
import { lockDatabase } from './databaseLock.ts'
import { IdbStore } from './idbStore.ts'
import { remember, wasKnown } from './knownDatabases.ts'
import { askForPersistence, measureSpace } from './storageSpace.ts'
import type { StoreLayer } from './storeLayer.ts'

export interface DatabaseOptions {
  readonly durability: CommitDurability
  /** Whether to ask the browser never to remove the database. */
  readonly isPersistent: boolean
  /** Whether the chain may be in memory where the browser refuses databases: no option is about a database. */
  readonly isOptional: boolean
  /** Laid over the database. Default: nothing. */
  readonly layer: StoreLayer | undefined
  readonly logger: Logger
}

export interface OpenedDatabase {
  readonly store: KeyValueStore
  /** undefined in memory */
  readonly residency?: ResidentStore
  readonly info: DatabaseInfo
  close(): Promise<void>
}

/** @throws {NodeError} DATABASE_LOCKED, LOCKS_UNAVAILABLE; STORE_FAILED unless it is optional */
export async function openDatabase(name: string, options: DatabaseOptions): Promise<OpenedDatabase> {
  try {
    return await openIndexedDb(name, options)
  } catch (error) {
    if (!options.isOptional || !isNodeError(error, 'STORE_FAILED')) throw error
    console.warn(`isonode: the chain is in memory and ends with the page, because ${error.message}`)
    return { store: new MemoryStore(), info: { kind: 'memory' }, close: async () => {} }
  }
}

async function openIndexedDb(name: string, options: DatabaseOptions): Promise<OpenedDatabase> {
  const { durability, isPersistent, layer, logger } = options
  const lock = await lockDatabase(name)
  const database = new IdbStore(name, { durability, onFirstCommit: () => remember(name) })
  try {
    await database.open()
    const isEmpty = await database.isEmpty()
    const isEvicted = findEviction(name, isEmpty, logger)
    if (isPersistent) void persist(name, logger)
    const residency = new ResidentStore(database, { isEmpty })
    const store = layer === undefined ? residency : await layer(residency)
    const info: DatabaseInfo = { kind: 'indexeddb', durability, isEvicted, measure: measureSpace }
    const close = (): Promise<void> => residency.close().finally(() => lock.release())
    return { store, residency, info, close }
  } catch (error) {
    lock.release()
    throw error
  }
}

/**
 * An empty database that existed before was removed by the browser, or by its user without the other data of the site.
 * @returns undefined for an empty one of which nothing is known: a new one, or one whose note was removed, too
 */
function findEviction(name: string, isEmpty: boolean, logger: Logger): boolean | undefined {
  if (!isEmpty) {
    remember(name)
    return false
  }
  if (!wasKnown(name)) return undefined
  logger.warn('the browser has removed the database since the last visit: the chain begins again', { name })
  return true
}

async function persist(name: string, logger: Logger): Promise<void> {
  if (await askForPersistence()) return
  logger.warn('the browser does not promise to keep the database: it may remove it when it needs space', { name })
}
