import { beforeAll, describe, expect, it } from 'vitest'
import type { Chain } from '../../../src/chain/chain.ts'
import type { PoolEvents, PoolSettings } from '../../../src/txpool/contract.ts'
import { mayReplace } from '../../../src/txpool/replacement.ts'
import type { BlobTransaction, Transaction } from '../../../src/types/transaction.ts'
import {
  accountAddress,
  admitted,
  codeOf,
  openPool,
  richState,
  unsignedLegacy,
  unsignedTransfer,
} from '../../support/chains/pool.ts'
import { openDevChain } from '../../support/nodes/devChain.ts'

const GWEI = 10n ** 9n

function feeMarket(maxFeePerGas: bigint, maxPriorityFeePerGas: bigint): Transaction {
  return unsignedTransfer(0, { maxFeePerGas, maxPriorityFeePerGas })
}

function legacy(gasPrice: bigint): Transaction {
  return unsignedLegacy(0, gasPrice)
}

function blob(maxFeePerBlobGas: bigint, maxFeePerGas: bigint): BlobTransaction {
  const fields = unsignedTransfer(0, { maxFeePerGas, maxPriorityFeePerGas: 1n })
  return { ...fields, type: 3, to: accountAddress(1), maxFeePerBlobGas, blobVersionedHashes: [] }
}

describe('a transaction is replaced by another', () => {
  it('of a legacy type that pays more than 10 % more', () => {
    expect(mayReplace(legacy(110n), legacy(100n), 5n, 10)).toBe(false)
    expect(mayReplace(legacy(111n), legacy(100n), 5n, 10)).toBe(true)
    expect(mayReplace(legacy(111n), legacy(100n), undefined, 10)).toBe(true)
    // 109 * 1.1 = 119.9, whose fraction is ignored
    expect(mayReplace(legacy(120n), legacy(109n), undefined, 10)).toBe(true)
    expect(mayReplace(legacy(101n), legacy(100n), undefined, 0)).toBe(true)
    expect(mayReplace(legacy(100n), legacy(100n), undefined, 0)).toBe(false)
  })

  it('whose effective price is more than 10 % higher, and whose priority fee is not lower', () => {
    const old = feeMarket(100n, 10n)
    expect(mayReplace(feeMarket(100n, 15n), old, 40n, 10)).toBe(false)
    expect(mayReplace(feeMarket(100n, 16n), old, 40n, 10)).toBe(true)
    expect(mayReplace(feeMarket(1000n, 10n), old, 40n, 10)).toBe(false)
    expect(mayReplace(feeMarket(111n, 9n), old, 100n, 10)).toBe(false)
    expect(mayReplace(feeMarket(120n, 11n), feeMarket(105n, 10n), 110n, 10)).toBe(true)
  })

  it('with the same effective price and a priority fee more than 10 % higher', () => {
    expect(mayReplace(feeMarket(100n, 22n), feeMarket(100n, 20n), 90n, 10)).toBe(false)
    expect(mayReplace(feeMarket(100n, 23n), feeMarket(100n, 20n), 90n, 10)).toBe(true)
  })

  it('of the other type', () => {
    expect(mayReplace(feeMarket(200n, 62n), legacy(100n), 50n, 10)).toBe(true)
    expect(mayReplace(feeMarket(200n, 60n), legacy(100n), 50n, 10)).toBe(false)
    expect(mayReplace(legacy(111n), feeMarket(100n, 50n), 50n, 10)).toBe(true)
    expect(mayReplace(legacy(110n), feeMarket(100n, 50n), 50n, 10)).toBe(false)
  })

  it('never without payment, and not without a base fee', () => {
    expect(mayReplace(feeMarket(0n, 0n), feeMarket(0n, 0n), 0n, 0)).toBe(false)
    expect(mayReplace(feeMarket(200n, 200n), legacy(100n), undefined, 10)).toBe(false)
  })

  it('with blobs that also pays more than 10 % more for them', () => {
    expect(mayReplace(blob(110n, 200n), blob(100n, 100n), 7n, 10)).toBe(false)
    expect(mayReplace(blob(111n, 200n), blob(100n, 200n), 200n, 10)).toBe(false)
    expect(mayReplace(blob(111n, 200n), blob(100n, 100n), 200n, 10)).toBe(true)
  })
})

