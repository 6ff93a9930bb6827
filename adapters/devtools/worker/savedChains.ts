/**
 * The chains that databases of this origin hold.
 * @module
 */
import { BlockStore } from '../../../src/chain/blockStore.ts'
import { readGenesisText } from '../../../src/storage/metadata.ts'
import { ResidentStore } from '../../../src/storage/residentStore.ts'
import { retryMisses } from '../../../src/storage/retryMisses.ts'
import { lockDatabase } from '../../browser/databaseLock.ts'
import { IdbStore } from '../../browser/idbStore.ts'
import type { SavedChain } from '../node/commands.ts'

/** Names of databases begin with it, as those of `createBrowserNode` do by default. */
const PREFIX = 'isonode/'
/** Databases that are listed. */
const MAX_DATABASES = 100
/** Bytes of a database that are read to know its size. */
const MAX_COUNTED_BYTES = 32 * 1024 * 1024
const ENTRIES_AT_ONCE = 512

/** @returns the chains in the order of their names */
export async function savedChains(): Promise<readonly SavedChain[]> {
  if (typeof indexedDB.databases !== 'function') throw new Error('This browser does not list its databases.')
  const databases = await indexedDB.databases()
  const names = databases.flatMap(({ name }) => (name?.startsWith(PREFIX) ? [name] : [])).sort()
  const chains: SavedChain[] = []
  for (const database of names.slice(0, MAX_DATABASES)) chains.push(await describe(database))
  return chains
}

async function describe(database: string): Promise<SavedChain> {
  const stored = new IdbStore(database)
  try {
    const chain = await chainOf(new ResidentStore(stored)).catch(() => undefined)
    return { database, head: chain?.head, chainId: chain?.chainId, ...(await sizeOf(stored)) }
  } finally {
    await stored.close()
  }
}

async function chainOf(store: ResidentStore): Promise<Pick<SavedChain, 'head' | 'chainId'>> {
  const text = await retryMisses(() => readGenesisText(store), store)
  const { config } = JSON.parse(text ?? '{}') as { readonly config?: { readonly chainId?: number } }
  const head = await retryMisses(() => {
    const blocks = new BlockStore(store)
    blocks.runs.refresh()
    return blocks.pointer('head')
  }, store)
  return { head: head && Number(head.header.number), chainId: config?.chainId }
}

async function sizeOf(store: IdbStore): Promise<Pick<SavedChain, 'bytes' | 'isMore'>> {
  let bytes = 0
  let from = new Uint8Array(0)
  while (bytes < MAX_COUNTED_BYTES) {
    const entries = await store.range({ prefix: new Uint8Array(0), from, limit: ENTRIES_AT_ONCE })
    for (const [key, value] of entries) bytes += key.length + value.length
    const [last] = entries.at(-1) ?? []
    if (last === undefined || entries.length < ENTRIES_AT_ONCE) return { bytes, isMore: false }
    from = new Uint8Array([...last, 0])
  }
  return { bytes, isMore: true }
}

/**
 * Deletes a chain. The node of a page that was just left may need a moment to end.
 * @throws {NodeError} DATABASE_LOCKED when a tab has it open
 */
export async function deleteChain(database: string): Promise<void> {
  if (!database.startsWith(PREFIX)) throw new RangeError(`${database} is no database of isonode`)
  const lock = await lockDatabase(database)
  try {
    await remove(database)
  } finally {
    lock.release()
  }
}

function remove(database: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(database)
    request.onsuccess = () => resolve()
    request.onerror = () => reject(request.error)
  })
}
