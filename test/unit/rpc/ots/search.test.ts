import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MemoryStore } from '../../../../src/storage/memoryStore.ts'
import { Column } from '../../../../src/storage/schema.ts'
import { testYield } from '../../../support/host/testYield.ts'
import { ALICE, BOB } from '../../../support/nodes/devChain.ts'
import { closedAfterEach, type OpenedNode, openDevNode } from '../../../support/nodes/devNodeInMemory.ts'
import { deploy, send } from '../../../support/nodes/tracedNode.ts'
import { at, callTo, code, createFrom, returnBytes, revertWith, SELFDESTRUCT } from '../../tracing/geth/programs.ts'

interface Transaction {
  readonly hash: string
  readonly blockNumber: string
  readonly transactionIndex: string
}

interface Page {
  readonly txs: readonly Transaction[]
  readonly receipts: readonly Record<string, unknown>[]
  readonly firstPage: boolean
  readonly lastPage: boolean
}

const open = closedAfterEach()
const NOBODY = at(0x9999)
const COINBASE = at(0xc01b)
const INNER = at(0x3000)

function searchBefore({ rpc }: OpenedNode, account: string, block: unknown, size: number): Promise<Page> {
  return rpc('ots_searchTransactionsBefore', account, block, size)
}

function searchAfter({ rpc }: OpenedNode, account: string, block: unknown, size: number): Promise<Page> {
  return rpc('ots_searchTransactionsAfter', account, block, size)
}

const hashesOf = ({ txs }: Page): string[] => txs.map(({ hash }) => hash)
const flagsOf = ({ firstPage, lastPage }: Page): [boolean, boolean] => [firstPage, lastPage]

/** Sends transactions that share a block. */
async function inOneBlock(node: OpenedNode, transactions: readonly object[]): Promise<string[]> {
  await node.rpc('evm_setAutomine', false)
  const hashes: string[] = []
  for (const transaction of transactions) hashes.push(await send(node, transaction))
  await node.rpc('evm_mine')
  await node.rpc('evm_setAutomine', true)
  return hashes
}

describe('the transactions of an account', () => {
  let node: OpenedNode
  /** Of the chain, oldest first. */
  const sent: string[] = []
  /** Those in which the contract `INNER` is called. */
  const inner: string[] = []
  let caller: string

  beforeAll(async () => {
    node = await openDevNode({ 'miner-coinbase': COINBASE })
    caller = await deploy(node, code(callTo(INNER)).code)
    const note = async (hashes: readonly string[], calls: readonly boolean[]): Promise<void> => {
      sent.push(...hashes)
      inner.push(...hashes.filter((_, i) => calls[i] === true))
    }
    const { transactions } = await node.rpc<{ transactions: string[] }>('eth_getBlockByNumber', '0x1', false)
    await note(transactions, [])
    for (let block = 0; block < 4; block++) {
      const plan = [{ to: BOB.address, value: '0x1' }, { to: caller }, { to: BOB.address }, { to: caller }]
      await note(await inOneBlock(node, plan), [false, true, false, true])
      await node.rpc('hardhat_mine', '0x5')
      await note([await send(node, { to: caller })], [true])
      await note([await send(node, { to: BOB.address })], [])
    }
  })

  afterAll(() => node.node.close())

  it('are listed newest first, with receipts', async () => {
    const page = await searchBefore(node, ALICE.address, 0, 1000)
    expect(hashesOf(page)).toEqual([...sent].reverse())
    expect(flagsOf(page)).toEqual([true, true])
    expect(page.receipts.map(({ transactionHash }) => transactionHash)).toEqual(hashesOf(page))
    const [newest] = page.txs
    expect(newest).toEqual(await node.rpc('eth_getTransactionByHash', newest?.hash))
    const block = await node.rpc<{ timestamp: string }>('eth_getBlockByNumber', newest?.blockNumber, false)
    expect(page.receipts[0]).toEqual({
      ...(await node.rpc<object>('eth_getTransactionReceipt', newest?.hash)),
      timestamp: block.timestamp,
    })
    expect(await searchAfter(node, ALICE.address, 0, 1000)).toEqual(page)
  })

  it('include those in which a contract calls the account', async () => {
    expect(hashesOf(await searchBefore(node, INNER, 0, 1000))).toEqual([...inner].reverse())
    expect(hashesOf(await searchAfter(node, INNER, 0, 1000))).toEqual([...inner].reverse())
  })

  it('do not include blocks that only pay the account', async () => {
    expect(await node.rpc('eth_getBalance', COINBASE, 'latest')).not.toBe('0x0')
    expect(await searchBefore(node, COINBASE, 0, 25)).toEqual({
      txs: [],
      receipts: [],
      firstPage: true,
      lastPage: true,
    })
    expect(await searchAfter(node, NOBODY, 0, 25)).toEqual({ txs: [], receipts: [], firstPage: true, lastPage: true })
  })

  it.each([1, 2, 3, 7])('come in pages of whole blocks of about %i, from both ends', async (size) => {
    for (const [account, all] of [
      [INNER, inner],
      [ALICE.address, sent],
    ] as const) {
      let found: string[] = []
      let page = await searchBefore(node, account, 0, size)
      expect(page.firstPage).toBe(true)
      for (;;) {
        found = [...found, ...hashesOf(page)]
        if (page.lastPage) break
        expect(page.txs.length).toBeGreaterThanOrEqual(size)
        page = await searchBefore(node, account, Number(page.txs.at(-1)?.blockNumber), size)
        expect(page.firstPage).toBe(false)
      }
      expect(found).toEqual([...all].reverse())

      found = []
      page = await searchAfter(node, account, 0, size)
      expect(page.lastPage).toBe(true)
      for (;;) {
        found = [...hashesOf(page), ...found]
        if (page.firstPage) break
        page = await searchAfter(node, account, page.txs[0]?.blockNumber, size)
        expect(page.lastPage).toBe(false)
      }
      expect(found).toEqual([...all].reverse())
    }
  })

  it('exclude the block that is named', async () => {
    const head = Number(await node.rpc<string>('eth_blockNumber'))
    const newest = sent.at(-1)
    expect(hashesOf(await searchBefore(node, ALICE.address, head, 1))).not.toContain(newest)
    expect(hashesOf(await searchBefore(node, ALICE.address, head + 1, 1))).toEqual([newest])
    expect(flagsOf(await searchBefore(node, ALICE.address, head + 100, 1))).toEqual([true, false])
    expect(hashesOf(await searchAfter(node, ALICE.address, head - 1, 5))).toEqual([newest])
    expect(await searchAfter(node, ALICE.address, head, 5)).toEqual({
      txs: [],
      receipts: [],
      firstPage: true,
      lastPage: false,
    })
    expect(await searchBefore(node, ALICE.address, 1, 5)).toEqual({
      txs: [],
      receipts: [],
      firstPage: false,
      lastPage: true,
    })
  })

  it('refuses pages that are too large, and what is no number', async () => {
    for (const [block, size] of [
      [0, 0],
      [0, 1001],
      ['latest', 25],
      [-1, 25],
    ]) {
      await expect(searchBefore(node, ALICE.address, block, size as number)).rejects.toMatchObject({ code: -32602 })
    }
  })
})

