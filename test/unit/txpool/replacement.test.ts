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

const VERSIONED_HASH = Uint8Array.of(1, ...Array(31).fill(0))

function blob(maxFeePerBlobGas: bigint, maxFeePerGas: bigint, maxPriorityFeePerGas = 0n): BlobTransaction {
  const fields = unsignedTransfer(0, { maxFeePerGas, maxPriorityFeePerGas })
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

  it('with blobs that pays twice as much for gas and for blobs, and only with blobs', () => {
    expect(mayReplace(blob(199n, 200n), blob(100n, 100n), 7n, 10)).toBe(false)
    expect(mayReplace(blob(200n, 199n), blob(100n, 100n), 7n, 10)).toBe(false)
    expect(mayReplace(blob(200n, 200n, 9n), blob(100n, 100n, 5n), 7n, 10)).toBe(false)
    expect(mayReplace(blob(200n, 200n, 10n), blob(100n, 100n, 5n), 7n, 10)).toBe(true)
    expect(mayReplace(legacy(1000n), blob(100n, 100n), 7n, 10)).toBe(false)
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

  it('has a budget for blobs, which never evict others', () => {
    const { pool, dropped, send } = open({ feeCap: 0n, limitByAccount: 1 })
    const blobBytes = new Uint8Array(131_072)
    const sendLarge = (account: number, price: bigint, blobs: number) => {
      const transaction = { ...blob(price, price), blobVersionedHashes: [VERSIONED_HASH], value: BigInt(account) }
      const sidecar = { version: 1 as const, blobs: Array(blobs).fill(blobBytes), commitments: [], proofs: [] }
      return admitted(pool, { transaction, sidecar, isLocal: true, impersonatedSender: accountAddress(account) })
    }
    send(unsignedLegacy(0, GWEI / 2n), 5)
    const first = sendLarge(1, GWEI, 500)
    sendLarge(2, 2n * GWEI, 500)
    expect(dropped).toEqual([])
    sendLarge(3, 3n * GWEI, 500)
    expect(dropped).toEqual([{ pooled: first, reason: 'evicted' }])
    expect(codeOf(() => sendLarge(4, 9n * GWEI, 1500))).toBe('TRANSACTION_POOL_FULL')
    expect(pool.size).toBe(3)
  })

  it('has a budget for all transactions', () => {
    const { pool, dropped, send } = open({ feeCap: 0n, limitByAccount: 1, maxBytes: 300_000 })
    const large = { data: new Uint8Array(100_000), gasLimit: 2_000_000n }
    const first = send({ ...unsignedLegacy(0, GWEI), ...large }, 1)
    send({ ...unsignedLegacy(0, 2n * GWEI), ...large }, 2)
    expect(dropped).toEqual([])
    send({ ...unsignedLegacy(0, 3n * GWEI), ...large }, 3)
    expect(dropped).toEqual([{ pooled: first, reason: 'evicted' }])
    expect(pool.size).toBe(2)
  })

  it('keeps the later transactions of a sender whose blobs are evicted', () => {
    const { pool, dropped, send } = open({ feeCap: 0n, limitByAccount: 1 })
    const sendBlobs = (account: number, price: bigint) => {
      const transaction = { ...blob(price, price), blobVersionedHashes: [VERSIONED_HASH], value: BigInt(account) }
      const sidecar = {
        version: 1 as const,
        blobs: Array(600).fill(new Uint8Array(131_072)),
        commitments: [],
        proofs: [],
      }
      return admitted(pool, { transaction, sidecar, isLocal: true, impersonatedSender: accountAddress(account) })
    }
    const first = sendBlobs(1, GWEI)
    const later = send(unsignedLegacy(1, GWEI), 1)
    sendBlobs(2, 2n * GWEI)
    expect(dropped).toEqual([{ pooled: first, reason: 'evicted' }])
    expect(pool.bySender(accountAddress(1))).toEqual([later])
  })

  it('refuses blobs when it is full of other transactions', () => {
    const { pool, send } = open({ maxSize: 2, limitByAccount: 1 })
    send(unsignedLegacy(0, GWEI, 1), 1)
    send(unsignedLegacy(0, GWEI, 2), 2)
    const transaction = { ...blob(9n * GWEI, 9n * GWEI), blobVersionedHashes: [VERSIONED_HASH] }
    const sidecar = { version: 1 as const, blobs: [], commitments: [], proofs: [] }
    const incoming = { transaction, sidecar, isLocal: true, impersonatedSender: accountAddress(3) }
    expect(codeOf(() => admitted(pool, incoming))).toBe('TRANSACTION_POOL_FULL')
  })

  it('keeps no transaction that waits for a nonce in place of one that a block could include', () => {
    const { pool, send } = open()
    const fill = (price: bigint) => {
      for (let account = 1; account <= 1024; account++) {
        for (let nonce = 1; nonce <= 4; nonce++)
          codeOf(() => send(unsignedLegacy(nonce, price, account), account, false))
      }
    }
    fill(50n * GWEI)
    expect(pool.size).toBe(4096)
    for (let account = 2001; account <= 2040; account++) send(unsignedLegacy(0, GWEI, account), account, false)
    fill(90n * GWEI)
    const executable = pool.best({ baseFeePerGas: 0n, blobBaseFee: 1n }, () => 0n)
    let count = 0
    for (; executable.peek() !== undefined; executable.shift()) count++
    expect(count).toBe(40)
    expect(pool.size).toBe(4096)
    // The lowest nonce makes the others executable: they cannot be evicted by waiting ones any more.
    send(unsignedLegacy(0, GWEI), 500, false)
    for (let account = 3001; account <= 6000; account++)
      codeOf(() => send(unsignedLegacy(1, 99n * GWEI, account), account, false))
    expect(pool.bySender(accountAddress(500))).toHaveLength(5)
  })

  it('counts all costs of a sender: what exceeds the balance waits', () => {
    const price = 10n ** 12n
    const balance = 2n * (21_000n * price + 1n)
    const states = { at: () => richState(undefined, balance) }
    const pool = openPool(chain, { settings: { maxSize: 6, limitByAccount: 1 }, states })
    const send = (nonce: number, gasPrice: bigint, account: number) =>
      admitted(pool, {
        transaction: unsignedLegacy(nonce, gasPrice, account),
        isLocal: false,
        impersonatedSender: accountAddress(account),
      })
    // Each is affordable, but only two of them together.
    for (let nonce = 0; nonce < 5; nonce++) send(nonce, price, 1)
    for (let account = 2; account < 5; account++) send(0, GWEI, account)
    expect(pool.bySender(accountAddress(1))).toHaveLength(2)
    expect(codeOf(() => send(2, price, 1))).toBeUndefined()
  })
})
