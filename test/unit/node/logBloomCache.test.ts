import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { BloomFolder } from '../../../adapters/server/data/bloomFolder.ts'
import { BLOOM_CACHE_DELAY_MS, BLOOM_CACHE_START_MS } from '../../../src/base/limits/limits.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { Emitter } from '../../../src/base/primitives/events.ts'
import type { ChainEvents, ChainHeader } from '../../../src/chain/contract.ts'
import { LogBloomFiles, type LogBloomFilesDeps, SEGMENT_BLOCKS } from '../../../src/node/logBloomCache.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { testTimers } from '../../support/host/testPorts.ts'
import { testYield } from '../../support/host/testYield.ts'
import { closedAfterEach } from '../../support/nodes/devNodeInMemory.ts'

const openNode = closedAfterEach()
const opened: LogBloomFiles[] = []
let folder: string
let caches: string

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'blooms-'))
  caches = path.join(folder, 'caches')
})

afterEach(async () => {
  vi.useRealTimers()
  for (const files of opened.splice(0)) await files.stop()
  rmSync(folder, { recursive: true })
})

const BYTES = 256

/** A chain whose bloom of a block begins with its number and a mark of its branch. */
class FakeChain {
  readonly events: Emitter<ChainEvents> = new Emitter<ChainEvents>()
  length: number
  mark = 0

  constructor(head: number) {
    this.length = head + 1
  }

  get genesis(): ChainHeader {
    return this.headerByNumber(0) as ChainHeader
  }

  get head(): ChainHeader {
    return this.headerByNumber(this.length - 1) as ChainHeader
  }

  headerByNumber(number: number): ChainHeader | undefined {
    if (number >= this.length) return undefined
    const logsBloom = new Uint8Array(BYTES)
    new DataView(logsBloom.buffer).setUint32(0, number)
    logsBloom[4] = this.mark
    return { header: { number: BigInt(number), logsBloom } } as unknown as ChainHeader
  }

  announce(): void {
    this.events.emit('head', { head: this.head, added: [], removed: [] })
  }
}

function open(chain: FakeChain, isAutomatic = false): LogBloomFiles {
  const parts: LogBloomFilesDeps = {
    files: new BloomFolder(caches),
    chain,
    timers: testTimers,
    yieldToHost: testYield,
    logger: silentLogger,
    isAutomatic,
  }
  const files = new LogBloomFiles(parts)
  opened.push(files)
  files.start()
  return files
}

const file = (segment: number): string => path.join(caches, `logBloom-${segment}.cache`)
const numberAt = (segment: number, index: number): number => readFileSync(file(segment)).readUInt32BE(index * BYTES)

