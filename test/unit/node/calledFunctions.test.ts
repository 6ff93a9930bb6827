import { describe, expect, test } from 'vitest'
import { MAX_CALLED_FUNCTIONS } from '../../../src/base/limits/limits.ts'
import { bytesToHex, concatBytes, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import { defaultOptions } from '../../../src/config/options.ts'
import { CalledFunctions } from '../../../src/node/calledFunctions.ts'
import type { LinkMessage } from '../../../src/node/httpWorkers/messages.ts'
import { ProcessLink } from '../../../src/node/httpWorkers/processLink.ts'
import { type CallTable, decodeCallTable, encodeCallTable } from '../../../src/node/readOnly/callTable.ts'
import { settingsOf } from '../../../src/node/settings/nodeSettings.ts'
import { createWorkerNode } from '../../../src/node/workerNode.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Column, keys } from '../../../src/storage/schema.ts'
import { FakeTime } from '../../support/host/fakeTime.ts'
import { openDevNode } from '../../support/nodes/devNodeInMemory.ts'
import { testReadHost } from '../../support/nodes/readHost.ts'
import { replyText } from '../../support/rpc/replyText.ts'

const hash = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)
const columnsOf = (wanted: readonly Uint8Array[] = []): number[] => wanted.map(([column = 0]) => column)

/** balance(calldataload(4)), sload(calldataload(4)), sload(caller), sload(0): the last one depends on nothing. */
const CODE = '0x6004353150600435545033545060005400'
const CONTRACT = `0x${'c0'.repeat(20)}`
/** Accounts that exist, so that the database has keys of them. */
const FIRST = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const SECOND = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'

async function openCounting() {
  const calls = new CalledFunctions()
  const store = new MemoryStore()
  const node = await openDevNode({}, store, {
    mirror: { status: undefined, noteCall: (...parts) => calls.note(...parts) },
  })
  await node.rpc('anvil_setCode', CONTRACT, CODE)
  const call = (data: string, from?: string): Promise<unknown> =>
    node.rpc('eth_call', { to: CONTRACT, data, ...(from === undefined ? {} : { from }) }, 'latest')
  const table = async (): Promise<CallTable | undefined> => {
    const bytes = await calls.table(store)
    return bytes && decodeCallTable(bytes)
  }
  return { node, store, call, table }
}

/** A process that answers clients of the node. Its messages are cloned, as between processes. */
async function openWorker({ node, store }: Awaited<ReturnType<typeof openCounting>>, countsCalls = true) {
  const sent: LinkMessage[] = []
  let isBehind = false
  const time = new FakeTime(1_800_000_000_000)
  const link = new ProcessLink({ send: () => {}, isBehind: () => false, answers: node.node.answers })
  const worker = createWorkerNode(
    {
      store,
      ...(await testReadHost(time)),
    },
    node.node.chain.config,
    settingsOf(defaultOptions(true), true),
    {
      slot: 16,
      send: (message) => {
        sent.push(message)
        link.receive(structuredClone(message))
      },
      isBehind: () => isBehind,
      remoteMethods: [],
      countsCalls,
    },
  )
  const call = async (data: string): Promise<void> => {
    const params = [{ to: CONTRACT, data }, 'latest']
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params })
    await replyText(await worker.endpoints.get('http').exchange.handle({ body }))
  }
  const setBehind = (value: boolean): void => {
    isBehind = value
  }
  return { worker, call, sent, setBehind }
}

const argument = (value: string): string => `0x11223344${value.slice(2).padStart(64, '0')}`

describe('the functions that clients of a publisher call', () => {
  test('need an account, its code, and what depends neither on the arguments nor on the sender', async () => {
    const { node, call, table } = await openCounting()
    const needed = async (selector: string) => (await table())?.get(`${CONTRACT.slice(2)}${selector}`)
    await call(argument(FIRST), FIRST)
    expect(columnsOf(await needed('11223344'))).toEqual([Column.flatAccount, Column.code])
    // Calls of one sender, or with one argument, could tell who called, and with what.
    await call(argument(SECOND), FIRST)
    expect(columnsOf(await needed('11223344'))).toEqual([Column.flatAccount, Column.code])
    await call(argument(SECOND), SECOND)
    expect(columnsOf(await needed('11223344'))).toEqual([Column.flatAccount, Column.code])
    await call(argument(FIRST), FIRST)
    const addressHash = keccak256(hexToBytes(CONTRACT))
    expect(await needed('11223344')).toEqual([
      keys.flatAccount(addressHash),
      keys.code(keccak256(hexToBytes(CODE))),
      keys.flatStorage(addressHash, 0, keccak256(new Uint8Array(32))),
    ])
    await node.node.close()
  })

  test('need all that a call without sender and arguments needs', async () => {
    const { node, call, table } = await openCounting()
    await call('0x11223355')
    expect(columnsOf((await table())?.get(`${CONTRACT.slice(2)}11223355`))).toEqual([
      Column.flatAccount,
      Column.code,
      Column.flatStorage,
    ])
    await node.node.close()
  })

  test('are forgotten once they are not called any longer', async () => {
    const { node, call, table } = await openCounting()
    expect(await table()).toBeUndefined()
    await call(argument('0x01'))
    expect((await table())?.size).toBe(1)
    expect(await table()).toBeUndefined()
    const selectors: string[][] = []
    for (let i = 0; i < 3; i++) {
      await call('0x11223355')
      selectors.push([...((await table()) ?? [])].map(([name]) => name.slice(-8)))
    }
    expect(selectors).toEqual([['11223355', '11223344'], ['11223355', '11223344'], ['11223355']])
    await node.node.close()
  })

  test('are neither creations, transfers nor calls with long arguments', async () => {
    const { node, call, table } = await openCounting()
    await call('0x')
    await call(`0x${'00'.repeat(2000)}`)
    await node.rpc('eth_call', { data: '0x6001600155' }, 'latest')
    expect(await table()).toBeUndefined()
    await node.node.close()
  })
})

