// slow: threads that seal
import { afterEach, describe, expect, it } from 'vitest'
import { SealThread } from '../../../../../adapters/server/threads/sealThread.ts'
import type { SealTask } from '../../../../../src/base/ports/sealSearch.ts'
import { bytesToBigInt } from '../../../../../src/base/primitives/bytes.ts'
import { EpochCaches } from '../../../../../src/consensus/pow/epochCaches.ts'
import { bundledWorker } from '../../../../support/host/bundledWorker.ts'
import { eventually } from '../../../../support/host/eventually.ts'

const worker = bundledWorker('adapters/server/threads/sealWorker.ts')
const caches = new EpochCaches({ isTest: true })
const threads: SealThread[] = []

function open(workerUrl: URL = worker.url) {
  const errors: unknown[] = []
  const thread = new SealThread({ isTest: true, workerUrl, onError: (error) => errors.push(error) })
  threads.push(thread)
  return { thread, errors }
}

function task(n: number, target: number): SealTask {
  const powHash = new Uint8Array(32).fill(n)
  return { blockNumber: 1, isLong: false, powHash, target: new Uint8Array(32).fill(255).fill(target, 0, 1) }
}

afterEach(async () => {
  for (const thread of threads.splice(0)) await thread.close()
})

describe('SealThread', () => {
  it('finds the nonce of the newest task only', { timeout: 30_000 }, async () => {
    const { thread, errors } = open()
    const found: number[] = []
    const impossible = { ...task(1, 0), target: new Uint8Array(32) }
    thread.start(impossible, 0n, () => found.push(1))
    const nonce = await new Promise<Uint8Array>((resolve) => {
      thread.start(task(2, 3), 5n, (nonce) => {
        found.push(2)
        resolve(nonce)
      })
    })
    const { powHash, target } = task(2, 3)
    expect(bytesToBigInt(caches.hashimoto(1, false, powHash, nonce).result)).toBeLessThanOrEqual(bytesToBigInt(target))
    expect(found).toEqual([2])
    thread.start(task(3, 255), 0n, () => found.push(3))
    thread.stop()
    await new Promise<void>((resolve) => thread.start(task(4, 255), 0n, () => resolve()))
    expect(found).toEqual([2])
    expect(errors).toEqual([])
  })

  it('uses a dataset during a search, and after a restart of the thread', { timeout: 30_000 }, async () => {
    const { thread, errors } = open()
    // Not the dataset of the epoch, so that its nonces differ from those of the cache.
    const memory = new SharedArrayBuffer(32_768)
    const other = new EpochCaches({ isTest: true })
    const position = { epoch: 0, isLong: false }
    other.useDatasets([{ position, memory }])
    const next = (n: number) =>
      new Promise<Uint8Array>((resolve) => thread.start({ ...task(n, 3), blockNumber: 1 }, 0n, resolve))
    const isOf = (of: EpochCaches, n: number, nonce: Uint8Array) => {
      const { powHash, target } = task(n, 3)
      return bytesToBigInt(of.hashimoto(1, false, powHash, nonce).result) <= bytesToBigInt(target)
    }
    expect(isOf(caches, 5, await next(5))).toBe(true)
    thread.useDatasets([{ position, memory }])
    const nonce = await next(6)
    expect([isOf(other, 6, nonce), isOf(caches, 6, nonce)]).toEqual([true, false])
    await thread.close()
    thread.useDatasets([{ position, memory }])
    expect(isOf(other, 7, await next(7))).toBe(true)
    thread.useDatasets([])
    expect(isOf(caches, 8, await next(8))).toBe(true)
    expect(errors).toEqual([])
  })

  it('measures the hash rate', { timeout: 30_000 }, async () => {
    const { thread } = open()
    thread.start({ ...task(1, 0), target: new Uint8Array(32) }, 0n, () => {})
    await eventually(() => expect(thread.hashrate).toBeGreaterThan(0))
  })

  it('restarts a thread that ends, a few times', { timeout: 30_000 }, async () => {
    const { thread, errors } = open(worker.moduleOf('ending.mjs', 'process.exit(3)'))
    thread.start(task(1, 255), 0n, () => {})
    await eventually(() => expect(errors).toHaveLength(4))
    expect(errors.map(String)).toEqual([
      ...Array.from({ length: 3 }, () => 'Error: the thread has ended with code 3'),
      'Error: the mining thread has ended 3 times',
    ])
  })
})
