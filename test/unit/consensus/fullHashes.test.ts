// slow: ethash datasets
import { describe, expect, it } from 'vitest'
import type { DatasetJob } from '../../../src/base/ports/ethashDatasets.ts'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { computeChunks, computedPart, newControl, setStopped } from '../../../src/consensus/pow/datasetChunks.ts'
import { EpochCaches, lightSteps } from '../../../src/consensus/pow/epochCaches.ts'
import { epochAt, hashimoto, lightDataset, makeCache, storedDataset } from '../../../src/consensus/pow/ethash.ts'
import { fullHashes } from '../../../src/consensus/pow/fullHashes.ts'
import { nonceBytes } from '../../../src/consensus/pow/lightCache.ts'
import { plainHashes } from '../../../src/consensus/pow/plainCache.ts'
import { compileHashimoto, wasmCache } from '../../../src/consensus/pow/wasmCache.ts'
import { runToEnd } from '../../support/host/runToEnd.ts'

const SIZES = { cacheBytes: 1024, datasetBytes: 32_768 }
const SEED = new Uint8Array(32)
const powHash = hexToBytes('0xc9149cc0386e689d789a1c2f3d5d169a61a6218ed30e74414dc736e442ef3d1f')

function testJob(): DatasetJob {
  return { position: epochAt(0, false), isTest: true, memory: new SharedArrayBuffer(32_768), control: newControl() }
}

function isSame(memory: SharedArrayBuffer, expected: Int32Array): boolean {
  return new Int32Array(memory).every((word, i) => word === expected[i])
}

describe('hashes by a dataset', () => {
  const words = new Int32Array(new SharedArrayBuffer(SIZES.datasetBytes))
  const module = compileHashimoto() as WebAssembly.Module
  runToEnd(wasmCache(module, SIZES, SEED)).writePages(0, words)
  const full = fullHashes(module, words)

  it('computes the check value', () => {
    const { mixHash, result } = full.hashimoto(powHash, new Uint8Array(8))
    expect(bytesToHex(mixHash)).toBe('0xe4073cffaef931d37117cefd9afd27ea0f1cad6a981dd2605c4a1ac97c519800')
    expect(bytesToHex(result)).toBe('0xd3539235ee2e6f8db665c0a72169f55b7f6c605712330b778ec3944f0eb5a557')
  })

  it('agrees with the light algorithm, in WebAssembly and in JavaScript', () => {
    const light = lightDataset(runToEnd(makeCache(SIZES.cacheBytes, SEED)), SIZES.datasetBytes)
    const plain = plainHashes(storedDataset(words))
    for (let i = 0; i < 120; i++) {
      const nonce = nonceBytes(2n ** 64n - 100n + BigInt(i))
      const hash = powHash.map((byte) => byte ^ i)
      const expected = hashimoto(light, hash, nonce)
      expect(full.hashimoto(hash, nonce)).toEqual(expected)
      expect(plain.hashimoto(hash, nonce)).toEqual(expected)
    }
  })

  it('finds the nonces that the light algorithm finds', () => {
    const light = runToEnd(wasmCache(module, SIZES, SEED))
    const target = new Uint8Array(32).fill(255).fill(3, 0, 1)
    for (let first = 0n; first < 4000n; first += 400n) {
      expect(full.search(powHash, target, first, 400)).toEqual(light.search(powHash, target, first, 400))
    }
    expect(full.search(powHash, new Uint8Array(32), 0n, 40)).toBeUndefined()
  })

  it('replaces the cache of its epoch only', async () => {
    const caches = new EpochCaches({ isTest: true })
    const { position, memory } = testJob()
    // Not the dataset of the epoch: the hashes differ from those of its cache.
    new Int32Array(memory).fill(1)
    const nonce = new Uint8Array(8)
    const light = caches.hashimoto(0, false, powHash, nonce)
    caches.useDatasets([{ position, memory }])
    expect([0, 29_999, 30_000].map((block) => caches.hasDataset(block, false))).toEqual([true, true, false])
    expect(caches.hasDataset(0, true)).toBe(false)
    expect(caches.prepare(0, false, async () => {})).toBeUndefined()
    expect(caches.hashimoto(0, false, powHash, nonce)).not.toEqual(light)
    caches.useDatasets([])
    expect(caches.hashimoto(0, false, powHash, nonce)).toEqual(light)
  })
})

describe('chunks of a dataset', () => {
  it('are those of the light algorithm', () => {
    const job = testJob()
    runToEnd(computeChunks(job))
    expect(computedPart(job)).toBe(1)
    const words = new Int32Array(SIZES.datasetBytes / 4)
    runToEnd(lightSteps(job.position, true)).writePages(0, words)
    expect(isSame(job.memory, words)).toBe(true)
  })

  it('are computed once by several threads, and continue after a stop', { timeout: 60_000 }, () => {
    // Nine chunks of the first epoch, the last one incomplete.
    const memory = new SharedArrayBuffer(8 * 65_536 + 128 * 3)
    const job: DatasetJob = { ...testJob(), isTest: false, memory }
    const light = runToEnd(lightSteps(job.position, false))
    const first = computeChunks(job)
    const second = computeChunks(job)
    while (computedPart(job) < 0.3) {
      first.next()
      second.next()
    }
    setStopped(job, true)
    runToEnd(first)
    runToEnd(second)
    const stopped = computedPart(job)
    expect(stopped).toBeLessThan(0.6)
    setStopped(job, false)
    runToEnd(computeChunks(job))
    expect(computedPart(job)).toBe(1)
    const expected = new Int32Array(memory.byteLength / 4)
    light.writePages(0, expected)
    expect(isSame(memory, expected)).toBe(true)
  })
})
