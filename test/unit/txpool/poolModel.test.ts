import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { equalBytes } from '../../../src/base/primitives/bytes.ts'
import { isNodeError } from '../../../src/base/primitives/errors.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import { effectiveGasPrice, maxFeePerGas } from '../../../src/chain/fees.ts'
import { nextBaseFeeOf } from '../../../src/chain/nextBlock.ts'
import type { PooledTransaction } from '../../../src/txpool/contract.ts'
import { mayReplace } from '../../../src/txpool/replacement.ts'
import { accountAddress, admitted, openPool, richState, unsignedTransfer } from '../../support/chains/pool.ts'
import { openDevChain } from '../../support/nodes/devChain.ts'

const MAX_SIZE = 8
const ACCOUNTS = [0, 1, 2, 3] as const

let chain: Chain
let baseFee: bigint
beforeAll(async () => {
  chain = await openDevChain()
  baseFee = nextBaseFeeOf(chain.config, chain.head.header) ?? 0n
})

const candidate = fc.record({
  account: fc.constantFrom(...ACCOUNTS),
  nonce: fc.integer({ min: 0, max: 5 }),
  // Around the base fee of the next block, in steps that are often equal.
  fee: fc.integer({ min: 1, max: 8 }),
  priority: fc.integer({ min: 0, max: 4 }),
  isLocal: fc.boolean(),
})

type Step = typeof candidate extends fc.Arbitrary<infer T> ? T : never

const operation = fc.oneof(
  { weight: 8, arbitrary: candidate },
  { weight: 1, arbitrary: fc.record({ drop: fc.nat(), withLater: fc.boolean() }) },
)

const tip = ({ transaction }: PooledTransaction): bigint => effectiveGasPrice(transaction, baseFee) - baseFee
const nonceOf = ({ transaction }: PooledTransaction): number => Number(transaction.nonce)
const sameSender = (a: PooledTransaction, b: PooledTransaction): boolean => equalBytes(a.sender, b.sender)

/** The first one to evict is first. @param all those of the pool */
function byWorth(a: PooledTransaction, b: PooledTransaction, all: readonly PooledTransaction[]): number {
  const [waits, otherWaits] = [isWaiting(a, all), isWaiting(b, all)]
  if (waits !== otherWaits) return waits ? -1 : 1
  if (a.isLocal !== b.isLocal) return a.isLocal ? 1 : -1
  if (tip(a) !== tip(b)) return tip(a) < tip(b) ? -1 : 1
  return a.sequence - b.sequence
}

/** Whether a lower nonce is missing. */
function isWaiting(pooled: PooledTransaction, all: readonly PooledTransaction[]): boolean {
  const lower = all.filter((other) => sameSender(other, pooled) && nonceOf(other) < nonceOf(pooled))
  return lower.length < nonceOf(pooled)
}

function lowestOf(all: readonly PooledTransaction[]): PooledTransaction {
  return [...all].sort((a, b) => byWorth(a, b, all))[0] as PooledTransaction
}

