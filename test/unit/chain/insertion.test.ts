import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { InsertedBlock } from '../../../src/chain/insertion.ts'
import { encodedBlock, type PreparedBlock, prepareBlocks } from '../../../src/chain/preparedBlock.ts'
import { stateSource } from '../../../src/node/stateSource.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import type { Block } from '../../../src/types/block.ts'
import { decodeBlock } from '../../../src/types/blockCodec.ts'
import type { Receipt } from '../../../src/types/receipt.ts'
import { checkInvariants } from '../../support/chains/chainInvariants.ts'
import { TEST_SENDERS } from '../../support/chains/testChain.ts'
import { ALICE, BOB, openDevChain, planBlock, plannedOf, sealBlocks, signed } from '../../support/nodes/devChain.ts'

const bob = hexToBytes(BOB.address)
const RICH = 10_000n * 10n ** 18n
/** Logs with one topic, and returns its block number as code. */
const LOGGING_CODE = '0x602a60006000a1600160005260206000a04360005260206000f3'

async function transaction(nonce: number, fields: { readonly to?: null; readonly data?: `0x${string}` } = {}) {
  return plannedOf(await signed(ALICE, { nonce, value: 1n, ...fields }))
}

interface Source {
  readonly chain: Chain
  readonly run: readonly InsertedBlock[]
}

/** Receipts as a peer sends them: without derived values. */
function plain({ type, status, cumulativeGasUsed, logsBloom, logs }: Receipt): Receipt {
  return { type, ...(status === undefined ? {} : { status }), cumulativeGasUsed, logsBloom, logs }
}

async function openSource(): Promise<Source> {
  const chain = await openDevChain()
  await sealBlocks(chain, [
    { transactions: [await transaction(0), await transaction(1, { to: null, data: LOGGING_CODE })] },
    {},
    { transactions: [await transaction(2)] },
    { transactions: [await transaction(3)] },
  ])
  const blocks = [...chain.exportBlocks({ startBlock: 1 })].map((rlp) =>
    encodedBlock(decodeBlock(rlp), chain.consensus, rlp),
  )
  const prepared = await prepareBlocks(blocks, TEST_SENDERS)
  const run = prepared.map((block) => ({
    prepared: block,
    receipts: (chain.receipts(block.hash) ?? []).map(plain),
  }))
  return { chain, run }
}

const hashesOf = (run: readonly InsertedBlock[]): Uint8Array[] => run.map(({ prepared }) => prepared.hash)