describe('the calls that another process answers', () => {
  const functionsOf = (table: CallTable | undefined): string[] => [...(table ?? [])].map(([name]) => name.slice(-8))

  test('are counted once the process reports them', async () => {
    const main = await openCounting()
    const { worker, call } = await openWorker(main)
    await main.call('0x11223355')
    for (let i = 0; i < 3; i++) await call(argument(FIRST))
    expect(functionsOf(await main.table())).toEqual(['11223355'])
    worker.reportCalls()
    expect(functionsOf(await main.table())).toEqual(['11223344', '11223355'])
    await main.node.node.close()
  })

  test('are reported together, once, and when the main process has read what it was sent', async () => {
    const main = await openCounting()
    const { worker, call, sent, setBehind } = await openWorker(main)
    setBehind(true)
    for (let i = 0; i < 5; i++) await call(argument(FIRST))
    await call('0x11223355')
    worker.reportCalls()
    expect(sent).toEqual([])
    setBehind(false)
    worker.reportCalls()
    worker.reportCalls()
    expect(sent).toEqual([
      {
        kind: 'called',
        calls: [expect.objectContaining({ count: 5 }), expect.objectContaining({ count: 1 })],
      },
    ])
    await main.node.node.close()
  })

  test('are of a bounded number of functions', async () => {
    const main = await openCounting()
    const { worker, call, sent } = await openWorker(main)
    for (let i = 0; i <= MAX_CALLED_FUNCTIONS; i++) await call(`0x${i.toString(16).padStart(8, '0')}`)
    worker.reportCalls()
    expect(sent).toMatchObject([{ calls: { length: MAX_CALLED_FUNCTIONS } }])
    await main.node.node.close()
  })

  test('are not counted where nothing is published', async () => {
    const main = await openCounting()
    const { worker, call, sent } = await openWorker(main, false)
    await call(argument(FIRST))
    worker.reportCalls()
    expect(sent).toEqual([])
    await main.node.node.close()
  })
})

describe('a table of called functions', () => {
  const name = (byte: number): string => bytesToHex(new Uint8Array(24).fill(byte)).slice(2)
  const needed = [keys.flatAccount(hash(1)), keys.code(hash(2)), keys.flatStorage(hash(1), 3, hash(4))]

  test('is read as it was written', () => {
    const table = new Map([
      [name(1), needed],
      [name(2), []],
    ])
    expect(decodeCallTable(encodeCallTable(table))).toEqual(table)
  })

  test('has at most 8 KiB', () => {
    const table = new Map(Array.from({ length: 200 }, (_, i) => [name(i), needed]))
    const bytes = encodeCallTable(table)
    expect(bytes.length).toBeLessThanOrEqual(8192)
    expect(decodeCallTable(bytes).size).toBeGreaterThan(40)
  })

  test.each([
    ['no RLP', hexToBytes('0xff')],
    ['no list of rows', hexToBytes('0xc180')],
    ['a short name', hexToBytes('0xc4c382aabbc0')],
    ['more bytes than a table has', new Uint8Array(9000)],
    ['bytes after its end', concatBytes(encodeCallTable(new Map([[name(1), needed]])), Uint8Array.of(0))],
  ])('is empty for %s', (_, bytes) => {
    expect(decodeCallTable(bytes).size).toBe(0)
  })

  test('has keys of the state at the head only', () => {
    const bytes = encodeCallTable(new Map([[name(1), [keys.meta('genesis'), keys.code(hash(1))]]]))
    expect(decodeCallTable(bytes).get(name(1))).toEqual([keys.code(hash(1))])
  })
})
