/** Traces over an asynchronous store equal those over a synchronous one. */

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import type { AsyncKeyValueStore } from '../../../../src/base/ports/keyValueStore.ts'
import { silentLogger } from '../../../../src/base/ports/logging.ts'
import { importBlocks } from '../../../../src/chain/import.ts'
import { parseGenesisFile } from '../../../../src/config/genesisFile.ts'
import { defaultOptions } from '../../../../src/config/options.ts'
import { createNode, type IsoNode, type NodeHost } from '../../../../src/node/node.ts'
import { settingsOf } from '../../../../src/node/settings/nodeSettings.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { ResidentStore } from '../../../../src/storage/residentStore.ts'
import { readBlocks } from '../../../../src/types/blockSplitter.ts'
import { TEST_CLOCK, TEST_SENDERS } from '../../../support/chains/testChain.ts'
import { testRandom, testTimers } from '../../../support/host/testPorts.ts'
import { testYield } from '../../../support/host/testYield.ts'

const LONDON = path.resolve(import.meta.dirname, '../../../vectors/besu/london')
const text = readFileSync(path.join(LONDON, 'genesis.json'), 'utf8')
const file = readFileSync(path.join(LONDON, 'blocks.bin'))
const TYPES = ['trace', 'vmTrace', 'stateDiff']
const REQUESTS: readonly [string, readonly unknown[]][] = [
  ...['0x1', '0x2', '0x3', '0x4', '0x5'].flatMap((block): [string, unknown[]][] => [
    ['trace_block', [block]],
    ['trace_replayBlockTransactions', [block, TYPES]],
  ]),
  ['trace_filter', [{ fromBlock: '0x0' }]],
  ['trace_filter', [{ fromBlock: '0x0', fromAddress: '0xfe3b557e8fb62b89f4916b721be55ceb828dbd73' }]],
]

function slow(memory: MemoryStore): AsyncKeyValueStore {
  const later = () => new Promise((resolve) => setTimeout(resolve))
  return {
    getMany: (keys) => later().then(() => memory.getMany(keys)),
    range: (options) => later().then(() => [...memory.range(options)]),
    commit: (batch) => later().then(() => memory.commit(batch)),
    close: async () => {},
  }
}

function open(store: NodeHost['store'], residency?: ResidentStore): Promise<IsoNode> {
  const host: NodeHost = {
    store,
    ...(residency === undefined ? {} : { residency }),
    clock: TEST_CLOCK,
    logger: silentLogger,
    senders: TEST_SENDERS,
    timers: testTimers,
    random: testRandom,
    yieldToHost: testYield,
    platform: 'test/test',
  }
  const options = { ...defaultOptions(false), 'rpc-http-api': ['TRACE'] }
  return createNode(host, { genesis: parseGenesisFile(text), text }, settingsOf(options, false))
}

async function answers(node: IsoNode): Promise<unknown[]> {
  const all: unknown[] = []
  for (const [method, params] of REQUESTS) {
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const { body } = await node.endpoints.get('http').exchange.handle({ body: request })
    all.push(JSON.parse(body).result)
  }
  return all
}

describe('trace_*', () => {
  it('has the same answers over an asynchronous store with little memory', async () => {
    const memory = new MemoryStore()
    const atOnce = await open(memory)
    const modules = { chain: atOnce.chain, senders: TEST_SENDERS, clock: TEST_CLOCK }
    await importBlocks(modules, { blocks: readBlocks([file]), verifySeal: false })
    const expected = await answers(atOnce)
    expect(expected.filter((answer) => answer === undefined)).toEqual([])
    const resident = new ResidentStore(slow(memory), { bytes: 20_000 })
    expect(await answers(await open(resident, resident))).toEqual(expected)
  })
})
