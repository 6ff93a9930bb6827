import { beforeEach, describe, expect, it } from 'vitest'
import { StoreMiss } from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { IncomingTransaction, PooledTransaction } from '../../../src/txpool/contract.ts'
import type { TransactionPool } from '../../../src/txpool/transactionPool.ts'
import { admitted, codeOf, localTransaction, openPool } from '../../support/chains/pool.ts'
import { devWriter, TEST_CLOCK } from '../../support/chains/testChain.ts'
import { ALICE, BOB, openDevChain, plannedOf, sealBlocks, signed } from '../../support/nodes/devChain.ts'

const alice = hexToBytes(ALICE.address)
const bob = hexToBytes(BOB.address)

function recordEvents(pool: TransactionPool): string[] {
  const events: string[] = []
  const note = (what: string, { sender, transaction }: PooledTransaction) => {
    events.push(`${what} ${bytesToHex(sender) === bytesToHex(alice) ? 'alice' : 'bob'} ${transaction.nonce}`)
  }
  pool.events.on('added', (pooled) => note('added', pooled))
  pool.events.on('mined', (pooled) => note('mined', pooled))
  pool.events.on('dropped', ({ pooled, reason }) => note(reason, pooled))
  return events
}

async function local(nonce: number, value = 0n, account = ALICE): Promise<IncomingTransaction> {
  return localTransaction(await signed(account, { nonce, value }))
}

let chain: Chain
beforeEach(async () => {
  chain = await openDevChain()
})

describe('when a block is mined', () => {
  it('its transactions are removed, and those whose nonce it used', async () => {
    const pool = openPool(chain)
    for (const candidate of [await local(0), await local(1), await local(2), await local(0, 0n, BOB)]) {
      admitted(pool, candidate)
    }
    const events = recordEvents(pool)
    const other = plannedOf(await signed(ALICE, { nonce: 1, value: 7n }))
    await sealBlocks(chain, [{ transactions: [plannedOf(await signed(ALICE, { nonce: 0 })), other] }])
    expect(events).toEqual(['mined alice 0', 'invalid alice 1'])
    expect(pool.bySender(alice).map(({ transaction }) => transaction.nonce)).toEqual([2n])
    expect([pool.size, pool.localCount]).toEqual([2, 2])
    const again = await local(0)
    expect(codeOf(() => admitted(pool, again))).toBe('NONCE_TOO_LOW')
  })

  it('prices and rules of the next one apply', async () => {
    const pool = openPool(chain, { isSealing: () => false, settings: { minGasPrice: 0n } })
    await sealBlocks(chain, [{}])
    admitted(pool, await local(0))
    expect(pool.size).toBe(1)
  })

  it('one that pays an account makes its waiting transactions executable', async () => {
    const pool = openPool(chain, { settings: { maxSize: 2, limitByAccount: 1 } })
    const remote = async (nonce: number, fields: object, account = ALICE) => ({
      ...localTransaction(await signed(account, { nonce, ...fields })),
      isLocal: false,
    })
    const balance = chain.stateAt(chain.head).getAccount(alice)?.balance as bigint
    // Each is affordable, but not both.
    const spends = { value: (balance * 6n) / 10n }
    for (const nonce of [0, 1]) admitted(pool, await remote(nonce, spends))
    const cheap = { maxPriorityFeePerGas: 1n, maxFeePerGas: 10n ** 9n }
    // Another executable transaction takes the place of the waiting one, although it pays less.
    expect(pool.check(await remote(0, cheap, BOB))).toBeUndefined()

    const payment = plannedOf(await signed(BOB, { nonce: 0, to: ALICE.address, value: balance / 2n }))
    await sealBlocks(chain, [{ transactions: [payment] }])
    expect(pool.check(await remote(1, cheap, BOB))?.code).toBe('TRANSACTION_POOL_FULL')
    const events = recordEvents(pool)
    const waiting = [
      plannedOf(await signed(ALICE, { nonce: 0, ...spends })),
      plannedOf(await signed(ALICE, { nonce: 1, ...spends })),
    ]
    await sealBlocks(chain, [{ transactions: waiting }])
    expect(events).toEqual(['mined alice 0', 'mined alice 1'])
  })

  it('nothing happens once the pool is closed', async () => {
    const pool = openPool(chain)
    admitted(pool, await local(0))
    await pool.close()
    await sealBlocks(chain, [{ transactions: [plannedOf(await signed(ALICE, { nonce: 0 }))] }])
    expect(pool.size).toBe(1)
  })
})

