import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { eventually } from '../../support/host/eventually.ts'
import { ALICE, BOB, signed } from '../../support/nodes/devChain.ts'
import { closedAfterEach, type OpenedNode } from '../../support/nodes/devNodeInMemory.ts'

const ALICE_ADDRESS = ALICE.address.toLowerCase()
const BOB_ADDRESS = BOB.address.toLowerCase()
const GWEI = 1_000_000_000n

type Fields = Parameters<typeof signed>[1]
interface Receipt {
  readonly blockNumber: string
  readonly transactionIndex: string
  readonly status: string
}

const open = closedAfterEach()

async function send({ rpc }: OpenedNode, fields: Fields, account = ALICE): Promise<string> {
  return rpc<string>('eth_sendRawTransaction', bytesToHex(await signed(account, fields)))
}

const receiptOf = ({ rpc }: OpenedNode, hash: string) => rpc<Receipt | null>('eth_getTransactionReceipt', hash)
const balanceOf = async ({ rpc }: OpenedNode, address: string) =>
  BigInt(await rpc<string>('eth_getBalance', address, 'latest'))
const height = async ({ rpc }: OpenedNode) => Number(await rpc<string>('eth_blockNumber'))

describe('instant sealing', () => {
  it('answers once the receipt is available, with one block per transaction', async () => {
    const dev = await open()
    for (let nonce = 0; nonce < 3; nonce++) {
      const hash = await send(dev, { nonce })
      expect(await receiptOf(dev, hash)).toMatchObject({ blockNumber: `0x${nonce + 1}`, status: '0x1' })
    }
    expect(await dev.rpc('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
    expect(await dev.rpc('eth_mining')).toBe(true)
  })

  it('mines concurrent transactions in order of admission, whatever the order of nonces', async () => {
    const dev = await open()
    const raws = await Promise.all(
      [ALICE, BOB].flatMap((account) =>
        [3, 0, 2, 1, 4].map((nonce) => signed(account, { nonce, to: account.address })),
      ),
    )
    const hashes = await Promise.all(raws.map((raw) => dev.rpc<string>('eth_sendRawTransaction', bytesToHex(raw))))
    const receipts = await Promise.all(hashes.map((hash) => receiptOf(dev, hash)))
    expect(receipts.map((receipt) => receipt?.transactionIndex)).toEqual(Array.from({ length: 10 }, () => '0x0'))
    expect(new Set(receipts.map((receipt) => receipt?.blockNumber)).size).toBe(10)
  })

  it('lets a transaction with a nonce that is too high wait for the preceding ones', async () => {
    const dev = await open()
    const later = await send(dev, { nonce: 1 })
    expect(await receiptOf(dev, later)).toBeNull()
    expect(await dev.rpc('eth_getTransactionCount', ALICE_ADDRESS, 'pending')).toBe('0x0')
    await send(dev, { nonce: 0 })
    await eventually(async () => expect(await receiptOf(dev, later)).toMatchObject({ blockNumber: '0x2' }))
  })

  it('lets a transaction that does not pay the base fee wait until it does', async () => {
    const dev = await open()
    const cheap = await send(dev, { nonce: 0, maxFeePerGas: GWEI / 2n, maxPriorityFeePerGas: 0n })
    expect(await receiptOf(dev, cheap)).toBeNull()
    await dev.rpc('anvil_mine', '0x8')
    await send(dev, { nonce: 0, to: ALICE.address }, BOB)
    await eventually(async () => expect(await receiptOf(dev, cheap)).not.toBeNull())
  })

  it('rejects transactions that have become invalid, and removes them', async () => {
    const dev = await open()
    const half = 6000n * 10n ** 18n
    const raws = await Promise.all([0, 1].map((nonce) => signed(ALICE, { nonce, value: half })))
    const [first, second] = await Promise.allSettled(
      raws.map((raw) => dev.rpc<string>('eth_sendRawTransaction', bytesToHex(raw))),
    )
    expect(first?.status).toBe('fulfilled')
    expect(second).toMatchObject({ reason: { message: expect.stringContaining('insufficient funds') } })
    expect(await dev.rpc('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
    expect(await height(dev)).toBe(1)
  })

  it('stops and resumes, and mines transactions that arrived meanwhile', async () => {
    const dev = await open()
    await dev.rpc('miner_stop')
    expect(await dev.rpc('eth_mining')).toBe(false)
    const hash = await send(dev, { nonce: 0 })
    expect(await receiptOf(dev, hash)).toBeNull()
    await dev.rpc('miner_start')
    const next = await send(dev, { nonce: 1 })
    expect((await receiptOf(dev, hash))?.blockNumber).toBe('0x1')
    expect((await receiptOf(dev, next))?.blockNumber).toBe('0x2')
  })
})

describe('blocks on demand and at an interval', () => {
  it('include the best paying transactions first and leave the others for the next block', async () => {
    const dev = await open()
    await dev.rpc('evm_setAutomine', false)
    await dev.rpc('evm_setBlockGasLimit', '0x30d40')
    const low = await send(dev, { nonce: 0, maxPriorityFeePerGas: 1n })
    const high = await send(dev, { nonce: 0, to: ALICE.address, maxPriorityFeePerGas: 2n }, BOB)
    const after = await send(dev, { nonce: 1, to: ALICE.address, maxPriorityFeePerGas: 9n }, BOB)
    await dev.rpc('anvil_mine', '0x2', '0x3c')
    expect(await receiptOf(dev, high)).toMatchObject({ blockNumber: '0x1', transactionIndex: '0x0' })
    expect(await receiptOf(dev, after)).toMatchObject({ blockNumber: '0x1', transactionIndex: '0x1' })
    expect(await receiptOf(dev, low)).toMatchObject({ blockNumber: '0x1', transactionIndex: '0x2' })
    const [first, second] = await Promise.all(
      ['0x1', '0x2'].map((number) => dev.rpc<{ timestamp: string }>('eth_getBlockByNumber', number, false)),
    )
    expect(Number(second?.timestamp) - Number(first?.timestamp)).toBe(60)
  })

  it('are produced automatically, and include all pending transactions', async () => {
    const dev = await open({ 'dev-block-time': 3600 })
    const hashes = await Promise.all([0, 1, 2].map((nonce) => send(dev, { nonce })))
    expect(await height(dev)).toBe(0)
    await dev.rpc('evm_setIntervalMining', 1000)
    await eventually(async () => expect(await height(dev)).toBeGreaterThan(0))
    for (const hash of hashes) expect(await receiptOf(dev, hash)).toMatchObject({ blockNumber: '0x1' })
  })

  it('end with the interval', async () => {
    const dev = await open({ 'dev-block-time': 0.02 })
    await eventually(async () => expect(await height(dev)).toBeGreaterThan(1))
    await dev.rpc('evm_setIntervalMining', 0)
    // It follows a block that was begun before.
    await dev.rpc('evm_mine')
    const stopped = await height(dev)
    await new Promise((resolve) => setTimeout(resolve, 60))
    expect(await height(dev)).toBe(stopped)
  })
})

describe('the time of the chain', () => {
  it('follows the clock, its offset and requested timestamps, and always advances', async () => {
    const dev = await open()
    const timestamps: number[] = []
    const mine = async (): Promise<void> => {
      await dev.rpc('evm_mine')
      timestamps.push(Number((await dev.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)).timestamp))
    }
    await mine()
    await mine()
    dev.clock.seconds += 100
    await mine()
    await dev.rpc('evm_increaseTime', 1000)
    await mine()
    await dev.rpc('evm_setNextBlockTimestamp', 1_900_000_000)
    await mine()
    dev.clock.seconds += 5
    await mine()
    const start = 1_800_000_000
    expect(timestamps).toEqual([start, start + 1, start + 100, start + 1100, 1_900_000_000, 1_900_000_005])
    await expect(dev.rpc('evm_setNextBlockTimestamp', 5)).rejects.toThrow('lower than or equal')
  })
})

describe('snapshots', () => {
  it('restore chain, state, pool and time; restoring one deletes later ones', async () => {
    const dev = await open()
    await dev.rpc('evm_setAutomine', false)
    const waiting = await send(dev, { nonce: 0, value: 5n })
    const first = await dev.rpc<string>('evm_snapshot')
    await dev.rpc('evm_increaseTime', 5000)
    await dev.rpc('evm_mine')
    const second = await dev.rpc<string>('evm_snapshot')
    await dev.rpc('anvil_setBalance', BOB_ADDRESS, '0x1')
    expect(await balanceOf(dev, BOB_ADDRESS)).toBe(1n)
    expect(await dev.rpc('evm_revert', second)).toBe(true)
    expect(await balanceOf(dev, BOB_ADDRESS)).toBe(10_000n * 10n ** 18n + 5n)
    expect(await dev.rpc('evm_revert', second)).toBe(false)
    const third = await dev.rpc<string>('evm_snapshot')
    expect(await dev.rpc('evm_revert', first)).toBe(true)
    expect(await dev.rpc('evm_revert', third)).toBe(false)
    expect(await height(dev)).toBe(0)
    expect(await dev.rpc('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
    await dev.rpc('evm_mine')
    expect(await receiptOf(dev, waiting)).toMatchObject({ blockNumber: '0x1' })
    const { timestamp } = await dev.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
    expect(Number(timestamp)).toBe(1_800_000_000)
  })

  it('do not return transactions of removed blocks to the pool', async () => {
    const dev = await open()
    const id = await dev.rpc<string>('evm_snapshot')
    const hash = await send(dev, { nonce: 0 })
    await dev.rpc('evm_revert', id)
    expect(await height(dev)).toBe(0)
    expect(await dev.rpc('eth_getTransactionByHash', hash)).toBeNull()
    expect(await dev.rpc('eth_getTransactionCount', ALICE_ADDRESS, 'pending')).toBe('0x0')
    await dev.rpc('debug_setHead', '0x0')
    const again = await send(dev, { nonce: 0 })
    expect(again).toBe(hash)
    await dev.rpc('debug_setHead', '0x0')
    expect(await height(dev)).toBe(0)
  })
})

describe('amended state', () => {
  it('lets a transaction pay nothing in a block without a base fee', async () => {
    const dev = await open()
    const free = { from: ALICE_ADDRESS, to: ALICE_ADDRESS, maxFeePerGas: '0x0', maxPriorityFeePerGas: '0x0' }
    const sendFree = (): Promise<unknown> => dev.rpc('eth_sendTransactionSync', free)
    await expect(sendFree()).rejects.toThrow('transaction underpriced')
    await dev.rpc('anvil_setNextBlockBaseFeePerGas', '0x0')
    for (const blockNumber of ['0x1', '0x2']) {
      expect(await sendFree()).toMatchObject({ status: '0x1', blockNumber, effectiveGasPrice: '0x0' })
    }
  })

  it('applies to calls, transactions and proofs, and survives a restart', async () => {
    const kv = new MemoryStore()
    const dev = await open({}, kv)
    const contract = '0x00000000000000000000000000000000000c0de0'
    // Returns slot 0.
    await dev.rpc('anvil_setCode', contract, '0x60005460005260206000f3')
    await dev.rpc('anvil_setStorageAt', contract, '0x0', `0x${'2a'.padStart(64, '0')}`)
    await dev.rpc('anvil_setNonce', ALICE_ADDRESS, '0x9')
    await dev.rpc('anvil_setNextBlockBaseFeePerGas', '0x7')
    const hash = await send(dev, { nonce: 9, value: 3n })
    expect(await receiptOf(dev, hash)).toMatchObject({ status: '0x1' })
    expect(await dev.rpc('eth_getBlockByNumber', 'latest', false)).toMatchObject({ baseFeePerGas: '0x7' })
    await dev.node.close()
    const again = await open({}, kv)
    for (const node of [again]) {
      expect(await node.rpc('eth_call', { to: contract }, 'latest')).toBe(`0x${'2a'.padStart(64, '0')}`)
      expect(await node.rpc('eth_getTransactionCount', ALICE_ADDRESS, 'latest')).toBe('0xa')
      expect(await receiptOf(node, hash)).toMatchObject({ status: '0x1' })
    }
    expect(await again.rpc('evm_revert', '0x1')).toBe(false)
    await again.rpc('anvil_reset')
    expect(await height(again)).toBe(0)
    expect(await again.rpc('eth_getCode', contract, 'latest')).toBe('0x')
  })

  it('lets impersonated accounts send without a signature', async () => {
    const dev = await open()
    const whale = '0x000000000000000000000000000000000000dead'
    await dev.rpc('anvil_setBalance', whale, '0xde0b6b3a7640000')
    await expect(dev.rpc('eth_sendTransaction', { from: whale, to: BOB_ADDRESS, value: '0x1' })).rejects.toThrow()
    await dev.rpc('hardhat_impersonateAccount', whale)
    const hash = await dev.rpc<string>('eth_sendTransaction', { from: whale, to: BOB_ADDRESS, value: '0x1' })
    expect(await receiptOf(dev, hash)).toMatchObject({ status: '0x1', from: whale })
    expect(() => [...dev.node.chain.exportBlocks({})]).toThrow('cannot be exported')
  })
})

describe('local transactions', () => {
  it('return to the pool after a restart, until they are mined or dropped', async () => {
    const kv = new MemoryStore()
    const first = await open({}, kv)
    await first.rpc('evm_setAutomine', false)
    const [kept, dropped] = [await send(first, { nonce: 0 }), await send(first, { nonce: 1 })]
    await first.rpc('anvil_dropTransaction', dropped)
    await first.node.close()
    const second = await open({ 'dev-block-time': 3600 }, kv)
    expect(await second.rpc('txpool_status')).toEqual({ pending: '0x1', queued: '0x0' })
    await second.rpc('evm_mine')
    expect(await receiptOf(second, kept)).toMatchObject({ blockNumber: '0x1' })
    await second.node.close()
    const third = await open({}, kv)
    expect(await third.rpc('txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
  })

  it('return after a restart, also more than the pool accepts from one account', async () => {
    const kv = new MemoryStore()
    const first = await open({}, kv)
    await first.rpc('evm_setAutomine', false)
    for (let nonce = 0; nonce < 7; nonce++) await send(first, { nonce })
    await first.node.close()
    const second = await open({ 'dev-block-time': 3600, 'tx-pool-limit-by-account-percentage': 0.001 }, kv)
    expect(await second.rpc('txpool_status')).toEqual({ pending: '0x7', queued: '0x0' })
  })
})
