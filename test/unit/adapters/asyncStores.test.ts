import 'fake-indexeddb/auto'
import { describe, expect, test } from 'vitest'
import { IdbStore } from '../../../adapters/browser/idbStore.ts'
import { asynchronous, bytes, put, storeContract } from '../storage/contract.ts'

let databases = 0
const freshDatabase = () => `isonode-test-${databases++}`

storeContract('IndexedDB', () => asynchronous(new IdbStore(freshDatabase())), { runs: 8 })

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