describe('when blocks are removed', () => {
  it('their transactions return, local ones as local', async () => {
    const pool = openPool(chain)
    admitted(pool, await local(0))
    admitted(pool, { ...(await local(0, 0n, BOB)), isLocal: false })
    const plan = {
      transactions: [
        plannedOf(await signed(ALICE, { nonce: 0 })),
        plannedOf(await signed(BOB, { nonce: 0, value: 0n })),
        plannedOf(await signed(ALICE, { nonce: 1 })),
      ],
    }
    await sealBlocks(chain, [plan])
    expect(pool.size).toBe(0)
    const events = recordEvents(pool)
    await chain.setHead(chain.genesis.hash)
    expect(events).toEqual(['added alice 0', 'added bob 0', 'added alice 1'])
    expect(pool.bySender(alice).map(({ isLocal }) => isLocal)).toEqual([true, false])
    expect(pool.bySender(bob).map(({ isLocal }) => isLocal)).toEqual([false])
  })

  it('all transactions of an account return, more than the pool accepts from one', async () => {
    const pool = openPool(chain)
    for (const first of [0, 5]) {
      const candidates = []
      for (let nonce = first; nonce < first + 5; nonce++) {
        admitted(pool, await local(nonce))
        candidates.push(plannedOf(await signed(ALICE, { nonce })))
      }
      await sealBlocks(chain, [{ transactions: candidates }])
    }
    await chain.setHead(chain.genesis.hash)
    expect(pool.bySender(alice).map(({ transaction }) => Number(transaction.nonce))).toEqual([...Array(10).keys()])
  })

  it('those in the new blocks and those that have become invalid do not return', async () => {
    const pool = openPool(chain)
    const [first, second] = [await signed(ALICE, { nonce: 0 }), await signed(ALICE, { nonce: 1 })]
    const [old] = await sealBlocks(chain, [{ transactions: [plannedOf(first), plannedOf(second)] }])
    await chain.setHead(chain.genesis.hash)
    pool.clear()
    const replacement = await signed(ALICE, { nonce: 1, value: 9n })
    const [branch] = await sealBlocks(chain, [
      { transactions: [plannedOf(first), plannedOf(replacement)], timestamp: 1_700_000_000n },
    ])
    await chain.setHead(old?.hash ?? alice)
    pool.clear()
    const events = recordEvents(pool)
    await chain.setHead(branch?.hash ?? alice)
    expect(events).toEqual([])
    expect(pool.size).toBe(0)
  })

  it('impersonated ones return as impersonated', async () => {
    const pool = openPool(chain)
    const transaction = localTransaction(await signed(BOB, { nonce: 0 })).transaction
    const { hash } = admitted(pool, { transaction, isLocal: true, impersonatedSender: alice })
    await sealBlocks(chain, [{ transactions: [{ transaction, sender: alice, hash, isImpersonated: true }] }])
    expect(pool.size).toBe(0)
    await chain.setHead(chain.genesis.hash)
    expect(pool.byHash(hash)).toMatchObject({ sender: alice, isImpersonated: true, isLocal: true })
  })

  it('nothing returns while reinsertion is disabled', async () => {
    const pool = openPool(chain)
    await sealBlocks(chain, [{ transactions: [plannedOf(await signed(ALICE, { nonce: 0 }))] }])
    await pool.withoutReinsertion(() => chain.setHead(chain.genesis.hash))
    expect(pool.size).toBe(0)
  })
})

