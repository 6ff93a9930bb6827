// slow: many blocks
/** anvil_reorg and anvil_rollback on a complete node. */
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DEV_ACCOUNTS } from '../../../src/config/devGenesis.ts'
import { type OpenedNode, openDevNode } from '../../support/nodes/devNodeInMemory.ts'

const [ALICE, BOB] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string]
const STRANGER = '0x00000000000000000000000000000000000000aa'
/** Emits an empty log without topics. */
const LOGGING_CODE = '0x60006000a000'
const LOGGER = '0x00000000000000000000000000000000000010c5'

let opened: OpenedNode
beforeEach(async () => {
  opened = await openDevNode()
})

afterEach(() => opened.node.close())

const rpc = <T = unknown>(method: string, ...params: unknown[]): Promise<T> => opened.rpc<T>(method, ...params)
const pay = (to: string, value = '0x1') => rpc<string>('eth_sendTransaction', { from: ALICE, to, value })
const hashOf = async (number: string) => (await rpc<{ hash: string }>('eth_getBlockByNumber', number, false)).hash
const balance = (address: string) => rpc<string>('eth_getBalance', address, 'latest')

describe('a rollback', () => {
  it('removes blocks with their state and transactions, which do not return to the pool', async () => {
    const [first, second] = [await pay(STRANGER), await pay(STRANGER)]
    expect(await balance(STRANGER)).toBe('0x2')
    expect(await rpc('anvil_rollback')).toBeNull()
    expect(await rpc('eth_blockNumber')).toBe('0x1')
    expect(await balance(STRANGER)).toBe('0x1')
    expect(await rpc('eth_getTransactionByHash', second)).toBeNull()
    expect(await rpc('eth_getTransactionByHash', first)).not.toBeNull()
    expect(await rpc('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
    await pay(STRANGER)
    expect(await rpc('eth_blockNumber')).toBe('0x2')
  })

  it('restores the amended state after the remaining block', async () => {
    await pay(STRANGER)
    await rpc('anvil_setBalance', STRANGER, '0x64')
    await pay(STRANGER)
    await rpc('anvil_setBalance', STRANGER, '0x3e8')
    await rpc('anvil_rollback', 1)
    expect(await balance(STRANGER)).toBe('0x64')
  })

  it('refuses a depth greater than the chain, and changes nothing', async () => {
    await pay(STRANGER)
    const head = await hashOf('latest')
    await expect(rpc('anvil_rollback', 2)).rejects.toThrow('depth 2 is more than the 1 blocks above the genesis block')
    expect(await hashOf('latest')).toBe(head)
    await rpc('anvil_rollback', 1)
    expect(await rpc('eth_blockNumber')).toBe('0x0')
  })

  it('can be undone by a snapshot', async () => {
    await pay(STRANGER)
    const id = await rpc('evm_snapshot')
    await rpc('anvil_rollback', 1)
    expect(await rpc('evm_revert', id)).toBe(true)
    expect(await balance(STRANGER)).toBe('0x1')
  })
})

describe('a reorganisation', () => {
  it('replaces blocks, and reports removed blocks and logs to filters', async () => {
    await rpc('anvil_setCode', LOGGER, LOGGING_CODE)
    await pay(STRANGER)
    const filter = await rpc('eth_newFilter', { address: LOGGER })
    const blocks = await rpc('eth_newBlockFilter')
    await rpc('eth_sendTransaction', { from: ALICE, to: LOGGER })
    await pay(STRANGER)
    const before = [await hashOf('0x1'), await hashOf('0x2'), await hashOf('0x3')]
    await rpc('eth_getFilterChanges', blocks)
    expect(await rpc('anvil_reorg', 2, [])).toBeNull()
    expect(await rpc('eth_blockNumber')).toBe('0x3')
    expect(await hashOf('0x1')).toBe(before[0])
    expect(await hashOf('0x2')).not.toBe(before[1])
    expect(await hashOf('0x3')).not.toBe(before[2])
    expect(await balance(STRANGER)).toBe('0x1')
    const logs = await rpc<{ removed: boolean; blockHash: string }[]>('eth_getFilterChanges', filter)
    expect(logs.map(({ removed, blockHash }) => [removed, blockHash])).toEqual([
      [false, before[1]],
      [true, before[1]],
    ])
    expect(await rpc('eth_getFilterChanges', blocks)).toEqual([await hashOf('0x2'), await hashOf('0x3')])
  })

  it('includes signed transactions, requests and impersonated senders at their positions', async () => {
    await pay(STRANGER)
    await pay(STRANGER)
    await pay(STRANGER)
    const signer = privateKeyToAccount(DEV_ACCOUNTS[1]?.privateKey as `0x${string}`)
    const chainId = Number(await rpc('eth_chainId'))
    const common = { chainId, gas: 21_000n, maxFeePerGas: 10_000_000_000n, to: STRANGER, value: 5n } as const
    const raw = await signer.signTransaction({ ...common, nonce: 0, type: 'eip1559' })
    await rpc('anvil_impersonateAccount', LOGGER)
    await rpc('anvil_setBalance', LOGGER, '0xde0b6b3a7640000')
    await rpc('anvil_mine')
    const pairs = [
      [{ from: LOGGER, to: BOB, value: '0x1' }, 1],
      [raw, 0],
      [{ from: ALICE, to: STRANGER, value: '0x7' }, '0x0'],
      [{ from: ALICE, to: STRANGER, value: '0x8' }, 1],
    ]
    // The balance of the impersonated account was set after the block that the new ones are built on.
    await expect(rpc('anvil_reorg', 2, pairs)).rejects.toThrow()
    await rpc('anvil_reorg', 1, [[{ from: LOGGER, to: BOB, value: '0x1' }, 0]])
    expect(await rpc('eth_blockNumber')).toBe('0x4')
    const head = await rpc<{ transactions: { from: string }[] }>('eth_getBlockByNumber', 'latest', true)
    expect(head.transactions.map(({ from }) => from)).toEqual([LOGGER])
    await rpc('anvil_reorg', 3, [pairs[1], pairs[2], pairs[3]])
    const blocks = await Promise.all(
      ['0x2', '0x3', '0x4'].map((number) =>
        rpc<{ transactions: { from: string; value: string }[] }>('eth_getBlockByNumber', number, true),
      ),
    )
    expect(blocks.map(({ transactions }) => transactions.map(({ from, value }) => [from, value]))).toEqual([
      [
        [BOB, '0x5'],
        [ALICE, '0x7'],
      ],
      [[ALICE, '0x8']],
      [],
    ])
    expect(await balance(STRANGER)).toBe('0x15')
  })

  it('changes nothing when a transaction cannot be included or a position does not exist', async () => {
    await pay(STRANGER)
    await pay(STRANGER)
    const head = await hashOf('latest')
    const late = { from: ALICE, to: STRANGER, nonce: '0x9', gas: '0x5208' }
    await expect(rpc('anvil_reorg', 1, [[late, 0]])).rejects.toThrow(/cannot be included/)
    await expect(rpc('anvil_reorg', 1, [[late, 1]])).rejects.toThrow('there is no new block 1')
    await expect(rpc('anvil_reorg', 3, [])).rejects.toThrow('depth: the chain has only 2 blocks')
    await expect(rpc('anvil_reorg', 1, [['0x02', 0]])).rejects.toMatchObject({ code: -32602 })
    await expect(rpc('anvil_reorg', 1, [['0x02']])).rejects.toThrow('a pair of transaction and block position')
    expect(await hashOf('latest')).toBe(head)
    expect(await balance(STRANGER)).toBe('0x2')
  })

  it('beyond one batch leaves a chain of the same length', async () => {
    await rpc('anvil_mine', 1200)
    const before = await hashOf('0x4b0')
    await rpc('anvil_reorg', 1100, [])
    expect(await rpc('eth_blockNumber')).toBe('0x4b0')
    expect(await hashOf('0x4b0')).not.toBe(before)
    await pay(STRANGER)
  })
})
