import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { invoke } from '../../../../src/rpc/invoke.ts'
import type { MethodDefinition } from '../../../../src/rpc/method.ts'
import { getBlockDetails } from '../../../../src/rpc/methods/ots/blocks.ts'
import { ALICE, BOB } from '../../../support/nodes/devChain.ts'
import { type OpenedNode, openDevNode } from '../../../support/nodes/devNodeInMemory.ts'
import { deploy, send } from '../../../support/nodes/tracedNode.ts'
import { at, code } from '../../tracing/geth/programs.ts'

interface Details {
  readonly block: Record<string, unknown>
  readonly issuance: Record<string, string>
  readonly totalFees: string
}

interface Page {
  readonly fullblock: Record<string, unknown> & { readonly transactions: readonly Record<string, unknown>[] }
  readonly receipts: readonly Record<string, unknown>[]
}

const UNKNOWN = `0x${'77'.repeat(32)}`
const INVALID_PARAMS = expect.objectContaining({ code: -32602 })
/** LOG0 of nothing. */
const LOGGER = code(0n, 0n, 0xa0)

describe("blocks in Otterscan's form", () => {
  let node: OpenedNode
  let contract: string
  let hashes: readonly string[]
  let block: Record<string, unknown> & { readonly hash: string; readonly transactions: readonly object[] }

  beforeAll(async () => {
    node = await openDevNode()
    contract = await deploy(node, LOGGER.code)
    await node.rpc('evm_setAutomine', false)
    hashes = []
    for (let i = 0; i < 5; i++) {
      hashes = [...hashes, await send(node, { to: contract, data: `0x0102030405${`0${i}`}` })]
    }
    await node.rpc('evm_mine')
    block = await node.rpc('eth_getBlockByNumber', 'latest', true)
  })

  afterAll(() => node.node.close())

  it('has the details of a block, by number, tag and hash', async () => {
    const details = await node.rpc<Details>('ots_getBlockDetails', 2)
    const { transactions, ...members } = block
    expect(details.block).toEqual({ ...members, logsBloom: null, transactionCount: transactions.length })
    expect(Object.keys(details)).toEqual(['block', 'issuance', 'totalFees'])
    const receipts = await node.rpc<Record<string, string>[]>('eth_getBlockReceipts', '0x2')
    const fees = receipts.reduce((sum, { gasUsed = '', effectiveGasPrice = '' }) => {
      return sum + BigInt(gasUsed) * BigInt(effectiveGasPrice)
    }, 0n)
    expect(BigInt(details.totalFees)).toBe(fees)
    expect(details.issuance).toEqual({ blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' })
    for (const reference of ['0x2', 'latest', 'pending', '2']) {
      expect(await node.rpc('ots_getBlockDetails', reference)).toEqual(details)
    }
    expect(await node.rpc('ots_getBlockDetailsByHash', block.hash)).toEqual(details)
  })

  it('has the rewards of the author and of the ommers, but for the genesis', async () => {
    const rewards = { staticReward: 5n, ommerInclusionReward: 1n, ommerRewards: [2n, 3n] }
    const consensus = { claimedBy: () => ({ rewards: () => rewards }) }
    const backend = { chain: node.node.chain, consensus } as never
    const issuanceAt = (number: number) => {
      const details = invoke(getBlockDetails as MethodDefinition<never>, backend, [number], {} as never)
      return (details as Details).issuance
    }
    expect(issuanceAt(1)).toEqual({ blockReward: '0x6', uncleReward: '0x5', issuance: '0xb' })
    expect(issuanceAt(0)).toMatchObject({ blockReward: '0x0' })
  })

  it('has pages of transactions from the end of the block', async () => {
    const pages: Page[] = []
    for (const number of [0, 1, 2, 3]) pages.push(await node.rpc<Page>('ots_getBlockTransactions', 2, number, 2))
    const shown = pages.map(({ fullblock }) => fullblock.transactions.map(({ hash }) => hash))
    expect(shown).toEqual([hashes.slice(3), hashes.slice(1, 3), hashes.slice(0, 1), []])
    for (const { fullblock, receipts } of pages) {
      expect(fullblock).toMatchObject({ hash: block.hash, logsBloom: null, transactionCount: 5 })
      expect(receipts.map(({ transactionHash }) => transactionHash)).toEqual(
        fullblock.transactions.map(({ hash }) => hash),
      )
    }
    const whole = await node.rpc<Record<string, unknown>>('eth_getTransactionByHash', hashes[4])
    expect(pages[0]?.fullblock.transactions[1]).toEqual({ ...whole, input: '0x01020304' })
    const receipt = await node.rpc<Record<string, unknown>>('eth_getTransactionReceipt', hashes[4])
    expect(receipt['logs']).toHaveLength(1)
    const timestamp = block['timestamp']
    expect(pages[0]?.receipts[1]).toEqual({ ...receipt, logs: null, logsBloom: null, timestamp })
  })

  it('answers null for blocks that do not exist', async () => {
    expect(await node.rpc('ots_getBlockDetails', 99)).toBeNull()
    expect(await node.rpc('ots_getBlockDetailsByHash', UNKNOWN)).toBeNull()
    expect(await node.rpc('ots_getBlockTransactions', 99, 0, 10)).toBeNull()
    expect(await node.rpc('erigon_getHeaderByNumber', 99)).toBeNull()
  })

  it('refuses numbers and pages that are not valid', async () => {
    for (const number of [-1, 1.5, 'first', {}, true]) {
      await expect(node.rpc('ots_getBlockDetails', number)).rejects.toEqual(INVALID_PARAMS)
    }
    for (const [page, size] of [
      [0, 0],
      [0, 1001],
      [-1, 10],
      [0, 'many'],
    ]) {
      await expect(node.rpc('ots_getBlockTransactions', 2, page, size)).rejects.toEqual(INVALID_PARAMS)
    }
    await expect(node.rpc('ots_getBlockTransactions', 2, 0, 1001)).rejects.toThrow('1 to 1000')
  })

  it('answers what Otterscan asks when it connects', async () => {
    expect(await node.rpc('ots_getApiLevel')).toBe(8)
    const header = await node.rpc('erigon_getHeaderByNumber', 2)
    expect(header).toEqual(await node.rpc('eth_getHeaderByNumber', '0x2'))
    expect(header).toMatchObject({ hash: block.hash, number: '0x2' })
  })

  it('knows whether an account has code after a block', async () => {
    const has = (...params: readonly unknown[]) => node.rpc('ots_hasCode', ...params)
    expect(await has(contract, 'latest')).toBe(true)
    expect(await has(contract, 1)).toBe(true)
    expect(await has(contract, 0)).toBe(false)
    expect(await has(contract, { blockHash: block.hash })).toBe(true)
    expect(await has(BOB.address, 'latest')).toBe(false)
    expect(await has(at(0x99), '0x1')).toBe(false)
    await expect(has(contract, 99)).rejects.toThrow('header not found')
  })

  it('finds a mined transaction by sender and nonce', async () => {
    const find = (sender: string, nonce: unknown) => node.rpc('ots_getTransactionBySenderAndNonce', sender, nonce)
    expect(await find(ALICE.address, 1)).toBe(hashes[0])
    expect(await find(ALICE.address, '0x5')).toBe(hashes[4])
    expect(await find(ALICE.address, 6)).toBeNull()
    expect(await find(BOB.address, 0)).toBeNull()
  })
})
