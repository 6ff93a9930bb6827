import 'fake-indexeddb/auto'
import { describe, expect, it } from 'vitest'
import { openForkCache } from '../../../adapters/browser/forkCache.ts'
import { IdbCacheStore } from '../../../adapters/browser/idbCacheStore.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { bytes } from '../storage/contract.ts'
import { cacheStoreContract } from './cacheStoreContract.ts'

let databases = 0
cacheStoreContract('IndexedDB', () => {
  const name = `isonode-fork-test-${databases++}`
  return [new IdbCacheStore(name), new IdbCacheStore(name)]
})

describe('the cache of a fork in a browser', () => {
  it('is there after a reload', async () => {
    const first = openForkCache({ logger: silentLogger })
    first.put([[bytes(1, 1), bytes(5)]])
    await first.close()
    const second = openForkCache({ logger: silentLogger })
    expect(await second.getMany([bytes(1, 1), bytes(1, 2)])).toEqual([bytes(5), undefined])
    await second.close()
  })

  it('is done without where the browser refuses databases', async () => {
    const { indexedDB } = globalThis
    const lines: string[] = []
    const logger = { ...silentLogger, warn: (message: string) => void lines.push(message) }
    const refused = (): never => {
      throw new DOMException('denied', 'SecurityError')
    }
    Object.assign(globalThis, { indexedDB: { open: refused } })
    try {
      const cache = openForkCache({ logger })
      expect(await cache.getMany([bytes(1)])).toEqual([undefined])
      cache.put([[bytes(1), bytes(1)]])
      await cache.close()
    } finally {
      Object.assign(globalThis, { indexedDB })
    }
    expect(lines).toEqual(['the fork goes on without its cache'])
  })
})