describe('a pool', () => {
  let chain: Chain
  beforeAll(async () => {
    chain = await openDevChain()
  })

  const open = (settings: Partial<PoolSettings> = {}) => {
    const pool = openPool(chain, { settings, states: { at: () => richState() } })
    const dropped: PoolEvents['dropped'][] = []
    pool.events.on('dropped', (event) => void dropped.push(event))
    const send = (transaction: Transaction, account = 1, isLocal = true) =>
      admitted(pool, { transaction, isLocal, impersonatedSender: accountAddress(account) })
    return { pool, dropped, send }
  }

  it('replaces by price and announces it', () => {
    const { pool, dropped, send } = open()
    const old = send(legacy(GWEI))
    expect(codeOf(() => send(legacy(GWEI + 1n)))).toBe('TRANSACTION_REPLACEMENT_UNDERPRICED')
    const next = send(legacy(2n * GWEI))
    expect(dropped).toEqual([{ pooled: old, reason: 'replaced' }])
    expect(pool.bySender(accountAddress(1))).toEqual([next])
    expect([pool.size, pool.localCount]).toEqual([1, 1])
  })

  it('replaces even when it is full, without evicting others', () => {
    const { pool, dropped, send } = open({ maxSize: 2, limitByAccount: 1 })
    send(unsignedLegacy(0, GWEI, 1), 1)
    send(unsignedLegacy(0, GWEI, 2), 2)
    send(legacy(2n * GWEI), 1)
    expect(dropped.map(({ reason }) => reason)).toEqual(['replaced'])
    expect(pool.size).toBe(2)
  })

  it('evicts the lowest and its successors, remote before local', () => {
    const { pool, dropped, send } = open({ maxSize: 4, limitByAccount: 1 })
    send(unsignedLegacy(0, GWEI), 1)
    const [first, second] = [send(unsignedLegacy(0, 3n * GWEI), 2, false), send(unsignedLegacy(1, 9n * GWEI), 2, false)]
    send(unsignedLegacy(0, 4n * GWEI), 3, false)
    send(unsignedLegacy(0, 5n * GWEI), 4, false)
    expect(dropped).toEqual([
      { pooled: first, reason: 'evicted' },
      { pooled: second, reason: 'evicted' },
    ])
    expect(pool.size).toBe(3)
  })

  it('keeps the later of two with the same price', () => {
    const { pool, dropped, send } = open({ maxSize: 2, limitByAccount: 1 })
    const first = send(unsignedLegacy(0, GWEI, 1), 1)
    send(unsignedLegacy(0, GWEI, 2), 2)
    send(unsignedLegacy(0, GWEI, 3), 3)
    expect(dropped).toEqual([{ pooled: first, reason: 'evicted' }])
    expect(pool.size).toBe(2)
  })

  it('refuses transactions that would be evicted immediately, and changes nothing', () => {
    const { pool, dropped, send } = open({ maxSize: 2, limitByAccount: 1 })
    send(unsignedLegacy(0, GWEI), 1)
    send(unsignedLegacy(0, 2n * GWEI), 2)
    expect(codeOf(() => send(unsignedLegacy(0, GWEI - 1n), 3))).toBe('TRANSACTION_POOL_FULL')
    expect(codeOf(() => send(unsignedLegacy(0, 9n * GWEI), 3, false))).toBe('TRANSACTION_POOL_FULL')
    // It would be evicted together with its predecessor.
    expect(codeOf(() => send(unsignedLegacy(1, 9n * GWEI), 1))).toBe('TRANSACTION_POOL_FULL')
    expect(dropped).toEqual([])
    expect(pool.size).toBe(2)
  })

  it('is also bounded in bytes', () => {
    const { pool, dropped, send } = open({ feeCap: 0n, limitByAccount: 1 })
    const blobBytes = new Uint8Array(131_072)
    const sendLarge = (account: number, price: bigint, blobs: number) => {
      const hash = new Uint8Array(32)
      hash[0] = 1
      const transaction = { ...blob(price, price), blobVersionedHashes: [hash], value: BigInt(account) }
      const sidecar = { version: 1 as const, blobs: Array(blobs).fill(blobBytes), commitments: [], proofs: [] }
      return admitted(pool, { transaction, sidecar, isLocal: true, impersonatedSender: accountAddress(account) })
    }
    const first = sendLarge(1, GWEI, 1000)
    sendLarge(2, 2n * GWEI, 1000)
    expect(dropped).toEqual([])
    sendLarge(3, 3n * GWEI, 1000)
    expect(dropped).toEqual([{ pooled: first, reason: 'evicted' }])
    expect(codeOf(() => sendLarge(4, 9n * GWEI, 3000))).toBe('TRANSACTION_POOL_FULL')
    send(unsignedLegacy(0, GWEI), 5)
    expect(pool.size).toBe(3)
  })
})
