import { describe, expect, it } from 'vitest'
import type { Transaction } from '../../../../adapters/page/rpc/types.ts'
import { bySender, type Conditions, listOf, reasonsOf } from '../../../../adapters/page/views/pool/waiting.ts'

const ALICE = `0x${'a1'.repeat(20)}`
const BOB = `0x${'b0'.repeat(20)}`

function transaction(nonce: number, more: Partial<Transaction> = {}): Transaction {
  return {
    hash: `0x${nonce}`,
    from: ALICE,
    to: BOB,
    value: '0x0',
    nonce: `0x${nonce.toString(16)}`,
    gas: '0x5208',
    input: '0x',
    maxFeePerGas: '0xa',
    blockHash: null,
    blockNumber: null,
    transactionIndex: null,
    ...more,
  }
}

const CONDITIONS: Conditions = { baseFee: 7n, gasLimit: 30_000_000n, isMinedAtOnce: true }
const RICH = { nonce: 4, balance: 10n ** 18n }

function texts(transactions: readonly Transaction[], account = RICH, conditions = CONDITIONS): string[] {
  return reasonsOf({ address: ALICE, transactions }, account, conditions).map(({ text }) =>
    text.replaceAll('\u202f', ' '),
  )
}

describe('the pool', () => {
  it('groups by sender, in the order of nonces', () => {
    const content = {
      pending: { [ALICE]: { '5': transaction(5), '4': transaction(4) } },
      queued: { [BOB]: { '1': transaction(1, { from: BOB }) }, [ALICE]: { '9': transaction(9) } },
    }
    const senders = bySender(listOf(content))
    expect(senders.map(({ address, transactions }) => [address, transactions.map(({ nonce }) => nonce)])).toEqual([
      [ALICE, ['0x4', '0x5', '0x9']],
      [BOB, ['0x1']],
    ])
    expect(bySender(listOf({}))).toEqual([])
  })

  it('says which nonce is missing', () => {
    expect(texts([transaction(4), transaction(6), transaction(7)])).toEqual([
      'ready',
      'needs nonce 5 first',
      'needs nonce 5 first',
    ])
  })

  it('says that a fee is too low, and what waits behind it', () => {
    expect(texts([transaction(4, { maxFeePerGas: '0x5' }), transaction(5)])).toEqual([
      'its fee 5 wei is below the base fee 7 wei',
      'waits for the one before it',
    ])
  })

  it('counts what earlier transactions spend', () => {
    const value = '0x98967f'
    const account = { nonce: 4, balance: 2n * 10_209_999n }
    expect(texts([transaction(4, { value }), transaction(5, { value }), transaction(6)], account)).toEqual([
      'ready',
      'ready',
      'costs up to 210 000 wei, the balance is 0 ETH',
    ])
  })

  it('names gas above the limit of a block, and blocks on request', () => {
    expect(texts([transaction(4, { gas: '0x2faf080' })])).toEqual(['its gas is above the limit of a block'])
    expect(texts([transaction(4)], RICH, { ...CONDITIONS, isMinedAtOnce: false })).toEqual([
      'ready: waits until a block is mined',
    ])
  })
})