describe('insertion without execution', () => {
  it('stores blocks and receipts without making them canonical', async () => {
    const { chain: source, run } = await openSource()
    const kv = new MemoryStore()
    const chain = await openDevChain({ kv })
    const outcomes = await chain.insert(run)
    expect(outcomes.map(({ kind }) => kind)).toEqual(['inserted', 'inserted', 'inserted', 'inserted'])
    expect(chain.head.hash).toEqual(chain.genesis.hash)
    for (const opened of [chain, await openDevChain({ kv })]) {
      for (const hash of hashesOf(run)) {
        expect(opened.headerByHash(hash)).toMatchObject({ hash, totalDifficulty: 0n })
        expect(opened.body(hash)).toEqual(source.body(hash))
        expect(opened.receipts(hash)).toEqual(source.receipts(hash))
        expect(opened.senders(hash)).toEqual(source.senders(hash))
        expect(opened.blockSize(hash)).toBe(source.blockSize(hash))
        expect(opened.isCanonical(hash)).toBe(false)
      }
      expect(opened.canonicalHash(1)).toBeUndefined()
      checkInvariants(opened)
    }
    expect((await chain.insert(run)).map(({ kind }) => kind)).toEqual(['known', 'known', 'known', 'known'])
  })

  it('reports that the state is not available, and never returns other values', async () => {
    const { run } = await openSource()
    const kv = new MemoryStore()
    const chain = await openDevChain({ kv })
    await chain.insert(run, { isPivot: true })
    const states = new StateStore(kv)
    for (const opened of [chain, await openDevChain({ kv })]) {
      for (const hash of hashesOf(run)) {
        const header = opened.headerByHash(hash)
        if (header === undefined) throw new Error('a block is missing')
        expect(() => opened.stateAt(header)).toThrow('is not available')
        expect(stateSource(states).at(header)).toBeUndefined()
        expect(stateSource(states).mutable(header)).toBeUndefined()
      }
      expect(opened.stateAt(opened.genesis).getAccount(bob)?.balance).toBe(RICH)
    }
  })

  it('makes the last block the head on request', async () => {
    const { chain: source, run } = await openSource()
    const kv = new MemoryStore()
    const chain = await openDevChain({ kv })
    const heads: string[] = []
    chain.events.on('head', ({ head }) => heads.push(bytesToHex(head.hash)))
    await chain.insert(run, { isPivot: true })
    expect(heads).toEqual([bytesToHex(source.head.hash)])
    for (const opened of [chain, await openDevChain({ kv })]) {
      expect(opened.head.hash).toEqual(source.head.hash)
      for (let number = 0; number <= 4; number++)
        expect(opened.canonicalHash(number)).toEqual(source.canonicalHash(number))
      const [hash] = source.transactionHashes(source.head.hash) ?? []
      expect(opened.transactionLocation(hash ?? bob)).toMatchObject({ blockNumber: 4, index: 0 })
      const terms = { addresses: [], topics: [[hexToBytes(`0x${'2a'.padStart(64, '0')}`)]] }
      expect([...opened.index.blocksWithLogs(terms, 0, 4)]).toEqual([...source.index.blocksWithLogs(terms, 0, 4)])
      expect([...opened.index.blocksWithAccounts([bob], 1, 4)]).toEqual([1, 2, 3, 4])
    }
  })

  it('lets no block be executed on top, while the chain continues from blocks with a state', async () => {
    const { run } = await openSource()
    const kv = new MemoryStore()
    const chain = await openDevChain({ kv })
    await chain.insert(run.slice(0, 2), { isPivot: true })
    const third = run[2]?.prepared as PreparedBlock
    expect(await chain.importRun([third])).toMatchObject([{ kind: 'unknownParent' }])
    expect(await chain.verify(third)).toMatchObject({ kind: 'unknownParent' })
    const onTop = chain.build(planBlock(chain.head, {}), chain.head)
    await expect(onTop).rejects.toMatchObject({ code: 'STATE_NOT_AVAILABLE' })
    expect(await chain.replayBlock(2).catch(({ code }) => code)).toBe('STATE_NOT_AVAILABLE')
    await chain.setHead(chain.genesis.hash)
    expect(chain.stateAt(chain.head).getAccount(bob)?.balance).toBe(RICH)
    await sealBlocks(chain, [{ transactions: [await transaction(0)], timestamp: 99n }, {}])
    expect(chain.stateAt(chain.head).getAccount(bob)?.balance).toBe(RICH + 1n)
    checkInvariants(chain)
    const branch = chain.head
    await chain.insert(run.slice(0, 2), { isPivot: true })
    await chain.setHead(branch.hash)
    expect(chain.stateAt(chain.head).getAccount(bob)?.balance).toBe(RICH + 1n)
    await sealBlocks(chain, [{ transactions: [await transaction(1)] }])
    expect(chain.stateAt(chain.head).getAccount(bob)?.balance).toBe(RICH + 2n)
    checkInvariants(chain)
  })

  it('cannot become the head by a request, which would leave a chain without a state', async () => {
    const { run } = await openSource()
    const chain = await openDevChain()
    await chain.insert(run)
    const [first] = hashesOf(run) as [Uint8Array]
    await expect(chain.setHead(first)).rejects.toMatchObject({ code: 'STATE_NOT_AVAILABLE' })
    expect(await chain.setForkChoice({ head: first })).toEqual({ kind: 'stateNotAvailable' })
    expect(chain.head.hash).toEqual(chain.genesis.hash)
    await sealBlocks(chain, [{}])
    checkInvariants(chain)
  })

  it('is completed by an import, once the state of the parent is available', async () => {
    const { chain: source, run } = await openSource()
    const kv = new MemoryStore()
    const chain = await openDevChain({ kv })
    await chain.insert(run)
    const [first, second, ...rest] = run.map(({ prepared }) => prepared) as [PreparedBlock, PreparedBlock]
    expect(await chain.importRun([second])).toMatchObject([{ kind: 'unknownParent' }])
    expect(await chain.verify(second)).toMatchObject({ kind: 'unknownParent' })
    expect(await chain.verify(first)).toMatchObject({ kind: 'verified' })
    const outcomes = await chain.importRun([first, second, ...rest])
    expect(outcomes.map(({ kind }) => kind)).toEqual(['imported', 'imported', 'imported', 'imported'])
    expect(await chain.importRun([first])).toMatchObject([{ kind: 'known' }])
    for (const opened of [chain, await openDevChain({ kv })]) {
      expect(opened.head.hash).toEqual(source.head.hash)
      expect(opened.stateAt(opened.head).getAccount(bob)).toEqual(source.stateAt(source.head).getAccount(bob))
      for (const hash of hashesOf(run)) expect(opened.receipts(hash)).toEqual(source.receipts(hash))
      checkInvariants(opened)
    }
  })

  it('refuses inconsistent data, and keeps the preceding blocks', async () => {
    const { chain: source, run } = await openSource()
    const [first, second, third, fourth] = run as [InsertedBlock, InsertedBlock, InsertedBlock, InsertedBlock]
    const [receipt] = third.receipts as [Receipt]
    const changed = (change: Partial<Block>): InsertedBlock => {
      const block = encodedBlock({ ...third.prepared.block, ...change }, source.consensus)
      return { ...third, prepared: { ...third.prepared, ...block } }
    }
    const { header } = third.prepared.block
    const wrong: readonly (readonly [InsertedBlock, string])[] = [
      [{ ...third, receipts: [] }, 'receipts: 0 of them, must be 1'],
      [{ ...third, receipts: [{ ...receipt, cumulativeGasUsed: 1n }] }, 'receipts root'],
      [{ ...third, receipts: fourth.receipts.map((of) => ({ ...of, status: false })) }, 'receipts root'],
      [changed({ transactions: fourth.prepared.block.transactions }), 'transactions root'],
      [changed({ header: { ...header, gasUsed: 30_000n } }), 'gas used'],
      [changed({ header: { ...header, number: 9n } }), 'number'],
      [changed({ header: { ...header, timestamp: 0n } }), 'timestamp'],
    ]
    for (const [block, reason] of wrong) {
      const kv = new MemoryStore()
      const chain = await openDevChain({ kv })
      const outcomes = await chain.insert([first, second, block, fourth], { isPivot: true })
      expect(outcomes).toMatchObject([{ kind: 'inserted' }, { kind: 'inserted' }, { kind: 'invalid' }])
      expect(outcomes[2]).toMatchObject({ reason: expect.stringContaining(reason) })
      expect(chain.headerByHash(block.prepared.hash)).toBeUndefined()
      expect(chain.headerByHash(second.prepared.hash)).toBeDefined()
      expect(chain.head.hash).toEqual(chain.genesis.hash)
    }
    const apart = await openDevChain()
    expect(await apart.insert([second])).toMatchObject([{ kind: 'unknownParent' }])
    expect(await apart.insert([first, third])).toMatchObject([{ kind: 'inserted' }, { kind: 'unknownParent' }])
  })
})
