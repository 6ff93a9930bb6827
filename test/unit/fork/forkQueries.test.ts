import { describe, expect, test } from 'vitest'
import type { LogTerms } from '../../../src/chain/contract.ts'
import { Refusal } from '../../support/fork/nodeRemote.ts'
import { errorOf, openTestFork } from '../../support/fork/openTestFork.ts'
import { openRecordedRemote } from '../../support/fork/recordedRemote.ts'

const EVERYTHING: LogTerms = { addresses: [], topics: [] }

interface Filter {
  readonly fromBlock: string
  readonly toBlock: string
}

/** Refuses ranges of more than `blocks`. */
const limited =
  (blocks: number) =>
  ({ params }: { readonly params: readonly unknown[] }, result: unknown): unknown => {
    const { fromBlock, toBlock } = params[0] as Filter
    return Number(toBlock) - Number(fromBlock) < blocks ? result : new Refusal(-32000, 'block range is too wide')
  }

describe('logs of a remote', () => {
  test('a range that the remote refuses is halved until it answers', async () => {
    const { remote, chain } = await openRecordedRemote('besu/osaka')
    const fork = await openTestFork(remote)
    const range = { from: 0, to: Number(chain.head.header.number) }
    const whole = await fork.queries.logs(EVERYTHING, range)
    expect(whole.length).toBeGreaterThan(1)
    remote.lie = limited(3)
    expect(await fork.queries.logs(EVERYTHING, range)).toEqual(whole)
    expect(remote.batches.at(-1)?.length).toBeGreaterThan(8)
  })

  test('a refused block', async () => {
    const { remote } = await openRecordedRemote('besu/osaka')
    const fork = await openTestFork(remote)
    remote.lie = limited(0)
    expect(await errorOf(fork.queries.logs(EVERYTHING, { from: 0, to: 2 }))).toEqual({
      code: 'REMOTE_REFUSED',
      message: 'eth_getLogs: block range is too wide',
    })
  })

  test.each([
    ['of a block that was not asked for', { blockNumber: '0x99' }, 'block 153 was not asked for'],
    ['of another contract', { address: `0x${'11'.repeat(20)}` }, 'it does not match'],
  ])('a log %s', async (_, change, reason) => {
    const { remote, chain } = await openRecordedRemote('besu/osaka')
    const fork = await openTestFork(remote)
    const range = { from: 0, to: Number(chain.head.header.number) }
    const [log] = await fork.queries.logs(EVERYTHING, range)
    const terms = { addresses: [log?.log.address ?? new Uint8Array(20)], topics: [] }
    remote.lie = (_request, result) => (result as object[]).map((item) => ({ ...item, ...change }))
    const error = await errorOf(fork.queries.logs(terms, range))
    expect(error?.code).toBe('PROOF_INVALID')
    expect(error?.message).toContain(`eth_getLogs[0]: ${reason}`)
  })

  test('proofs are those of the remote', async () => {
    const { remote, chain, backend } = await openRecordedRemote('besu/osaka')
    const fork = await openTestFork(remote)
    const state = backend.states.at(chain.head)
    const [entry] = state?.accounts(new Uint8Array(32), 1) ?? []
    const address = entry?.address ?? new Uint8Array(20)
    const slots = [new Uint8Array(32)]
    const proof = await fork.queries.proof(fork.state.forkBlock, address, slots)
    expect(state?.prove(address, slots)).toMatchObject(proof)
  })
})
