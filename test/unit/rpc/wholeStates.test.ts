/** debug_dumpBlock, debug_codeByHash and debug_traceCallMany. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DEV_ACCOUNTS } from '../../../src/config/devGenesis.ts'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'

const ALICE = DEV_ACCOUNTS[0]?.address as string
const STRANGER = '0x00000000000000000000000000000000000000aa'
const EMPTY_CODE_HASH = '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470'
const COUNTER = '0x00000000000000000000000000000000000c0de0'
/** Increments slot 0 and returns it. */
const COUNTS = '0x600160005401806000556000526020' + '6000f3'

let opened: OpenedNode
const rpc = <T = unknown>(method: string, ...params: unknown[]): Promise<T> => opened.rpc<T>(method, ...params)

beforeAll(async () => {
  opened = await openDevNode()
  await rpc('anvil_setCode', COUNTER, COUNTS)
  await rpc('eth_sendTransaction', { from: ALICE, to: COUNTER })
  await rpc('eth_sendTransaction', { from: ALICE, to: STRANGER, value: '0x7' })
})
afterAll(() => opened.node.close())

it('debug_codeByHash finds the code of contracts, and nothing else', async () => {
  const { codeHash } = await rpc<{ codeHash: string }>('eth_getProof', COUNTER, [], 'latest')
  expect(await rpc('debug_codeByHash', codeHash)).toBe(COUNTS)
  expect(await rpc('debug_codeByHash', codeHash, '0x0')).toBe(COUNTS)
  expect(await rpc('debug_codeByHash', EMPTY_CODE_HASH)).toBe('0x')
  expect(await rpc('debug_codeByHash', `0x${'11'.repeat(32)}`)).toBeNull()
})

it('debug_dumpBlock has every account with code and storage', async () => {
  interface Dumped {
    balance: string
    nonce: number
    root: string
    codeHash: string
    code?: string
    storage?: Record<string, string>
    address: string
    key: string
  }
  const dump = await rpc<{ root: string; accounts: Record<string, Dumped> }>('debug_dumpBlock', 'latest')
  const { stateRoot } = await rpc<{ stateRoot: string }>('eth_getBlockByNumber', 'latest', false)
  expect(`0x${dump.root}`).toBe(stateRoot)
  expect(dump.accounts[STRANGER]).toMatchObject({ balance: '7', nonce: 0, address: STRANGER })
  expect(dump.accounts[COUNTER]).toMatchObject({ code: COUNTS, storage: { [`0x${'0'.repeat(64)}`]: '01' } })
  expect(dump.accounts[ALICE]?.nonce).toBe(2)
  for (const [address, account] of Object.entries(dump.accounts)) {
    const proof = await rpc<Record<string, string>>('eth_getProof', address, [], 'latest')
    expect([account.root, account.codeHash, BigInt(account.balance)]).toEqual([
      proof['storageHash'],
      proof['codeHash'],
      BigInt(proof['balance'] as string),
    ])
  }
  const first = await rpc<{ accounts: object }>('debug_dumpBlock', '0x0')
  expect(Object.keys(first.accounts)).not.toContain(STRANGER)
  await expect(rpc('debug_dumpBlock', '0x99')).rejects.toMatchObject({ code: -32000 })
})

it('debug_traceCallMany runs each call on the state that the preceding one leaves', async () => {
  const call = { from: ALICE, to: COUNTER }
  const options = { tracer: 'callTracer' }
  const bundles = [{ transactions: [call, call] }, { transactions: [call], blockOverride: { number: '0x64' } }]
  const traces = await rpc<{ output: string }[][]>('debug_traceCallMany', bundles, { blockNumber: 'latest' }, options)
  expect(traces.map((bundle) => bundle.map(({ output }) => Number(output)))).toEqual([[2, 3], [4]])
  expect(await rpc('eth_getStorageAt', COUNTER, '0x0', 'latest')).toBe(`0x${'0'.repeat(63)}1`)
  expect(await rpc('debug_traceCallMany', [], null, options)).toEqual([])
  expect(await rpc<{ structLogs: unknown[] }[][]>('debug_traceCallMany', [{ transactions: [call] }])).toMatchObject([
    [{ failed: false }],
  ])
  await expect(rpc('debug_traceCallMany', [{}], null, options)).rejects.toThrow(
    'bundle.transactions: expected a list of transactions, got none',
  )
  await expect(rpc('debug_traceCallMany', [], { transactionIndex: 0 })).rejects.toThrow('transactionIndex')
})
