import { describe, expect, test } from 'vitest'
import type { AsyncKeyValueStore, Mutation } from '../../../src/base/ports/keyValueStore.ts'
import { StoreMiss } from '../../../src/base/ports/keyValueStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { ResidentStore } from '../../../src/storage/residentStore.ts'
import { retryMisses } from '../../../src/storage/retryMisses.ts'
import { bytes, put, type StoreUnderTest, storeContract } from './contract.ts'

interface SlowStore extends AsyncKeyValueStore {
  /** Calls so far, such as `getMany 2` for two keys. */
  readonly calls: string[]
  failNextCommit: boolean
}

/** A memory store whose answers arrive some turns of the event loop later, and in another order than the requests. */
function slowStore(memory: MemoryStore = new MemoryStore()): SlowStore {
  let turn = 0
  const later = async () => {
    const turns = (turn++ * 7) % 3
    for (let i = 0; i <= turns; i++) await new Promise((resolve) => setTimeout(resolve))
  }
  const calls: string[] = []
  const store: SlowStore = {
    calls,
    failNextCommit: false,
    getMany: async (keys) => {
      calls.push(`getMany ${keys.length}`)
      await later()
      return memory.getMany(keys)
    },
    range: async (options) => {
      calls.push('range')
      await later()
      return [...memory.range(options)]
    },
    commit: async (batch: readonly Mutation[]) => {
      calls.push(`commit ${batch.length}`)
      await later()
      if (store.failNextCommit) {
        store.failNextCommit = false
        memory.commit(batch.slice(0, 1))
        throw new Error('connection lost')
      }
      memory.commit(batch)
    },
    close: async () => memory.close(),
  }
  return store
}

function resident(store: ResidentStore): StoreUnderTest {
  return {
    getMany: (keys) => retryMisses(() => store.getMany(keys), store),
    range: (options) => retryMisses(() => [...store.range(options)], store),
    commit: (batch) => store.commit(batch),
    close: () => store.close(),
  }
}

storeContract('resident', () => resident(new ResidentStore(slowStore())), { runs: 15 })
storeContract('resident, with hardly any memory', () => resident(new ResidentStore(slowStore(), { bytes: 5000 })), {
  runs: 10,
})
storeContract('resident, empty at first', () => resident(new ResidentStore(slowStore(), { isEmpty: true })), {
  runs: 15,
})
storeContract(
  'resident, empty at first, with hardly any memory',
  () => resident(new ResidentStore(slowStore(), { bytes: 5000, isEmpty: true })),
  { runs: 10 },
)