describe('the log bloom cache', () => {
  it('writes complete segments only, on request', { timeout: 60_000 }, async () => {
    const files = open(new FakeChain(2 * SEGMENT_BLOCKS + 10))
    expect(files.generate(5, Number.POSITIVE_INFINITY)).toBe(true)
    expect(files.run).toEqual({ startBlock: 0, endBlock: Number.POSITIVE_INFINITY, currentBlock: 0, isActive: true })
    expect(files.generate(0, 7)).toBe(false)
    expect(files.repair(0)).toBe(false)
    await files.idle
    expect(files.run).toMatchObject({ currentBlock: 2 * SEGMENT_BLOCKS - 1, isActive: false })
    expect([0, 1, 2].map((segment) => existsSync(file(segment)))).toEqual([true, true, false])
    expect(statSync(file(1)).size).toBe(25_600_000)
    expect([numberAt(0, 0), numberAt(0, 99_999), numberAt(1, 12_345)]).toEqual([0, 99_999, 112_345])
    expect(readFileSync(path.join(caches, 'CACHE_METADATA.json'), 'utf8')).toBe('{"version":3}')
    await files.remove(0, 5)
    expect([0, 1].map((segment) => existsSync(file(segment)))).toEqual([false, true])
    writeFileSync(file(1), 'damaged')
    expect(files.repair(SEGMENT_BLOCKS + 1)).toBe(true)
    await files.idle
    expect([numberAt(0, 7), numberAt(1, 7), statSync(file(1)).size]).toEqual([7, 100_007, 25_600_000])
  })

  it('writes nothing for a range before the end of a segment', async () => {
    const files = open(new FakeChain(50))
    expect(files.generate(0, -1)).toBe(false)
    expect(files.run).toEqual({ startBlock: 0, endBlock: 0, currentBlock: 0, isActive: false })
    expect(files.generate(0, 20)).toBe(true)
    await files.idle
    expect(existsSync(file(0))).toBe(false)
  })

  it('follows the head and reorganisations, with a delay', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const chain = new FakeChain(3)
    const files = open(chain, true)
    await vi.advanceTimersByTimeAsync(BLOOM_CACHE_START_MS)
    await files.idle
    expect([statSync(file(0)).size, numberAt(0, 3)]).toEqual([4 * BYTES, 3])
    chain.length = 6
    chain.announce()
    chain.announce()
    await vi.advanceTimersByTimeAsync(BLOOM_CACHE_DELAY_MS)
    await files.idle
    expect([statSync(file(0)).size, numberAt(0, 5)]).toEqual([6 * BYTES, 5])
    chain.mark = 1
    chain.length = 5
    const commonAncestor = chain.headerByNumber(2) as ChainHeader
    chain.events.emit('reorg', { commonAncestor, removed: [], added: [] })
    chain.announce()
    await vi.advanceTimersByTimeAsync(BLOOM_CACHE_DELAY_MS)
    await files.idle
    const bytes = readFileSync(file(0))
    expect([bytes.length, ...[2, 3, 4].map((block) => bytes[block * BYTES + 4])]).toEqual([5 * BYTES, 0, 1, 1])
  })

  it('discards files of an older format, and names a folder that cannot be written', async () => {
    const files = new BloomFolder(caches)
    await files.write(0, 0, new Uint8Array(BYTES))
    writeFileSync(path.join(caches, 'CACHE_METADATA.json'), '{"version":2}')
    const next = new BloomFolder(caches)
    await next.write(1, 0, new Uint8Array(BYTES))
    expect(await next.segments()).toEqual([1])
    expect(await next.length(0)).toBe(0)
    await next.truncate(7, 0)
    writeFileSync(path.join(folder, 'file'), '')
    const broken = new BloomFolder(path.join(folder, 'file'))
    await expect(broken.write(0, 0, new Uint8Array(BYTES))).rejects.toMatchObject({ code: 'BLOOM_FILE_FAILED' })
  })
})

it('the methods answer with the status of the cache; null without files', async () => {
  const { rpc, node } = await openNode({}, new MemoryStore(), { bloomFiles: new BloomFolder(caches) })
  await rpc('evm_mine')
  expect(await rpc('admin_generateLogBloomCache', '0x0', 'latest')).toEqual({
    startBlock: '0x0',
    endBlock: 'latest',
    currentBlock: '0x0',
    indexing: true,
    requestAccepted: true,
  })
  expect(await rpc('admin_logsRemoveCache')).toEqual({ Status: 'Cache Removed' })
  expect(await rpc('admin_logsRepairCache', '1')).toEqual({ Status: 'Started' })
  expect(await rpc('admin_generateLogBloomCache')).toMatchObject({ requestAccepted: false, indexing: true })
  expect(await rpc('admin_logsRemoveCache', '', '0x1')).toEqual({ Status: 'Cache Removed' })
  await expect(rpc('admin_logsRemoveCache', '0x1', '0x0')).rejects.toMatchObject({ code: -32602 })
  await node.close()
  const without = await openNode()
  expect(await without.rpc('admin_generateLogBloomCache', '0x0', 'latest')).toBeNull()
  expect(await without.rpc('admin_logsRepairCache')).toBeNull()
})