describe('the ways to take part in a transaction', () => {
  it.each(['native', 'reference'] as const)('are found after an execution by the %s EVM', async (evm) => {
    const node = await open({ evm })
    const heir = at(0x4000)
    const init = [...returnBytes('0x00')]
    const factory = await deploy(node, code(createFrom(init)).code)
    const dying = await deploy(node, code(BigInt(heir), SELFDESTRUCT).code)
    const failing = await deploy(node, code(callTo(INNER), revertWith('0x')).code)
    const delegate = await deploy(node, code(callTo(dying, { kind: 0xf4 })).code)
    const creation = await send(node, { to: factory })
    const [{ to: created }] = await node.rpc<[{ to: string }]>('ots_getInternalOperations', creation)
    const death = await send(node, { to: dying, value: '0x1' })
    const failed = await send(node, { to: failing })
    const delegated = await send(node, { to: delegate })
    const toPrecompile = await send(node, { to: at(4), data: '0x01' })
    const find = async (account: string) => hashesOf(await searchBefore(node, account, 0, 25))
    expect(await find(created)).toEqual([creation])
    expect(await find(heir)).toEqual([delegated, death])
    expect(await find(INNER)).toEqual([failed])
    expect(await find(dying)).toEqual([delegated, death, expect.anything()])
    expect(await find(at(4))).toEqual([toPrecompile])
  })
})

describe('a chain that changes while it is searched', () => {
  /** Runs once, when the search yields. */
  let onYield: (() => Promise<unknown>) | undefined
  const yieldToHost = async (): Promise<void> => {
    const action = onYield
    onYield = undefined
    await action?.()
    await testYield()
  }

  it('is searched again when blocks are removed', async () => {
    const node = await open({}, undefined, { yieldToHost })
    const caller = await deploy(node, code(callTo(INNER)).code)
    const kept = await send(node, { to: caller })
    const snapshot = await node.rpc('evm_snapshot')
    for (let i = 0; i < 3; i++) await send(node, { to: caller })
    let replaced = ''
    onYield = async () => {
      await node.rpc('evm_revert', snapshot)
      replaced = await send(node, { to: caller, data: '0x77' })
    }
    const page = await searchBefore(node, INNER, 0, 25)
    expect(onYield).toBeUndefined()
    expect(hashesOf(page)).toEqual([replaced, kept])
  })

  it('is searched up to the head of the start when blocks are added', async () => {
    const node = await open({}, undefined, { yieldToHost })
    const caller = await deploy(node, code(callTo(INNER)).code)
    const hashes = [
      await send(node, { to: caller }),
      await send(node, { to: caller }),
      await send(node, { to: caller }),
    ]
    onYield = () => send(node, { to: caller })
    expect(hashesOf(await searchBefore(node, INNER, 0, 25))).toEqual([...hashes].reverse())
    expect(hashesOf(await searchBefore(node, INNER, 0, 25))).toHaveLength(4)
  })
})

describe('a database from before the index', () => {
  it('is searched by execution', async () => {
    const kv = new MemoryStore()
    const first = await openDevNode({}, kv)
    const caller = await deploy(first, code(callTo(INNER)).code)
    const hashes = [
      await send(first, { to: caller }),
      await send(first, { to: BOB.address }),
      await send(first, { to: caller }),
    ]
    const expected = await searchBefore(first, INNER, 0, 25)
    expect(hashesOf(expected)).toEqual([hashes[2], hashes[0]])
    await first.node.close()
    const older = new MemoryStore()
    const ADDED: readonly number[] = [Column.blockTerms, Column.termSection]
    older.commit(
      [...kv.range({ prefix: new Uint8Array(0) })]
        .filter(([key]) => !ADDED.includes(key[0] as number))
        .map(([key, value]) => ({ key, value })),
    )
    const second = await open({}, older)
    expect(await searchBefore(second, INNER, 0, 25)).toEqual(expected)
    expect(hashesOf(await searchBefore(second, BOB.address, 0, 25))).toEqual([hashes[1]])
  })
})