describe('over a store that has to load data', () => {
  /** A state whose reads miss once per head. */
  function missing() {
    let isThere = false
    const load = async (): Promise<void> => {
      isThere = true
    }
    const at = (header: Parameters<Chain['stateAt']>[0]) => {
      const state = chain.stateAt(header)
      const getAccount = (address: Uint8Array) => {
        if (!isThere) throw new StoreMiss({ kind: 'keys', keys: [] })
        return state.getAccount(address)
      }
      return Object.assign(Object.create(state), { getAccount, getCode: (a: Uint8Array) => state.getCode(a) })
    }
    const forget = (): void => {
      isThere = false
    }
    return { states: { at }, residency: { load }, forget, fetch: load }
  }

  it('an admission that misses changes nothing and can be repeated', async () => {
    const { states, fetch } = missing()
    const pool = openPool(chain, { states })
    const candidate = await local(0)
    expect(() => admitted(pool, candidate)).toThrow(StoreMiss)
    expect(pool.size).toBe(0)
    await fetch()
    expect(admitted(pool, candidate).sequence).toBe(0)
  })

  it('the chain is followed once the store has answered, in order', async () => {
    const { states, residency, forget, fetch } = missing()
    const pool = openPool(chain, { states, residency })
    await fetch()
    for (const nonce of [0, 1, 2]) admitted(pool, await local(nonce))
    const events = recordEvents(pool)
    forget()
    await sealBlocks(chain, [{ transactions: [plannedOf(await signed(ALICE, { nonce: 0 }))] }])
    forget()
    await sealBlocks(chain, [{ transactions: [plannedOf(await signed(ALICE, { nonce: 1, value: 3n }))] }])
    await pool.close()
    expect(events).toEqual(['mined alice 0', 'invalid alice 1'])
  })
})

describe('a transaction that has waited too long', () => {
  it('is dropped when the pool is swept, and at the next admission', async () => {
    let now = 1_000_000
    const clock = { ...TEST_CLOCK, now: () => now }
    const pool = openPool(chain, { clock, settings: { retentionMs: 1000 } })
    const events = recordEvents(pool)
    admitted(pool, await local(0))
    now += 600
    admitted(pool, await local(1))
    now += 399
    pool.sweep()
    expect(events).toEqual(['added alice 0', 'added alice 1'])
    now += 1
    pool.sweep()
    expect(events.slice(2)).toEqual(['expired alice 0'])
    now += 600
    admitted(pool, await local(0, 0n, BOB))
    expect(events.slice(3)).toEqual(['expired alice 1', 'added bob 0'])
  })
})

describe('a nonce that was used without a transaction of its account', () => {
  it('has its transaction removed when the pool is swept', async () => {
    const pool = openPool(chain)
    for (const nonce of [0, 1]) admitted(pool, await local(nonce))
    admitted(pool, await local(0, 0n, BOB))
    const events = recordEvents(pool)
    await devWriter(chain).amendHead((state) => state.setNonce(alice, 1n))
    pool.sweep()
    expect(events).toEqual(['invalid alice 0'])
  })
})

describe('a listener', () => {
  it('may change the pool synchronously', async () => {
    const pool = openPool(chain)
    for (const nonce of [0, 1, 2]) admitted(pool, await local(nonce))
    pool.events.on('mined', () => pool.clear())
    const events = recordEvents(pool)
    const other = plannedOf(await signed(ALICE, { nonce: 1, value: 7n }))
    await sealBlocks(chain, [{ transactions: [plannedOf(await signed(ALICE, { nonce: 0 })), other] }])
    expect(events.sort()).toEqual(['invalid alice 1', 'mined alice 0', 'removed alice 2'])
    expect(pool.size).toBe(0)
  })
})

describe('on request', () => {
  it('one or all transactions are removed', async () => {
    const pool = openPool(chain)
    for (const nonce of [0, 1, 2]) admitted(pool, await local(nonce))
    const events = recordEvents(pool)
    const [first, second] = pool.bySender(alice) as [PooledTransaction, PooledTransaction]
    expect(pool.remove(first.hash)).toBe(first)
    expect(pool.remove(first.hash)).toBeUndefined()
    expect(pool.remove(second.hash, 'invalid')).toBe(second)
    expect(events).toEqual(['removed alice 0', 'invalid alice 1', 'invalid alice 2'])
    admitted(pool, await local(0))
    pool.clear()
    expect(events.slice(3)).toEqual(['added alice 0', 'removed alice 0'])
    expect([pool.size, pool.localCount]).toEqual([0, 0])
  })
})
