import { describe, expect, it } from 'vitest'
import { FORK_CACHE_DELAY_MS } from '../../../src/base/limits/limits.ts'
import type { Logger } from '../../../src/base/ports/host.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import { CachedSource } from '../../../src/fork/cachedSource.ts'
import { GENERATIONS_KEY } from '../../../src/fork/generations.ts'
import { keyToText } from '../../../src/storage/keyText.ts'
import { eventually } from '../../support/host/eventually.ts'
import { FakeTime } from '../../support/host/fakeTime.ts'
import { testTimers } from '../../support/host/testPorts.ts'
import { bytes } from '../storage/contract.ts'
import { MemoryCacheStore } from './memoryCacheStore.ts'

const VALUE_BYTES = 100
const key = (n: number): Uint8Array => keccak256(Uint8Array.of(n >> 8, n & 255))
const value = (n: number): Uint8Array => new Uint8Array(VALUE_BYTES).fill(n)
const entries = (from: number, to: number): [Uint8Array, Uint8Array][] =>
  Array.from({ length: to - from }, (_, i) => [key(from + i), value(from + i)])

function open(store = new MemoryCacheStore(), maxBytes = 1_000_000, logger: Logger = silentLogger) {
  const time = new FakeTime(1_700_000_000_000)
  const source = new CachedSource({ store, maxBytes, clock: time, timers: time, logger })
  return { source, store, time }
}

/** Puts entries in a cache that is opened for them alone. */
async function run(store: MemoryCacheStore, maxBytes: number, work: (source: CachedSource) => void | Promise<void>) {
  const clock = new FakeTime(1_700_000_000_000)
  const source = new CachedSource({ store, maxBytes, clock, timers: testTimers, logger: silentLogger })
  await work(source)
  await source.close()
}

describe('the cache of a fork', () => {
  it('answers with what was put before it is written, and writes neighbours together', async () => {
    const { source, store, time } = open()
    source.put(entries(0, 2))
    source.put(entries(2, 4))
    expect(await source.getMany([key(3), key(4)])).toEqual([value(3), undefined])
    expect(store.updates).toBe(0)
    time.advance(FORK_CACHE_DELAY_MS)
    await eventually(() => expect(store.entries.size).toBe(5))
    expect(store.updates).toBe(1)
    expect(await source.getMany([key(0), key(4)])).toEqual([value(0), undefined])
  })

  it('writes the rest when it is closed, for the next one', async () => {
    const store = new MemoryCacheStore()
    await run(store, 1_000_000, (source) => source.put(entries(0, 3)))
    const { source } = open(store)
    expect(await source.getMany([key(2), key(0)])).toEqual([value(2), value(0)])
  })

  it('stays within its bound, and forgets what was not read for longest', async () => {
    const store = new MemoryCacheStore()
    const maxBytes = 40_000
    const read: Uint8Array[] = []
    for (let at = 0; at < 1000; at += 20) {
      await run(store, maxBytes, async (source) => {
        source.put(entries(at, at + 20))
        read.push(...((await source.getMany([key(0)])) as Uint8Array[]))
      })
      expect(store.storedBytes).toBeLessThanOrEqual(maxBytes)
    }
    expect(read).toEqual(new Array(50).fill(value(0)))
    const { source } = open(store, maxBytes)
    expect(await source.getMany([key(1), key(500), key(999)])).toEqual([undefined, undefined, value(999)])
  })

  it('shrinks when it is opened with a lower bound, while it writes', async () => {
    const store = new MemoryCacheStore()
    for (let at = 0; at < 200; at += 20) await run(store, 40_000, (source) => source.put(entries(at, at + 20)))
    for (let at = 200; at < 300; at += 5) await run(store, 10_000, (source) => source.put(entries(at, at + 5)))
    expect(store.storedBytes).toBeLessThanOrEqual(11_000)
  })

  it('writes nothing when it reads young entries', async () => {
    const store = new MemoryCacheStore()
    await run(store, 40_000, (source) => source.put(entries(0, 20)))
    const { updates } = store
    await run(store, 40_000, async (source) => void (await source.getMany(entries(0, 20).map(([each]) => each))))
    expect(store.updates).toBe(updates)
  })

  it('does not keep a value that would displace most others', async () => {
    const { source } = open(new MemoryCacheStore(), 4000)
    source.put([[key(1), new Uint8Array(2000)]])
    expect(await source.getMany([key(1)])).toEqual([undefined])
  })

  it('begins again where the record of its generations is lost, and deletes what it cannot find any longer', async () => {
    const store = new MemoryCacheStore()
    await run(store, 1_000_000, (source) => source.put(entries(0, 1000)))
    store.entries.delete(keyToText(GENERATIONS_KEY))
    const time = new FakeTime(1_700_000_120_000)
    const source = new CachedSource({
      store,
      maxBytes: 1_000_000,
      clock: time,
      timers: testTimers,
      logger: silentLogger,
    })
    expect(await source.getMany([key(1)])).toEqual([undefined])
    source.put(entries(2000, 3000))
    await source.close()
    expect(store.entries.size).toBe(1001)
    await run(store, 1_000_000, async (next) => expect(await next.getMany([key(2000)])).toEqual([value(2000)]))
  })

  it('shares a store with others at the same time', async () => {
    const { source: first, store, time } = open()
    const { source: second, time: secondTime } = open(store)
    first.put(entries(0, 10))
    second.put(entries(10, 20))
    time.advance(FORK_CACHE_DELAY_MS)
    secondTime.advance(FORK_CACHE_DELAY_MS)
    await eventually(() => expect(store.entries.size).toBe(21))
    expect(await first.getMany([key(19)])).toEqual([value(19)])
    expect(await second.getMany([key(0)])).toEqual([value(0)])
  })

  it('goes on without a store that fails, and says so once', async () => {
    const lines: string[] = []
    const logger = { ...silentLogger, warn: (message: string) => void lines.push(message) }
    const store = new MemoryCacheStore()
    const { source, time } = open(store, 1_000_000, logger)
    store.failure = new Error('the database failed')
    for (let i = 0; i < 3; i++) {
      source.put(entries(i, i + 1))
      time.advance(FORK_CACHE_DELAY_MS)
      expect((await source.getMany([key(7)]))[0]).toBeUndefined()
    }
    await source.close()
    expect(lines).toEqual(['the fork goes on without its cache'])
  })

  it('is still read when its disk is full', async () => {
    const store = new MemoryCacheStore()
    await run(store, 1_000_000, (source) => source.put(entries(0, 3)))
    store.isFull = true
    const { source, time } = open(store)
    source.put(entries(3, 4))
    time.advance(FORK_CACHE_DELAY_MS)
    await eventually(async () => expect(await source.getMany([key(3)])).toEqual([undefined]))
    expect(await source.getMany([key(2), key(3)])).toEqual([value(2), undefined])
  })

  it('ignores what is put after it was closed', async () => {
    const { source, store } = open()
    await source.close()
    source.put([[bytes(1), bytes(1)]])
    expect(await source.getMany([bytes(1)])).toEqual([undefined])
    expect(store.entries.size).toBe(0)
  })
})
