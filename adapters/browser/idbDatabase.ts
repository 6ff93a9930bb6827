/**
 * An IndexedDB database with one object store. `createStore` of idb-keyval can neither ask for a durability nor notice that the
 * browser has removed the database of an open page; it would go on in an empty one.
 * @module
 */
import { promisifyRequest, type UseStore } from 'idb-keyval'
import type { CommitDurability } from '../../src/base/ports/databaseInfo.ts'
import { NodeError } from '../../src/base/primitives/errors.ts'
import { OBJECT_STORE } from './idbEntries.ts'

/**
 * Opens the database with the first use, and again where the browser has closed it.
 * @param name of the database, which is created if the first use finds none
 */
export function idbDatabase(name: string, durability: CommitDurability): UseStore {
  const strict: IDBTransactionOptions = { durability: 'strict' }
  let wasOpen = false
  let opened: Promise<IDBDatabase> | undefined
  const open = async (): Promise<IDBDatabase> => {
    const database = await openOnce(name, wasOpen)
    database.onclose = forget
    wasOpen = true
    return database
  }
  const forget = (): void => {
    opened = undefined
  }
  return async (mode, work) => {
    opened ??= open()
    const database = await opened.catch((error: unknown) => {
      forget()
      throw error
    })
    const options = mode === 'readwrite' && durability === 'power' ? strict : undefined
    return work(database.transaction(OBJECT_STORE, mode, options).objectStore(OBJECT_STORE))
  }
}

/** @param mustExist whether the page has used the database before */
async function openOnce(name: string, mustExist: boolean): Promise<IDBDatabase> {
  const request = indexedDB.open(name)
  let isRemoved = false
  request.onupgradeneeded = () => {
    isRemoved = mustExist
    if (isRemoved) request.transaction?.abort()
    else request.result.createObjectStore(OBJECT_STORE)
  }
  try {
    return await promisifyRequest(request)
  } catch (cause) {
    if (!isRemoved) throw cause
    const message = `the browser has removed the database ${name} while it was open: load the page again`
    throw new NodeError({ code: 'STORE_FAILED' }, message, { cause })
  }
}
