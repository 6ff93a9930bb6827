import { expect, it } from 'vitest'
import { MAX_SLOW_TRANSACTIONS } from '../../../src/base/limits/limits.ts'
import { silentLogger } from '../../../src/base/ports/logging.ts'
import { reject } from '../../../src/chain/transition/rejection.ts'
import type { BlockBudget } from '../../../src/chain/transition/validateTransaction.ts'
import { PoolRefusals } from '../../../src/sealing/poolRefusals.ts'
import { PoolSource } from '../../../src/sealing/poolSource.ts'
import { SlowTransactions } from '../../../src/sealing/slowTransactions.ts'
import type { PooledTransaction, TransactionQueue } from '../../../src/txpool/contract.ts'

const BUDGET: BlockBudget = { gasLeft: 30_000_000n, blobGasLeft: 0n, baseFeePerGas: undefined, blobBaseFee: undefined }
const hashOf = (n: number): Uint8Array => new Uint8Array(32).fill(n)
const pooled = (n: number) => ({ hash: hashOf(n), transaction: { type: 0 } }) as PooledTransaction

/** One transaction per sender. */
function queueOf(transactions: readonly PooledTransaction[]): TransactionQueue {
  const left = [...transactions]
  const next = (): void => void left.shift()
  return { peek: () => left[0], shift: next, skipSender: next }
}

it('skips a transaction that was too slow, keeps it in the pool, and drops one that needs too much memory', () => {
  const removed: Uint8Array[] = []
  const warnings: string[] = []
  const logger = { ...silentLogger, warn: (message: string) => void warnings.push(message) }
  const refusals = new PoolRefusals({ remove: (hash) => void removed.push(hash) }, logger)
  const all = [pooled(1), pooled(2), pooled(3)]
  const open = () =>
    new PoolSource({
      queue: queueOf(all),
      limit: 10,
      slow: refusals.slow,
      onRefused: (transaction, rejection) => refusals.refuse(transaction, rejection),
    })
  const source = open()
  source.refused(all[0] as PooledTransaction, reject('EXECUTION_TOO_SLOW', 'too slow'))
  source.refused(all[1] as PooledTransaction, reject('EXECUTION_OUT_OF_MEMORY', 'out of memory'))
  source.refused(all[2] as PooledTransaction, reject('BLOCK_TIME_LIMIT_REACHED', 'over'))
  expect(removed).toEqual([hashOf(2)])
  expect(warnings).toEqual([
    'a transaction is too slow for the blocks of this node',
    'dropped a transaction that needs more memory than this node has',
  ])
  expect(open().next(BUDGET)?.hash).toEqual(hashOf(2))
})

it('remembers a bounded number of slow transactions', () => {
  const slow = new SlowTransactions()
  const hash = (n: number): Uint8Array => Uint8Array.of(...new Uint8Array(30), n >> 8, n & 255)
  for (let n = 0; n <= MAX_SLOW_TRANSACTIONS; n++) slow.add(hash(n))
  expect([slow.has(hash(0)), slow.has(hash(1)), slow.has(hash(MAX_SLOW_TRANSACTIONS))]).toEqual([false, true, true])
})