describe('ResidentStore', () => {
  test('names all missing data together, and caches absences', async () => {
    const slow = slowStore()
    const store = new ResidentStore(slow)
    const keys = [bytes(1, 1), bytes(1, 2), bytes(1, 3)]
    await store.commit([put(bytes(1, 1), bytes(1))])
    expect(() => store.getMany(keys)).toThrow(
      expect.objectContaining({ request: { kind: 'keys', keys: [bytes(1, 2), bytes(1, 3)] } }),
    )
    await store.load({ kind: 'keys', keys })
    expect(store.getMany(keys)).toEqual([bytes(1), undefined, undefined])
    await store.load({ kind: 'keys', keys })
    expect(slow.calls).toEqual(['commit 1', 'getMany 2'])
  })

  test('concurrent loads of the same data are merged', async () => {
    const slow = slowStore()
    const store = new ResidentStore(slow)
    const range = { prefix: bytes(1), limit: 3 }
    await Promise.all([
      store.load({ kind: 'keys', keys: [bytes(1, 1), bytes(1, 2)] }),
      store.load({ kind: 'keys', keys: [bytes(1, 2), bytes(1, 3)] }),
      store.load({ kind: 'range', range }),
      store.load({ kind: 'range', range: { ...range } }),
    ])
    expect(slow.calls).toEqual(['getMany 2', 'getMany 1', 'range'])
  })

  test('a batch becomes visible as a whole, and only once it is stored, whatever is loaded meanwhile', async () => {
    const memory = new MemoryStore()
    const [a, b] = [bytes(1, 1), bytes(1, 2)]
    memory.commit([put(a, bytes(0)), put(b, bytes(0))])
    const store = new ResidentStore(slowStore(memory))
    const early = store.load({ kind: 'keys', keys: [a] })
    for (let n = 1; n < 30; n++) {
      const commit = store.commit([put(a, bytes(n)), put(b, bytes(n))])
      const seen = await retryMisses(() => store.getMany([a, b]), store)
      expect(seen[0]).toEqual(seen[1])
      await commit
      expect(store.getMany([a, b])).toEqual([bytes(n), bytes(n)])
    }
    await early
    expect(store.get(a)).toEqual(bytes(29))
  })

  test('writes batches together that arrive while one is written', async () => {
    const slow = slowStore()
    const store = new ResidentStore(slow)
    const commits = [1, 2, 3].map((n) => store.commit([put(bytes(1, n), bytes(n))]))
    await new Promise((resolve) => setTimeout(resolve))
    const late = [4, 5].map((n) => store.commit([put(bytes(1, 1), bytes(n))]))
    await Promise.all([...commits, ...late])
    expect(slow.calls).toEqual(['commit 3', 'commit 2'])
    expect(store.get(bytes(1, 1))).toEqual(bytes(5))
  })

  test('lets each of them succeed or fail by itself', async () => {
    const memory = new MemoryStore()
    const refused = bytes(1, 2)
    const store = new ResidentStore({
      ...slowStore(memory),
      commit: async (batch) => {
        if (batch.some(({ key }) => key[1] === refused[1])) throw new Error('no space left')
        memory.commit(batch)
      },
    })
    const commits = [1, 2, 3].map((n) => store.commit([put(bytes(1, n), bytes(n))]))
    const invalid = store.commit([put(bytes(), bytes(1))])
    const outcomes = await Promise.allSettled([...commits, invalid])
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected'])
    expect(memory.getMany([bytes(1, 1), refused, bytes(1, 3)])).toEqual([bytes(1), undefined, bytes(3)])
  })

  test('reads from the store again after a failed commit', async () => {
    const slow = slowStore()
    const store = new ResidentStore(slow)
    await store.commit([put(bytes(1), bytes(1)), put(bytes(2), bytes(1))])
    slow.failNextCommit = true
    await expect(store.commit([put(bytes(1), bytes(2)), put(bytes(2), bytes(2))])).rejects.toThrow('connection lost')
    expect(() => store.get(bytes(1))).toThrow(StoreMiss)
    expect(await retryMisses(() => store.getMany([bytes(1), bytes(2)]), store)).toEqual([bytes(2), bytes(1)])
  })

  test('retains no more than its bound', async () => {
    const store = new ResidentStore(slowStore(), { bytes: 10_000 })
    const keys = Array.from({ length: 20 }, (_, i) => bytes(0x20, i))
    await store.commit(keys.map((key) => put(key, new Uint8Array(1000))))
    const kept = keys.filter((key) => {
      try {
        return store.get(key) !== undefined
      } catch {
        return false
      }
    })
    expect(kept.length).toBeGreaterThan(5)
    expect(kept.length).toBeLessThan(10)
  })
})

describe('over a store that was empty', () => {
  const missing = bytes(1, 9)

  test('reads nothing while it has all entries', async () => {
    const slow = slowStore()
    const store = new ResidentStore(slow, { isEmpty: true })
    expect(store.get(missing)).toBeUndefined()
    expect([...store.range({ prefix: bytes(1) })]).toEqual([])
    await store.commit([put(bytes(1, 1), bytes(1)), put(bytes(1, 2), bytes(2)), { key: bytes(1, 2), value: undefined }])
    expect(store.getMany([bytes(1, 1), bytes(1, 2), missing])).toEqual([bytes(1), undefined, undefined])
    await store.load({ kind: 'keys', keys: [missing] })
    expect([...store.range({ prefix: bytes(2) })]).toEqual([])
    expect(slow.calls).toEqual(['commit 3'])
    expect(() => store.range({ prefix: bytes(1) })).toThrow(StoreMiss)
  })

  test('reads what it has evicted', async () => {
    const store = new ResidentStore(slowStore(), { bytes: 5000, isEmpty: true })
    const keys = Array.from({ length: 10 }, (_, i) => bytes(1, i + 10))
    for (const key of keys) await store.commit([put(key, new Uint8Array(1000))])
    expect(() => store.get(missing)).toThrow(StoreMiss)
    for (const key of keys) {
      expect(await retryMisses(() => store.get(key), store)).toHaveLength(1000)
    }
  })

  test('reads what is larger than its memory', async () => {
    const store = new ResidentStore(slowStore(), { bytes: 5000, isEmpty: true })
    await store.commit([put(bytes(1, 1), new Uint8Array(6000))])
    expect(() => store.get(bytes(1, 1))).toThrow(StoreMiss)
  })

  test('reads after a failed commit, of which a part may be stored', async () => {
    const slow = slowStore()
    const store = new ResidentStore(slow, { isEmpty: true })
    slow.failNextCommit = true
    await expect(store.commit([put(bytes(1), bytes(2)), put(bytes(2), bytes(2))])).rejects.toThrow('connection lost')
    expect(await retryMisses(() => store.getMany([bytes(1), bytes(2)]), store)).toEqual([bytes(2), undefined])
  })

  test('has nothing when it is closed', async () => {
    const store = new ResidentStore(slowStore(), { isEmpty: true })
    await store.commit([put(bytes(1, 1), bytes(1))])
    await store.close()
    expect(() => store.get(bytes(1, 1))).toThrow(StoreMiss)
  })

  test('leaves its entries to its successor, and reads them again', async () => {
    const memory = new MemoryStore()
    const store = new ResidentStore(slowStore(memory), { isEmpty: true })
    await store.commit([put(bytes(1, 1), bytes(1))])
    const next = store.successor(slowStore(memory), [])
    expect(next.get(bytes(1, 1))).toEqual(bytes(1))
    expect(() => next.get(missing)).toThrow(StoreMiss)
    expect(() => store.get(bytes(1, 1))).toThrow(StoreMiss)
  })
})

