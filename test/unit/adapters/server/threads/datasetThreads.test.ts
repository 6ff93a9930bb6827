// slow: ethash datasets
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DatasetFolder } from '../../../../../adapters/server/data/datasetFolder.ts'
import { DatasetThreads } from '../../../../../adapters/server/threads/datasetThreads.ts'
import type { DatasetJob } from '../../../../../src/base/ports/ethashDatasets.ts'
import { computedPart, newControl, setStopped } from '../../../../../src/consensus/pow/datasetChunks.ts'
import { lightSteps } from '../../../../../src/consensus/pow/epochCaches.ts'
import { bundledWorker } from '../../../../support/host/bundledWorker.ts'
import { runToEnd } from '../../../../support/host/runToEnd.ts'

const worker = bundledWorker('adapters/server/threads/datasetWorker.ts')
const CHUNK_BYTES = 65_536

function job(bytes: number): DatasetJob {
  const position = { epoch: 0, isLong: false }
  return { position, isTest: false, memory: new SharedArrayBuffer(bytes), control: newControl() }
}

function threads(workerUrl = worker.url, count = 2): DatasetThreads {
  return new DatasetThreads({ files: undefined, threads: count, workerUrl })
}

/** The threads have the lowest priority. */
const LIMIT_MS = 300_000

function isSame(memory: SharedArrayBuffer, expected: Int32Array): boolean {
  return new Int32Array(memory).every((word, i) => word === expected[i])
}

describe('DatasetThreads', () => {
  it('computes a dataset on several threads', { timeout: LIMIT_MS }, async () => {
    const task = job(6 * CHUNK_BYTES)
    await threads().compute(task)
    expect(computedPart(task)).toBe(1)
    const expected = new Int32Array(task.memory.byteLength / 4)
    runToEnd(lightSteps(task.position, false)).writePages(0, expected)
    expect(isSame(task.memory, expected)).toBe(true)
  })

  it('stops between chunks and continues', { timeout: LIMIT_MS }, async () => {
    const task = job(400 * CHUNK_BYTES)
    const stopped = threads().compute(task)
    while (computedPart(task) < 0.01) await new Promise((resolve) => setTimeout(resolve, 5))
    setStopped(task, true)
    await stopped
    const part = computedPart(task)
    expect(part).toBeLessThan(1)
    setStopped(task, false)
    const again = threads(undefined, 1).compute(task)
    while (computedPart(task) <= part) await new Promise((resolve) => setTimeout(resolve, 5))
    setStopped(task, true)
    await again
  })

  it.each([
    ['throws', "throw new Error('broken')", 'broken'],
    ['ends', 'process.exit(3)', 'the thread has ended with code 3'],
    [
      'reports an error',
      "import { parentPort } from 'node:worker_threads'; parentPort.postMessage({ kind: 'ended', reason: 'no memory' })",
      'no memory',
    ],
  ])('fails when a thread %s', async (name, code, message) => {
    const url = worker.moduleOf(`${name.replaceAll(' ', '')}.mjs`, code)
    await expect(threads(url).compute(job(CHUNK_BYTES))).rejects.toThrow(message)
  })

  it('knows the memory that is available', () => {
    const host = new DatasetThreads({ files: undefined })
    expect(host.availableBytes()).toBeGreaterThan(1024 * 1024)
    expect(host.threads).toBeGreaterThan(0)
  })
})

describe('DatasetFolder', () => {
  let directory: string
  let files: DatasetFolder

  beforeEach(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'datasets-'))
    files = new DatasetFolder(path.join(directory, 'ethash'))
  })

  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  it('has no files before the first one is written', async () => {
    expect(await files.list()).toEqual([])
    expect(await files.length('a')).toBeUndefined()
    await files.remove('a')
  })

  it('writes, reads and removes a file', async () => {
    await files.write('a', [Uint8Array.of(1, 2, 3), Uint8Array.of(4)])
    expect([await files.list(), await files.length('a')]).toEqual([['a'], 4])
    const part = new Uint8Array(2)
    await files.read('a', 1, part)
    expect([...part]).toEqual([2, 3])
    const end = new Uint8Array(3)
    await files.read('a', 3, end)
    expect([...end]).toEqual([4, 0, 0])
    await files.remove('a')
    expect(await files.list()).toEqual([])
  })

  it('replaces a file only when the new one is complete', async () => {
    await files.write('a', [Uint8Array.of(1)])
    const failing = (function* () {
      yield Uint8Array.of(2)
      expect(readdirSync(path.join(directory, 'ethash')).sort()).toEqual(['a', 'a.new'])
      throw new Error('stopped')
    })()
    await expect(files.write('a', failing)).rejects.toThrow('cannot access the ethash datasets: stopped')
    expect(await files.list()).toEqual(['a'])
    const content = new Uint8Array(1)
    await files.read('a', 0, content)
    expect([...content]).toEqual([1])
  })

  it('names the fault of an unusable folder', async () => {
    writeFileSync(path.join(directory, 'ethash'), '')
    await expect(files.write('a', [])).rejects.toMatchObject({ code: 'DATASET_FILE_FAILED' })
    await expect(files.read('a', 0, new Uint8Array(1))).rejects.toThrow(/^cannot access the ethash datasets: ENOTDIR/)
  })
})
