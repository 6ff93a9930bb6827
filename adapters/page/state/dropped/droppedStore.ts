/**
 * Dropped contracts in IndexedDB, by the hash of block 0 and the id of their code: another chain has other contracts.
 * @module
 */

export interface StoredContract {
  /** Hash of block 0. */
  readonly genesis: string
  /** Hash of the code without metadata and inserted values. */
  readonly id: string
  readonly name: string
  readonly sourceName: string | undefined
  /** An artifact as JSON. */
  readonly text: string
  /** Where the code was found. */
  readonly addresses: readonly string[]
  /** Unix time in ms. */
  readonly addedAt: number
}

const DATABASE = 'isonode contracts'
const STORE = 'contracts'
const GENESIS_INDEX = 'genesis'
/** Of one chain; the oldest give way. */
const MAX_KEPT = 500

/** @returns the newest first */
export async function storedContracts(genesis: string): Promise<StoredContract[]> {
  return withStore('readonly', async (store) => {
    const list: StoredContract[] = await done(store.index(GENESIS_INDEX).getAll(genesis))
    return list.sort((a, b) => b.addedAt - a.addedAt)
  })
}

export async function storeContracts(genesis: string, contracts: readonly StoredContract[]): Promise<void> {
  await withStore('readwrite', async (store) => {
    for (const contract of contracts) store.put(contract)
    const all: StoredContract[] = await done(store.index(GENESIS_INDEX).getAll(genesis))
    for (const { id } of all.sort((a, b) => b.addedAt - a.addedAt).slice(MAX_KEPT)) store.delete([genesis, id])
  })
}

export async function removeContract({ genesis, id }: StoredContract): Promise<void> {
  await withStore('readwrite', async (store) => done(store.delete([genesis, id])))
}

async function withStore<T>(mode: IDBTransactionMode, work: (store: IDBObjectStore) => Promise<T>): Promise<T> {
  const database = await open()
  try {
    const transaction = database.transaction(STORE, mode)
    const finished = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(transaction.error ?? new Error('The browser could not store the contracts.'))
    })
    const result = await work(transaction.objectStore(STORE))
    await finished
    return result
  } finally {
    database.close()
  }
}

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1)
  request.onupgradeneeded = () => {
    const store = request.result.createObjectStore(STORE, { keyPath: ['genesis', 'id'] })
    store.createIndex(GENESIS_INDEX, 'genesis')
  }
  return done(request)
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
