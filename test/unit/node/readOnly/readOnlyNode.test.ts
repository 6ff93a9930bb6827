import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openDataDirectory, openReader } from '../../../../adapters/server/data/dataDirectory.ts'
import { silentLogger } from '../../../../src/base/ports/logging.ts'
import { devGenesis } from '../../../../src/config/devGenesis.ts'
import { parseGenesis } from '../../../../src/config/genesisFile.ts'
import { defaultOptions } from '../../../../src/config/options.ts'
import { createReadNode, type ReadNode, type ReadNodeHost } from '../../../../src/node/readOnly/readOnlyNode.ts'
import { settingsOf } from '../../../../src/node/settings/nodeSettings.ts'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { TEST_CLOCK, TEST_SENDERS } from '../../../support/chains/testChain.ts'
import { testRandom, testTimers } from '../../../support/host/testPorts.ts'
import { testYield } from '../../../support/host/testYield.ts'
import { DEV_CHAIN } from '../../../support/nodes/devChain.ts'
import { type OpenedNode, openDevNode } from '../../../support/nodes/devNodeInMemory.ts'
import { replyText } from '../../../support/rpc/replyText.ts'

const HOST = {
  senders: TEST_SENDERS,
  clock: TEST_CLOCK,
  timers: testTimers,
  random: testRandom,
  yieldToHost: testYield,
  logger: silentLogger,
  platform: 'test',
}

const directories: string[] = []

afterAll(() => {
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
})

interface Pair {
  readonly writer: OpenedNode
  readonly reader: ReadNode
  close(): Promise<void>
}

function readerOf(store: Pick<ReadNodeHost, 'store' | 'renewSnapshot'>): ReadNode {
  const { config } = parseGenesis(devGenesis(), { networkId: BigInt(DEV_CHAIN) })
  return createReadNode({ ...HOST, ...store }, config, settingsOf(defaultOptions(true), true))
}

async function inMemory(): Promise<Pair> {
  const store = new MemoryStore()
  const writer = await openDevNode({}, store)
  return { writer, reader: readerOf({ store }), close: () => writer.node.close() }
}

async function onDisk(): Promise<Pair> {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'isonode-read-'))
  directories.push(directory)
  const data = await openDataDirectory(directory, 'process')
  const writer = await openDevNode({}, data.store)
  const store = openReader(directory, 'process')
  const close = async (): Promise<void> => {
    await store.close()
    await writer.node.close()
    await data.close()
  }
  return { writer, reader: readerOf({ store, renewSnapshot: () => store.renewSnapshot() }), close }
}

interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

async function ask(node: ReadNode, method: string, ...params: readonly unknown[]): Promise<Answer> {
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const reply = await node.endpoints.get('http').exchange.handle({ body: request })
  return JSON.parse(await replyText(reply)) as Answer
}

const RECIPIENT = `0x${'77'.repeat(20)}`

async function transfer({ rpc }: OpenedNode): Promise<string> {
  const [from] = await rpc<string[]>('eth_accounts')
  return rpc('eth_sendTransaction', { from, to: RECIPIENT, value: '0x5' })
}

describe.each([
  ['memory', inMemory],
  ['LMDB', onDisk],
])('a read-only node over %s', (_, open) => {
  it('sees the blocks, receipts and states that the writing node commits', async () => {
    const { writer, reader, close } = await open()
    expect(await ask(reader, 'eth_blockNumber')).toMatchObject({ result: '0x0' })
    expect(await ask(reader, 'eth_getBalance', RECIPIENT, 'latest')).toMatchObject({ result: '0x0' })
    expect(await ask(reader, 'eth_getBlockByNumber', '0x1', false)).toMatchObject({ result: null })
    for (let count = 1; count <= 3; count++) {
      const hash = await transfer(writer)
      expect(await ask(reader, 'eth_blockNumber')).toMatchObject({ result: `0x${count}` })
      expect(await ask(reader, 'eth_getBalance', RECIPIENT, 'latest')).toMatchObject({
        result: `0x${(5 * count).toString(16)}`,
      })
      expect(await ask(reader, 'eth_getTransactionReceipt', hash)).toMatchObject({ result: { status: '0x1' } })
    }
    expect(await ask(reader, 'eth_getBalance', RECIPIENT, '0x1')).toMatchObject({ result: '0x5' })
    const block = await writer.rpc('eth_getBlockByNumber', '0x3', true)
    expect(await ask(reader, 'eth_getBlockByNumber', '0x3', true)).toMatchObject({ result: block })
    const call = { to: RECIPIENT, value: '0x1' }
    expect(await ask(reader, 'eth_estimateGas', call)).toMatchObject({ result: '0x5208' })
    expect(await ask(reader, 'debug_traceBlockByNumber', '0x2')).toHaveProperty('result.0.txHash')
    await close()
  })

  it('notifies filters of new blocks, even after a move to another branch', async () => {
    const { writer, reader, close } = await open()
    const snapshot = await writer.rpc('evm_snapshot')
    await writer.rpc('evm_mine')
    const { result: filter } = await ask(reader, 'eth_newBlockFilter')
    await writer.rpc('evm_mine')
    await writer.rpc('evm_mine')
    const hashes = [await hashOf(writer, '0x2'), await hashOf(writer, '0x3')]
    expect(await ask(reader, 'eth_getFilterChanges', filter)).toMatchObject({ result: hashes })
    await writer.rpc('evm_revert', snapshot)
    await transfer(writer)
    expect(await ask(reader, 'eth_blockNumber')).toMatchObject({ result: '0x1' })
    expect(await ask(reader, 'eth_getFilterChanges', filter)).toMatchObject({ result: [await hashOf(writer, '0x1')] })
    await close()
  })

  it('refuses to write', async () => {
    const { reader, close } = await open()
    const refusal = { code: -32601, message: expect.stringContaining('read-only node') }
    for (const [method, ...params] of [
      ['eth_sendRawTransaction', '0x01'],
      ['debug_setHead', '0x0'],
      ['debug_resyncWorldstate'],
      ['miner_start'],
      ['miner_stop'],
      ['miner_setCoinbase', RECIPIENT],
    ]) {
      expect(await ask(reader, method as string, ...params), method).toMatchObject({ error: refusal })
    }
    expect(await ask(reader, 'evm_mine')).toMatchObject({ error: { code: -32601 } })
    expect(await ask(reader, 'txpool_besuTransactions')).toMatchObject({ result: [] })
    expect(await ask(reader, 'eth_mining')).toMatchObject({ result: false })
    await close()
  })
})

async function hashOf({ rpc }: OpenedNode, number: string): Promise<string> {
  return (await rpc<{ hash: string }>('eth_getBlockByNumber', number, false)).hash
}
