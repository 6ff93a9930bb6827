// slow: starts threads
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { type Durability, LmdbStore } from '../../../../../adapters/server/data/lmdbStore.ts'
import { COMMIT_THREAD_KEYS } from '../../../../../src/base/limits/limits.ts'
import type { Mutation } from '../../../../../src/base/ports/keyValueStore.ts'
import { bundledWorker } from '../../../../support/host/bundledWorker.ts'
import { bytes, put, remove, storeContract, synchronous } from '../../../storage/contract.ts'

const worker = bundledWorker('adapters/server/threads/commitWorker.ts')
const root = mkdtempSync(path.join(tmpdir(), 'isonode-commits-'))
let directories = 0
const opened: LmdbStore[] = []

function open(
  durability: Durability,
  workerUrl = worker.url,
  directory = path.join(root, `${directories++}`),
): LmdbStore {
  const store = new LmdbStore({ directory, durability, commitThread: { workerUrl } })
  opened.push(store)
  return store
}

const keyOf = (n: number): Uint8Array => bytes(0x20, n >> 16, (n >> 8) & 255, n & 255)
const batchOf = (size: number, value: number): Mutation[] =>
  Array.from({ length: size }, (_, i) => put(keyOf(size - 1 - i), Uint8Array.of(value, i & 255)))

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

storeContract('LMDB with a thread that commits', () => synchronous(open('power')), { runs: 5 })

describe('the thread that commits', () => {
  it('writes a large batch while this thread goes on, and this one sees it afterwards', async () => {
    const store = open('process')
    const committed = store.commit([...batchOf(20_000, 1), remove(keyOf(5)), put(keyOf(6), bytes(9))])
    expect(committed).toBeInstanceOf(Promise)
    let turns = 0
    const count = (): void => {
      turns++
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    await committed
    clearImmediate(timer)
    expect(turns).toBeGreaterThan(10)
    expect(store.get(keyOf(5))).toBeUndefined()
    expect(store.get(keyOf(6))).toEqual(bytes(9))
    expect(store.get(keyOf(19_999))).toEqual(bytes(1, 0))
  })

  it('keeps the order of batches, also of small ones behind a large one', async () => {
    const store = open('process')
    const large = store.commit(batchOf(COMMIT_THREAD_KEYS, 1))
    const small = store.commit([put(keyOf(0), bytes(2))])
    await Promise.all([large, small])
    expect(store.get(keyOf(0))).toEqual(bytes(2))
    expect(store.commit([put(keyOf(0), bytes(3))])).toBeUndefined()
    expect(store.get(keyOf(0))).toEqual(bytes(3))
  })

  it('takes every commit that has to be synced, once it runs', async () => {
    const store = open('power')
    await store.commit(batchOf(COMMIT_THREAD_KEYS, 1))
    const small = store.commit([put(keyOf(0), bytes(2))])
    expect(small).toBeInstanceOf(Promise)
    await small
    expect(store.get(keyOf(0))).toEqual(bytes(2))
  })

  it('is not ended before it has started, because it may hold a lock of the database', async () => {
    const slow = worker.moduleOf(
      'slow.mjs',
      `import { writeFileSync } from 'node:fs'
      import { parentPort, workerData } from 'node:worker_threads'
      parentPort.on('message', () => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
        writeFileSync(workerData.directory + '/answered', '')
        parentPort.postMessage({})
      })
      parentPort.postMessage({ kind: 'ready' })`,
    )
    const directory = path.join(root, `${directories++}`)
    const store = open('power', slow, directory)
    expect(store.commit([put(keyOf(0), bytes(1))])).toBeUndefined()
    await store.close()
    expect(existsSync(path.join(directory, 'answered'))).toBe(true)
  })

  it('stores nothing of a batch that fails, and goes on', async () => {
    const store = open('process')
    const tooLong = new Uint8Array(3000).fill(1)
    await expect(store.commit([...batchOf(COMMIT_THREAD_KEYS, 1), put(tooLong, bytes(1))])).rejects.toThrow(
      expect.objectContaining({ code: 'STORE_FAILED' }),
    )
    expect(store.get(keyOf(0))).toBeUndefined()
    await store.commit(batchOf(COMMIT_THREAD_KEYS, 2))
    expect(store.get(keyOf(COMMIT_THREAD_KEYS - 1))).toEqual(bytes(2, 0))
  })

  it('is replaced by this thread when it cannot start, or dies in the middle', async () => {
    const dying = worker.moduleOf(
      'dying.mjs',
      `import { parentPort } from 'node:worker_threads'
       parentPort.on('message', () => process.exit(1))
       parentPort.postMessage({ kind: 'ready' })`,
    )
    for (const url of [dying, new URL('./absent.mjs', worker.url)]) {
      const store = open('power', url)
      for (let value = 1; value <= 5; value++) {
        await store.commit(batchOf(COMMIT_THREAD_KEYS, value))
        expect(store.get(keyOf(COMMIT_THREAD_KEYS - 1))).toEqual(bytes(value, 0))
      }
    }
  })

  it('commits what was handed over before the store closes', async () => {
    const store = open('process')
    const directory = path.join(root, `${directories - 1}`)
    const committed = store.commit(batchOf(5_000, 7))
    await store.close()
    await committed
    expect(open('process', worker.url, directory).get(keyOf(4_999))).toEqual(bytes(7, 0))
  })
})
