import { beforeAll, describe, expect, it } from 'vitest'
import type { Chain } from '../../../src/chain/chain.ts'
import type { BlockPrices, PooledTransaction } from '../../../src/txpool/contract.ts'
import type { TransactionPool } from '../../../src/txpool/transactionPool.ts'
import type { Transaction } from '../../../src/types/transaction.ts'
import {
  accountAddress,
  admitted,
  openPool,
  richState,
  unsignedLegacy,
  unsignedTransfer,
} from '../../support/chains/pool.ts'
import { openDevChain } from '../../support/nodes/devChain.ts'

const GWEI = 10n ** 9n
const PRICES: BlockPrices = { baseFeePerGas: GWEI, blobBaseFee: 5n }

let chain: Chain
beforeAll(async () => {
  chain = await openDevChain()
})

function open() {
  const pool = openPool(chain, { settings: { limitByAccount: 1, minGasPrice: 0n }, states: { at: () => richState() } })
  const send = (account: number, transaction: Transaction, isLocal = true) => {
    const sidecar = { version: 1 as const, blobs: [], commitments: [], proofs: [] }
    return admitted(pool, {
      transaction,
      isLocal,
      impersonatedSender: accountAddress(account),
      ...(transaction.type === 3 ? { sidecar } : {}),
    })
  }
  return { pool, send }
}

function drain(pool: TransactionPool, prices = PRICES, nonceOf: (sender: Uint8Array) => bigint = () => 0n) {
  const queue = pool.best(prices, nonceOf)
  const taken: PooledTransaction[] = []
  for (let best = queue.peek(); best !== undefined; best = queue.peek()) {
    taken.push(best)
    queue.shift()
  }
  return taken
}

function blob(nonce: number, maxFeePerBlobGas: bigint): Transaction {
  const fields = unsignedTransfer(nonce, { maxFeePerGas: 9n * GWEI, maxPriorityFeePerGas: GWEI })
  const hash = new Uint8Array(32)
  hash[0] = 1
  return { ...fields, type: 3, to: accountAddress(1), maxFeePerBlobGas, blobVersionedHashes: [hash] }
}

describe('transactions for a block', () => {
  it('are ordered by effective price, and within a sender by nonce', () => {
    const { pool, send } = open()
    const low = send(1, unsignedTransfer(0, { maxFeePerGas: 9n * GWEI, maxPriorityFeePerGas: GWEI }))
    const high = send(1, unsignedLegacy(1, 9n * GWEI))
    const capped = send(2, unsignedTransfer(0, { maxFeePerGas: 4n * GWEI, maxPriorityFeePerGas: 4n * GWEI }))
    const same = send(3, unsignedTransfer(0, { maxFeePerGas: 9n * GWEI, maxPriorityFeePerGas: 3n * GWEI }))
    expect(drain(pool)).toEqual([capped, same, low, high])
  })

  it('include local ones first', () => {
    const { pool, send } = open()
    const remote = send(1, unsignedLegacy(0, 9n * GWEI), false)
    const local = send(2, unsignedLegacy(0, 2n * GWEI))
    expect(drain(pool)).toEqual([local, remote])
  })

  it('omit those after a nonce gap or after one that pays too little', () => {
    const { pool, send } = open()
    send(1, unsignedLegacy(1, 9n * GWEI))
    send(2, unsignedLegacy(0, GWEI - 1n))
    send(2, unsignedLegacy(1, 9n * GWEI, 1))
    expect(drain(pool)).toEqual([])
    expect(drain(pool, { ...PRICES, baseFeePerGas: GWEI - 1n })).toHaveLength(2)
    expect(drain(pool, PRICES, () => 1n)).toHaveLength(2)
  })

  it('pay for their blobs, and exclude blob transactions before Cancun', () => {
    const { pool, send } = open()
    send(1, blob(0, 4n))
    const rich = send(2, blob(0, 5n))
    expect(drain(pool)).toEqual([rich])
    expect(drain(pool, { ...PRICES, blobBaseFee: undefined })).toEqual([])
  })

  it('can be skipped together with all others of their sender', () => {
    const { pool, send } = open()
    send(1, unsignedLegacy(0, 9n * GWEI))
    send(1, unsignedLegacy(1, 9n * GWEI))
    const other = send(2, unsignedLegacy(0, 2n * GWEI))
    const queue = pool.best(PRICES, () => 0n)
    queue.skipSender()
    expect(queue.peek()).toBe(other)
    queue.shift()
    expect(queue.peek()).toBeUndefined()
    queue.shift()
    queue.skipSender()
    expect(pool.size).toBe(3)
  })

  it('are read from the pool on demand', () => {
    const { pool, send } = open()
    const gone = send(1, unsignedLegacy(0, 9n * GWEI))
    send(2, unsignedLegacy(0, 8n * GWEI))
    const queue = pool.best(PRICES, () => 0n)
    pool.remove(gone.hash)
    const replacement = send(2, unsignedLegacy(0, 9n * GWEI, 1))
    expect(queue.peek()).toBe(replacement)
    const later = send(2, unsignedLegacy(1, 2n * GWEI))
    queue.shift()
    expect(queue.peek()).toBe(later)
  })

  it('are ordered by admission on request', () => {
    const { pool, send } = open()
    const second = send(1, unsignedLegacy(1, 9n * GWEI), false)
    const first = send(1, unsignedLegacy(0, 2n * GWEI), false)
    const other = send(2, unsignedLegacy(0, 9n * GWEI))
    const queue = pool.best(PRICES, () => 0n, 'admission')
    const taken = [0, 1, 2].map(() => {
      const best = queue.peek()
      queue.shift()
      return best
    })
    expect(taken).toEqual([first, second, other])
  })
})
