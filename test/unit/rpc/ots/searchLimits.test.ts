/** Pages of searches that their limits end. This file replaces the limits by small ones. */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { unindexedStore } from '../../../support/chains/unindexedStore.ts'
import { BOB } from '../../../support/nodes/devChain.ts'
import { closedAfterEach, type OpenedNode } from '../../../support/nodes/devNodeInMemory.ts'
import { deploy, send } from '../../../support/nodes/tracedNode.ts'
import { at, callTo, code } from '../../tracing/geth/programs.ts'

vi.mock('../../../../src/base/limits/otsLimits.ts', () => ({
  MAX_OTS_PAGE_SIZE: 1000,
  MAX_OTS_SEARCH_BLOCKS: 8,
  MAX_OTS_SEARCH_GAS: 100_000n,
}))

interface Page {
  readonly txs: readonly { readonly hash: string; readonly blockNumber: string }[]
  readonly firstPage: boolean
  readonly lastPage: boolean
}

const open = closedAfterEach()
/** The beneficiary, which each block names. */
const COINBASE = at(0xc01b)

describe('a search over more blocks than one answer may examine', () => {
  let node: OpenedNode

  const search = (direction: 'Before' | 'After', block: unknown, size = 25): Promise<Page> =>
    node.rpc(`ots_searchTransactions${direction}`, COINBASE, block, size)

  beforeEach(async () => {
    node = await open({ 'miner-coinbase': COINBASE })
  })

  async function transfers(count: number, at: OpenedNode = node): Promise<void> {
    for (let i = 0; i < count; i++) await send(at, { to: BOB.address, gas: '0x5208' })
  }

  it.each(['Before', 'After'] as const)('says where to continue when it has found nothing (%s)', async (direction) => {
    await transfers(12)
    const wanted = await send(node, { to: COINBASE })
    await transfers(12)
    let block: unknown = 0
    let refusals = 0
    let page: Page | undefined
    while (page === undefined) {
      page = await search(direction, block).catch((error: Error & { code: number; data: string }) => {
        expect(error.code).toBe(-32005)
        expect(error.message).toContain(`search again ${direction.toLowerCase()} block ${Number(error.data)}`)
        expect(error.message).toContain(COINBASE)
        block = error.data
        refusals++
        return undefined
      })
    }
    expect(refusals).toBe(1)
    expect(page.txs.map(({ hash }) => hash)).toEqual([wanted])
    expect(direction === 'Before' ? page.lastPage : page.firstPage).toBe(false)
  })

  it.each(['Before', 'After'] as const)(
    'names the index as the reason where it lacks the blocks (%s)',
    async (direction) => {
      const kv = new MemoryStore()
      await transfers(12, await open({}, kv))
      const older = await open({}, unindexedStore(kv))
      const stranger = at(0x57)
      const answer = older.rpc<Page>(`ots_searchTransactions${direction}`, stranger, 0, 25)
      await expect(answer).rejects.toMatchObject({ code: -32005, data: direction === 'Before' ? '0x5' : '0x8' })
      const reason = /the index of accounts does not cover them, so each is examined/
      await expect(answer).rejects.toThrow(reason)
      await transfers(12)
      await expect(search(direction, 0)).rejects.not.toThrow(reason)
    },
  )

  it('ends a page early when it has found something', async () => {
    const old = await send(node, { to: COINBASE })
    await transfers(5)
    const young = await send(node, { to: COINBASE })
    await transfers(5)
    const page = await search('Before', 0)
    expect(page.txs.map(({ hash }) => hash)).toEqual([young])
    expect(page.lastPage).toBe(false)
    const next = await search('Before', page.txs[0]?.blockNumber)
    expect(next.txs.map(({ hash }) => hash)).toEqual([old])
    expect(next.lastPage).toBe(true)
  })

  it('counts the gas of the blocks that it executes', async () => {
    const caller = await deploy(node, code(callTo(at(0x3000))).code)
    // Each uses between 20,000 and 25,000 gas.
    for (let i = 0; i < 6; i++) await send(node, { to: caller })
    await expect(search('Before', 0)).rejects.toMatchObject({ code: -32005, data: '0x3' })
  })
})
