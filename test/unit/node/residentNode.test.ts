import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { InlineRecovery } from '../../../src/base/ports/inlineRecovery.ts'
import type { AsyncKeyValueStore } from '../../../src/base/ports/keyValueStore.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { importBlocks } from '../../../src/chain/import.ts'
import { parseGenesisFile } from '../../../src/config/genesisFile.ts'
import { defaultOptions } from '../../../src/config/options.ts'
import { createNode, type IsoNode, type NodeHost } from '../../../src/node/node.ts'
import { settingsOf } from '../../../src/node/settings/nodeSettings.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { ResidentStore } from '../../../src/storage/residentStore.ts'
import { readBlocks } from '../../../src/types/blockSplitter.ts'
import { testRandom, testTimers } from '../../support/host/testPorts.ts'
import { testYield } from '../../support/host/testYield.ts'
import { replyText } from '../../support/rpc/replyText.ts'

const LONDON = path.resolve(import.meta.dirname, '../../vectors/besu/london')
const text = readFileSync(path.join(LONDON, 'genesis.json'), 'utf8')
const file = readFileSync(path.join(LONDON, 'blocks.bin'))
const recorded = JSON.parse(readFileSync(path.join(LONDON, 'requests.json'), 'utf8')) as {
  method: string
  params: unknown[]
  result: unknown
}[]

/** Not in the genesis state. */
const CONTRACT = '0x9b8397f1b0fecd3a1a40cdd5e8221fa461898517'

const clock: NodeHost['clock'] = { now: () => Date.UTC(2030, 0, 1), monotonic: () => performance.now() }
const senders = new InlineRecovery({ clock, yieldToHost: testYield })

function slow(memory: MemoryStore): AsyncKeyValueStore {
  const later = () => new Promise((resolve) => setTimeout(resolve))
  return {
    getMany: (keys) => later().then(() => memory.getMany(keys)),
    range: (options) => later().then(() => [...memory.range(options)]),
    commit: (batch) => later().then(() => memory.commit(batch)),
    close: async () => {},
  }
}

interface Opened {
  readonly node: IsoNode
  importUpTo(endBlock: bigint): Promise<bigint>
  ask(method: string, params: readonly unknown[]): Promise<unknown>
}

/** A node with initially empty and limited memory. */
async function open(memory: MemoryStore, bytes?: number): Promise<Opened> {
  return openOver(new ResidentStore(slow(memory), bytes === undefined ? {} : { bytes }))
}

/** @param store its reads are synchronous once everything is in memory */
async function openOver(store: ResidentStore | MemoryStore): Promise<Opened> {
  const resident = store instanceof ResidentStore ? { residency: store } : {}
  const host: NodeHost = {
    store,
    ...resident,
    clock,
    logger: silentLogger,
    senders,
    timers: testTimers,
    random: testRandom,
    yieldToHost: testYield,
    platform: 'test/test',
  }
  const settings = settingsOf({ ...defaultOptions(false), 'rpc-http-api': ['ETH', 'NET', 'WEB3', 'DEBUG'] }, false)
  const node = await createNode(host, { genesis: parseGenesisFile(text), text }, settings)
  return {
    node,
    importUpTo: async (endBlock) => {
      const modules = { chain: node.chain, senders, clock, ...resident }
      const { end } = await importBlocks(modules, { blocks: readBlocks([file]), endBlock, verifySeal: false })
      expect(end).toEqual({ kind: 'done' })
      return node.chain.head.header.number
    },
    ask: async (method, params) => {
      const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      const reply = await node.endpoints.get('http').exchange.handle({ body: request })
      return (JSON.parse(await replyText(reply)) as { result: unknown }).result
    },
  }
}

describe.each([
  ['room for all', undefined],
  ['little room', 20_000],
])('a node over an asynchronous store, with %s', (_, bytes) => {
  it('imports, is reopened meanwhile, continues and answers', async () => {
    const memory = new MemoryStore()
    const first = await open(memory, bytes)
    expect(await first.importUpTo(3n)).toBe(2n)
    await first.node.close()

    const second = await open(memory, bytes)
    expect(second.node.chain.head.header.number).toBe(2n)
    expect(await second.importUpTo(6n)).toBe(5n)
    await second.node.close()

    const third = await open(memory, bytes)
    const answers = await Promise.all(recorded.map(({ method, params }) => third.ask(method, params)))
    expect(answers).toEqual(recorded.map(({ result }) => result))
  })

  it('traces like a node with everything in memory', async () => {
    const memory = new MemoryStore()
    const whole = await openOver(memory)
    await whole.importUpTo(6n)
    const { ask } = await open(memory, bytes)
    const tracers = [
      {},
      { tracer: 'callTracer' },
      { tracer: 'prestateTracer' },
      { tracer: 'prestateTracer', tracerConfig: { diffMode: true } },
    ]
    for (const block of ['0x1', '0x2', '0x3', '0x4', '0x5']) {
      for (const options of tracers) {
        const expected = await whole.ask('debug_traceBlockByNumber', [block, options])
        expect(expected).toEqual(expect.any(Array))
        expect(await ask('debug_traceBlockByNumber', [block, options]), block).toEqual(expected)
      }
    }
  })

  it('moves its head back and forward over blocks that are not in memory', async () => {
    const memory = new MemoryStore()
    await (await open(memory, bytes)).importUpTo(6n)
    const { node, ask } = await open(memory, bytes)
    const { head, genesis } = node.chain
    await node.chain.setHead(genesis.hash)
    expect(await ask('eth_getCode', [CONTRACT, 'latest'])).toBe('0x')
    await node.chain.setHead(head.hash)
    expect(await ask('eth_getStorageAt', [CONTRACT, '0x0', 'latest'])).toBe(`0x${'0'.repeat(63)}1`)
    expect(await ask('eth_blockNumber', [])).toBe('0x5')
  })
})