function openModelled() {
  const settings = { maxSize: MAX_SIZE, limitByAccount: 1, minGasPrice: 0n }
  const pool = openPool(chain, { settings, states: { at: () => richState() } })
  let model: PooledTransaction[] = []
  let salt = 0

  function admit({ account, nonce, fee, priority, isLocal }: Step) {
    const fees = {
      maxFeePerGas: (baseFee * BigInt(fee)) / 3n,
      maxPriorityFeePerGas: (baseFee * BigInt(Math.min(priority, fee))) / 3n,
    }
    const transaction = unsignedTransfer(nonce, fees, ++salt)
    const sender = accountAddress(account)
    const old = model.find((other) => equalBytes(other.sender, sender) && nonceOf(other) === nonce)
    let pooled: PooledTransaction
    try {
      pooled = admitted(pool, { transaction, isLocal, impersonatedSender: sender })
    } catch (error) {
      if (!isNodeError(error)) throw error
      if (old && !mayReplace(transaction, old.transaction, baseFee, 10)) {
        expect(error.code).toBe('TRANSACTION_REPLACEMENT_UNDERPRICED')
        return
      }
      expect(error.code).toBe('TRANSACTION_POOL_FULL')
      expect(old).toBeUndefined()
      expect(model).toHaveLength(MAX_SIZE)
      const lowest = lowestOf(model)
      const newcomer = { transaction, isLocal, sender, sequence: Number.MAX_SAFE_INTEGER } as PooledTransaction
      const isOwnLater = equalBytes(lowest.sender, sender) && nonce > nonceOf(lowest)
      expect(isOwnLater || byWorth(newcomer, lowest, model) < 0).toBe(true)
      return
    }
    if (old) model = model.filter((other) => other !== old)
    else if (model.length === MAX_SIZE) {
      const lowest = lowestOf(model)
      model = model.filter((other) => !sameSender(other, lowest) || nonceOf(other) < nonceOf(lowest))
    }
    model.push(pooled)
  }

  function drop({ drop: index, withLater }: { readonly drop: number; readonly withLater: boolean }) {
    const gone = model[index % model.length]
    if (gone === undefined) return
    // The pool remembers invalid transactions of the network, unlike this model.
    const isInvalid = withLater && gone.isLocal
    expect(pool.remove(gone.hash, isInvalid ? 'invalid' : 'removed')).toBe(gone)
    const isLater = (other: PooledTransaction) => sameSender(other, gone) && nonceOf(other) > nonceOf(gone)
    model = model.filter((other) => other !== gone && !(isInvalid && isLater(other)))
  }

  return { pool, admit, drop, current: () => model }
}

function compare(pool: ReturnType<typeof openPool>, model: readonly PooledTransaction[]): void {
  expect(new Set(pool.transactions())).toEqual(new Set(model))
  expect(pool.size).toBe(model.length)
  expect(pool.localCount).toBe(model.filter(({ isLocal }) => isLocal).length)
  for (const account of ACCOUNTS) {
    const address = accountAddress(account)
    const own = model.filter(({ sender }) => equalBytes(sender, address)).sort((a, b) => nonceOf(a) - nonceOf(b))
    expect(pool.bySender(address)).toEqual(own)
    const [first] = own
    let next = first && nonceOf(first)
    while (next !== undefined && own.some((other) => nonceOf(other) === next)) next++
    expect(pool.nextNonce(address)).toBe(next === undefined ? undefined : BigInt(next))
  }
}

/** Tries all candidates at each step. */
function naiveOrder(model: readonly PooledTransaction[], order: 'price' | 'admission'): PooledTransaction[] {
  const next = new Map(ACCOUNTS.map((account) => [accountAddress(account).join(), 0]))
  const chosen: PooledTransaction[] = []
  for (;;) {
    const executable = model.filter(
      (pooled) => nonceOf(pooled) === next.get(pooled.sender.join()) && maxFeePerGas(pooled.transaction) >= baseFee,
    )
    executable.sort((a, b) => {
      if (order === 'admission') return a.sequence - b.sequence
      if (a.isLocal !== b.isLocal) return a.isLocal ? -1 : 1
      if (tip(a) !== tip(b)) return tip(a) > tip(b) ? -1 : 1
      return a.sequence - b.sequence
    })
    const [best] = executable
    if (best === undefined) return chosen
    chosen.push(best)
    next.set(best.sender.join(), nonceOf(best) + 1)
  }
}

describe('a small pool behaves like a naive one', () => {
  it('for any admissions and removals', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 40 }), (operations) => {
        const { pool, admit, drop, current } = openModelled()
        for (const step of operations) {
          if ('drop' in step) drop(step)
          else admit(step)
          compare(pool, current())
        }
      }),
      { numRuns: 300 },
    )
  })

  it('when it selects the transactions of a block', () => {
    const orders = fc.constantFrom('price' as const, 'admission' as const)
    fc.assert(
      fc.property(fc.array(candidate, { maxLength: 12 }), orders, (candidates, order) => {
        const { pool, admit, current } = openModelled()
        for (const step of candidates) admit(step)
        const queue = pool.best({ baseFeePerGas: baseFee, blobBaseFee: 1n }, () => 0n, order)
        const given: PooledTransaction[] = []
        for (let best = queue.peek(); best !== undefined; best = queue.peek()) {
          given.push(best)
          queue.shift()
        }
        expect(given).toEqual(naiveOrder(current(), order))
      }),
      { numRuns: 300 },
    )
  })
})
