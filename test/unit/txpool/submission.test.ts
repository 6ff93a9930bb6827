import { beforeAll, describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { PooledTransaction } from '../../../src/txpool/contract.ts'
import { type AdmittedOutcome, Submission } from '../../../src/txpool/submission.ts'
import { openPool } from '../../support/chains/pool.ts'
import { testYield } from '../../support/host/testYield.ts'
import { ALICE, openDevChain, signed } from '../../support/nodes/devChain.ts'

let chain: Chain

beforeAll(async () => {
  chain = await openDevChain()
})

function open(awaitMined?: (pooled: PooledTransaction) => AdmittedOutcome) {
  const pool = openPool(chain)
  const recorded: string[] = []
  const journal = {
    record: async ({ hash }: PooledTransaction) => {
      recorded.push(bytesToHex(hash))
    },
  }
  const submission = new Submission({
    pool,
    journal,
    yieldToHost: testYield,
    ...(awaitMined === undefined ? {} : { awaitMined }),
  })
  return { pool, recorded, submission }
}

describe('a submitted transaction', () => {
  it('that has to wait is accepted, kept with its original bytes, and recorded', async () => {
    const { pool, recorded, submission } = open()
    const raw = await signed(ALICE, { nonce: 0 })
    const hash = keccak256(raw)
    expect(await submission.submitRaw(raw)).toEqual({ kind: 'accepted', hash })
    expect(pool.byHash(hash)?.encoding).toBe(raw)
    expect(recorded).toEqual([bytesToHex(hash)])
  })

  it('that is mined immediately is accepted and not recorded', async () => {
    const { recorded, submission } = open(() => ({ kind: 'mined' }))
    expect(await submission.submitRaw(await signed(ALICE, { nonce: 0 }))).toMatchObject({ kind: 'accepted' })
    expect(recorded).toEqual([])
  })

  it('that the pool refuses is a verdict without an exception', async () => {
    const { submission } = open()
    const verdict = await submission.submitRaw(await signed(ALICE, { nonce: 2 ** 20 }))
    expect(verdict).toMatchObject({ kind: 'refused', error: { code: 'NONCE_TOO_FAR_IN_FUTURE_FOR_SENDER' } })
    expect('error' in verdict && verdict.error).not.toBeInstanceOf(Error)
  })

  it('that cannot be executed is a verdict with the reason', async () => {
    const rejection = { code: 'INSUFFICIENT_FUNDS', message: 'insufficient funds' } as const
    const { recorded, submission } = open(() => ({ kind: 'refused', rejection }))
    const verdict = await submission.submitRaw(await signed(ALICE, { nonce: 0 }))
    expect(verdict).toEqual({ kind: 'unexecutable', error: rejection })
    expect(recorded).toEqual([])
  })

  it('that is not a transaction is a verdict with the code of the decoder', async () => {
    const { submission } = open()
    expect(await submission.submitRaw(new Uint8Array(0))).toMatchObject({
      kind: 'undecodable',
      error: { code: 'UNDECODABLE_TRANSACTION' },
    })
    expect(await submission.submitRaw(Uint8Array.of(0xc0))).toMatchObject({
      kind: 'undecodable',
      error: { code: 'INVALID_PARAMS' },
    })
  })
})
