/** Encoded transactions, look-up by sender and nonce, headers, accounts, and filled-in transactions. */
import { keccak256, parseTransaction } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DEV_ACCOUNTS } from '../../../src/config/devGenesis.ts'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'

const [ALICE, BOB] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string]
const UNKNOWN = `0x${'22'.repeat(32)}`

let opened: OpenedNode
const hashes: string[] = []
const rpc = <T = unknown>(method: string, ...params: unknown[]): Promise<T> => opened.rpc<T>(method, ...params)

beforeAll(async () => {
  opened = await openDevNode()
  for (const from of [ALICE, BOB, ALICE, BOB, BOB, ALICE]) {
    hashes.push(await rpc('eth_sendTransaction', { from, to: BOB, value: '0x1' }))
  }
})
afterAll(() => opened.node.close())

describe('encoded transactions', () => {
  it('are found by hash, by block and position, and while they wait', async () => {
    const raw = await rpc<`0x${string}`>('eth_getRawTransactionByHash', hashes[2])
    expect(keccak256(raw)).toBe(hashes[2])
    expect(await rpc('eth_getRawTransactionByBlockNumberAndIndex', '0x3', '0x0')).toBe(raw)
    const { hash } = await rpc<{ hash: string }>('eth_getBlockByNumber', '0x3', false)
    expect(await rpc('eth_getRawTransactionByBlockHashAndIndex', hash, '0x0')).toBe(raw)
    await rpc('evm_setAutomine', false)
    const waiting = await rpc<string>('eth_sendTransaction', { from: ALICE, to: BOB })
    expect(keccak256(await rpc<`0x${string}`>('eth_getRawTransactionByHash', waiting))).toBe(waiting)
    expect(await rpc('eth_getTransactionBySenderAndNonce', ALICE, '0x3')).toMatchObject({
      hash: waiting,
      blockHash: null,
    })
    await rpc('anvil_dropAllTransactions')
    await rpc('evm_setAutomine', true)
  })

  it('are null when unknown', async () => {
    expect(await rpc('eth_getRawTransactionByHash', UNKNOWN)).toBeNull()
    expect(await rpc('eth_getRawTransactionByBlockHashAndIndex', UNKNOWN, '0x0')).toBeNull()
    expect(await rpc('eth_getRawTransactionByBlockNumberAndIndex', '0x3', '0x1')).toBeNull()
    expect(await rpc('eth_getRawTransactionByBlockNumberAndIndex', '0x33', '0x0')).toBeNull()
  })
})

it('a transaction is found by sender and nonce', async () => {
  const senders = [ALICE, BOB, ALICE, BOB, BOB, ALICE]
  for (const [at, hash] of hashes.entries()) {
    const nonce = senders.slice(0, at).filter((sender) => sender === senders[at]).length
    expect(await rpc('eth_getTransactionBySenderAndNonce', senders[at], `0x${nonce.toString(16)}`)).toEqual(
      await rpc('eth_getTransactionByHash', hash),
    )
  }
  expect(await rpc('eth_getTransactionBySenderAndNonce', ALICE, '0x3')).toBeNull()
  expect(await rpc('eth_getTransactionBySenderAndNonce', `0x${'9'.repeat(40)}`, '0x0')).toBeNull()
})

it('a header has the members of its block except those of the body', async () => {
  const block = await rpc<Record<string, unknown>>('eth_getBlockByNumber', '0x2', false)
  const { size, transactions, uncles, withdrawals, totalDifficulty, ...header } = block
  expect(await rpc('eth_getHeaderByNumber', '0x2')).toEqual(header)
  expect(await rpc('eth_getHeaderByHash', block['hash'])).toEqual(header)
  expect(await rpc('eth_getHeaderByNumber', '0x99')).toBeNull()
  expect(await rpc('eth_getHeaderByHash', UNKNOWN)).toBeNull()
})

it('accounts are shown whole', async () => {
  const proof = await rpc<Record<string, unknown>>('eth_getProof', BOB, [], 'latest')
  expect(await rpc('eth_getAccount', BOB, 'latest')).toEqual({
    balance: proof['balance'],
    nonce: proof['nonce'],
    codeHash: proof['codeHash'],
    storageRoot: proof['storageHash'],
  })
  expect(await rpc('eth_getAccountInfo', BOB)).toEqual({ balance: proof['balance'], nonce: '0x3', code: '0x' })
  expect(await rpc('eth_getAccountInfo', BOB, '0x0')).toMatchObject({ nonce: '0x0' })
})

it('a filled-in transaction is complete and unsigned', async () => {
  type Filled = { raw: `0x${string}`; tx: Record<string, string> }
  const { raw, tx } = await rpc<Filled>('eth_fillTransaction', { from: ALICE, to: BOB, value: '0x5' })
  expect(tx).toMatchObject({ type: '0x2', nonce: '0x3', gas: '0x5208', value: '0x5', r: '0x0', s: '0x0' })
  expect(parseTransaction(raw)).toMatchObject({ nonce: 3, gas: 21_000n, to: BOB })
  expect(BigInt(tx['maxFeePerGas'] as string)).toBeGreaterThan(0n)
  const legacy = await rpc<Filled>('eth_fillTransaction', { to: BOB, gasPrice: '0x77359400' })
  expect(legacy.tx).toMatchObject({ type: '0x0', gasPrice: '0x77359400' })
  await expect(rpc('eth_fillTransaction', { from: ALICE, to: BOB, chainId: '0x5' })).rejects.toThrow('invalid chain id')
})

it('logs are searched over the whole chain without a limit of the range', async () => {
  await rpc('anvil_mine', 1100)
  expect(await rpc('eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' })).toEqual([])
  expect(await rpc<unknown[]>('trace_filter', { fromBlock: '0x0', toBlock: 'latest', count: 3 })).toHaveLength(3)
})
