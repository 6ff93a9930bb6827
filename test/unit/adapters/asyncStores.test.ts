import 'fake-indexeddb/auto'
import { createStorage } from 'unstorage'
import memoryDriver from 'unstorage/drivers/memory'
import { describe, expect, test } from 'vitest'
import { IdbStore } from '../../../adapters/browser/idbStore.ts'
import { UnstorageStore } from '../../../adapters/shared/unstorageStore.ts'
import { asynchronous, bytes, put, remove, storeContract } from '../storage/contract.ts'

let databases = 0
const freshDatabase = () => `isonode-test-${databases++}`

storeContract('unstorage', () => asynchronous(new UnstorageStore(createStorage({ driver: memoryDriver() }))))
storeContract('IndexedDB', () => asynchronous(new IdbStore(freshDatabase())), { runs: 8 })

describe('UnstorageStore', () => {
  test('writes data before the pointers to them, and deletes last', async () => {
    const writes: string[] = []
    const driver = memoryDriver()
    const storage = createStorage({
      driver: {
        ...driver,
        setItemRaw: (key: string) => void writes.push(`put ${key}`),
        removeItem: (key: string) => void writes.push(`remove ${key}`),
      },
    })
    const store = new UnstorageStore(storage)
    const head = bytes(1, 0x68)
    await store.commit([
      put(head, bytes(1)),
      remove(bytes(0x20, 1)),
      put(bytes(0x20, 2), bytes(2)),
      put(head, bytes(3)),
    ])
    expect(writes).toEqual(['put 20:x02', 'put 01:x68', 'remove 20:x01'])
  })

  test('accepts bytes in every form that drivers return, and nothing else', async () => {
    const storage = createStorage({ driver: memoryDriver() })
    const store = new UnstorageStore(storage)
    await storage.setItemRaw('20:x01', Buffer.from([1, 2]))
    await storage.setItemRaw('20:x02', Uint8Array.of(3, 4).buffer)
    await storage.setItemRaw('something:else', Uint8Array.of(1))
    expect(await store.getMany([bytes(0x20, 1), bytes(0x20, 2)])).toEqual([bytes(1, 2), bytes(3, 4)])
    expect(await store.range({ prefix: bytes() })).toHaveLength(2)
    await storage.setItemRaw('20:x03', 'text')
    await expect(store.getMany([bytes(0x20, 3)])).rejects.toMatchObject({ code: 'STORE_DAMAGED' })
  })
})

describe('IdbStore', () => {
  test('keeps everything across a restart', async () => {
    const name = freshDatabase()
    const first = new IdbStore(name)
    await first.commit([put(bytes(1, 0xff), bytes(5)), put(bytes(1), new Uint8Array(64).subarray(1, 3))])
    await first.close()
    const second = new IdbStore(name)
    expect(await second.range({ prefix: bytes(1) })).toEqual([
      [bytes(1), bytes(0, 0)],
      [bytes(1, 0xff), bytes(5)],
    ])
    await second.close()
  })

  test('a failed batch stores nothing', async () => {
    const store = new IdbStore(freshDatabase())
    const unclonable = (() => {}) as unknown as Uint8Array
    await expect(store.commit([put(bytes(1), bytes(1)), put(bytes(2), unclonable)])).rejects.toThrow()
    expect(await store.getMany([bytes(1)])).toEqual([undefined])
    await store.close()
  })
})