describe('retryMisses', () => {
  test('fails immediately when data read together do not fit in memory', async () => {
    const memory = new MemoryStore()
    const keys = Array.from({ length: 10 }, (_, i) => bytes(0x20, i))
    memory.commit(keys.map((key) => put(key, new Uint8Array(1000))))
    const slow = slowStore(memory)
    const store = new ResidentStore(slow, { bytes: 5000, rangeBytes: 5000 })
    const exceeded = { code: 'RESIDENT_MEMORY_EXCEEDED' }
    await expect(retryMisses(() => store.getMany(keys), store)).rejects.toMatchObject(exceeded)
    await expect(retryMisses(() => store.range({ prefix: bytes(0x20) }), store)).rejects.toMatchObject(exceeded)
    expect(slow.calls).toHaveLength(2)
  })

  test('aborts when the work needs too many data', async () => {
    const store = new ResidentStore(slowStore())
    let n = 0
    const endless = retryMisses(() => store.get(bytes(1, n++ & 255, n >> 8)), store, 5)
    await expect(endless).rejects.toMatchObject({ code: 'STORE_MISSES_EXCEEDED' })
  })

  test('propagates errors of the work and of the store', async () => {
    const failing = { ...slowStore(), getMany: () => Promise.reject(new Error('connection lost')) }
    const store = new ResidentStore(failing)
    const broken = () => {
      throw new Error('mistake')
    }
    await expect(retryMisses(broken, store)).rejects.toThrow('mistake')
    await expect(retryMisses(() => store.get(bytes(1)), store)).rejects.toThrow('connection lost')
    await expect(retryMisses(() => store.get(bytes(1)), store)).rejects.toThrow('connection lost')
  })
})

describe('a successor', () => {
  const at = (...key: number[]) => ({ kind: 'keys' as const, keys: [Uint8Array.from(key)] })

  test('has what was loaded, without the changed keys, and leaves its predecessor as it was', async () => {
    const [before, after] = [new MemoryStore(), new MemoryStore()]
    before.commit([put(bytes(1, 1), bytes(1)), put(bytes(1, 2), bytes(1)), put(bytes(2, 1), bytes(1))])
    after.commit([put(bytes(1, 1), bytes(2)), put(bytes(1, 2), bytes(1)), put(bytes(2, 1), bytes(1))])
    const first = new ResidentStore(slowStore(before))
    await first.load(at(1, 1))
    await first.load(at(1, 2))
    await first.load({ kind: 'range', range: { prefix: bytes(1) } })
    await first.load({ kind: 'range', range: { prefix: bytes(2) } })
    const slow = slowStore(after)
    const next = first.successor(slow, [bytes(1, 1)])
    expect(next.get(bytes(1, 2))).toEqual(bytes(1))
    expect([...next.range({ prefix: bytes(2) })]).toHaveLength(1)
    expect(() => next.get(bytes(1, 1))).toThrow(StoreMiss)
    expect(() => next.range({ prefix: bytes(1) })).toThrow(StoreMiss)
    await next.load(at(1, 1))
    expect(next.get(bytes(1, 1))).toEqual(bytes(2))
    expect(slow.calls).toEqual(['getMany 1'])
    await first.load(at(1, 1))
    expect(first.get(bytes(1, 1))).toEqual(bytes(1))
  })

  test('has nothing when any key may have changed', async () => {
    const memory = new MemoryStore()
    memory.commit([put(bytes(1), bytes(1))])
    const first = new ResidentStore(slowStore(memory))
    await first.load(at(1))
    const next = first.successor(slowStore(memory), undefined)
    expect(() => next.get(bytes(1))).toThrow(StoreMiss)
    expect(first.get(bytes(1))).toEqual(bytes(1))
  })
})
