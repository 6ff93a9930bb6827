import { describe, expect, it } from 'vitest'
import type { KeyValueStore, Mutation } from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHex, equalBytes, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { COLUMNS, keys } from '../../../src/storage/schema.ts'
import { decodeBlock } from '../../../src/types/blockCodec.ts'
import { devWriter, openTestChain } from '../../support/chains/testChain.ts'
import { ALICE, BOB, openDevChain, plannedOf, sealBlocks, signed } from '../../support/nodes/devChain.ts'
import { allocOf, mustFail, networkConfig, readTests } from '../../support/recorded/blockchainTests.ts'
import { recordedPath } from '../../support/recorded/conformance.ts'
import { blockFile, importFile, openRecorded, recordedChainNamed } from '../../support/recorded/recordedChains.ts'

const IMMUTABLE = new Set<number>(
  Object.values(COLUMNS)
    .filter(({ mutability }) => mutability === 'immutable')
    .map(({ byte }) => byte),
)
const KNOWN = new Set<number>(Object.values(COLUMNS).map(({ byte }) => byte))

/** Checks in every commit that no key of an immutable column gets another value. */
class GuardedStore implements KeyValueStore {
  readonly #store = new MemoryStore()
  readonly rewritten: string[] = []
  readonly reads: number[] = []

  get(key: Uint8Array): Uint8Array | undefined {
    this.reads.push(key[0] as number)
    return this.#store.get(key)
  }

  getMany(wanted: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    for (const key of wanted) this.reads.push(key[0] as number)
    return this.#store.getMany(wanted)
  }

  range(options: Parameters<MemoryStore['range']>[0]): ReturnType<MemoryStore['range']> {
    return this.#store.range(options)
  }

  commit(batch: readonly Mutation[]): void {
    for (const { key, value } of batch) {
      const column = key[0] as number
      expect(KNOWN.has(column), `column ${column}`).toBe(true)
      if (!IMMUTABLE.has(column) || value === undefined) continue
      const before = this.#store.get(key)
      if (before !== undefined && !equalBytes(before, value)) this.rewritten.push(bytesToHex(key))
    }
    this.#store.commit(batch)
  }

  close(): void {
    this.#store.close()
  }
}

const MULTI_CHAIN = recordedPath('ethereum-tests', 'BlockchainTests', 'v6', 'bcMultiChainTest')
const FRONTIER = recordedChainNamed('besu/frontier')

describe('columns', () => {
  it('have one byte each', () => {
    const bytes = Object.values(COLUMNS).map(({ byte }) => byte)
    expect(new Set(bytes).size).toBe(bytes.length)
  })
})

describe('a key in an immutable column', () => {
  it('never changes under competing branches', async () => {
    for (const [, test] of readTests(MULTI_CHAIN)) {
      const kv = new GuardedStore()
      const genesisBlock = decodeBlock(hexToBytes(test.genesisRLP))
      const chain = await openTestChain({
        config: networkConfig(test.network),
        genesis: { alloc: allocOf(test.pre), text: '{}', block: () => genesisBlock },
        kv,
      })
      for (const block of test.blocks.filter((block) => !mustFail(block, test.network))) {
        await chain.import(decodeBlock(hexToBytes(block.rlp)), { verifySeal: false })
      }
      expect(kv.rewritten).toEqual([])
    }
  })

  it('never changes when blocks are imported again', async () => {
    const kv = new GuardedStore()
    const chain = await openRecorded(FRONTIER, { kv })
    await importFile(chain, [blockFile(FRONTIER)], { verifySeal: false })
    await chain.setHead(chain.genesis.hash)
    await importFile(chain, [blockFile(FRONTIER)], { verifySeal: false })
    await chain.replayBlock(20)
    expect(kv.rewritten).toEqual([])
  })

  it('never changes on the dev chain, through amendments, checkpoints and blocks that are sealed again', async () => {
    const kv = new GuardedStore()
    const chain = await openDevChain({ kv })
    const seal = async (nonce: number) =>
      sealBlocks(chain, [{ transactions: [plannedOf(await signed(ALICE, { nonce, value: 5n }))] }, {}])
    await seal(0)
    const checkpoint = await devWriter(chain).checkpoint()
    await devWriter(chain).amendHead((state) => state.setBalance(hexToBytes(BOB.address), 7n))
    await seal(1)
    await devWriter(chain).restore(checkpoint)
    await seal(1)
    const head = chain.head.hash
    await devWriter(chain).restore(checkpoint)
    await seal(1)
    expect(chain.head.hash).toEqual(head)
    await devWriter(chain).restore(undefined)
    expect(kv.rewritten).toEqual([])
  })
})

describe('the dev amendment of a block', () => {
  const amendmentReads = (kv: GuardedStore, read: () => void): number => {
    kv.reads.length = 0
    read()
    return kv.reads.filter((column) => column === COLUMNS.devAmendment.byte).length
  }
  const readAll = (chain: Chain, head: number) => {
    for (let number = 0; number <= head; number++) chain.headerByNumber(number)
  }

  it('is read only if the block record declares one', async () => {
    const kv = new GuardedStore()
    const chain = await openDevChain({ kv })
    await sealBlocks(chain, [{}, {}, {}])
    const unchanged = await openDevChain({ kv })
    expect(amendmentReads(kv, () => readAll(unchanged, 3))).toBe(0)
    const checkpoint = await devWriter(chain).checkpoint()
    await devWriter(chain).amendHead((state) => state.setBalance(hexToBytes(BOB.address), 7n))
    await sealBlocks(chain, [{}])
    const amended = await openDevChain({ kv })
    expect(amendmentReads(kv, () => readAll(amended, 4))).toBe(1)
    expect(amended.headerByNumber(3)?.stateRoot.hash).toEqual(chain.headerByNumber(3)?.stateRoot.hash)
    await devWriter(chain).restore(checkpoint)
    const restored = await openDevChain({ kv })
    expect(amendmentReads(kv, () => readAll(restored, 3))).toBe(0)
    expect(restored.head.stateRoot.hash).toEqual(restored.head.header.stateRoot)
  })

  it('is an error if the record declares one that is not stored', async () => {
    const kv = new GuardedStore()
    const chain = await openDevChain({ kv })
    await sealBlocks(chain, [{}])
    await devWriter(chain).amendHead((state) => state.setBalance(hexToBytes(BOB.address), 7n))
    const { hash } = chain.head
    kv.commit([{ key: keys.devAmendment(1, hash), value: undefined }])
    await expect(openDevChain({ kv })).rejects.toMatchObject({ code: 'STORE_DAMAGED' })
  })
})

describe('parts of a block that are not stored', () => {
  it('are errors, and empty only if the header says so', async () => {
    const kv = new GuardedStore()
    const chain = await openDevChain({ kv })
    const transfer = plannedOf(await signed(ALICE, { nonce: 0, value: 5n }))
    await sealBlocks(chain, [{ transactions: [transfer] }, {}])
    const [filled, empty] = [chain.canonicalHash(1), chain.canonicalHash(2)]
    if (filled === undefined || empty === undefined) throw new Error('blocks are missing')
    for (const key of [keys.receipts(1, filled), keys.senders(1, filled), keys.body(1, filled)]) {
      kv.commit([{ key, value: undefined }])
    }
    const again = await openDevChain({ kv })
    const missing = (part: string) =>
      expect.objectContaining({
        code: 'BLOCK_DATA_MISSING',
        details: { code: 'BLOCK_DATA_MISSING', part, number: 1 },
      })
    expect(() => again.receipts(filled)).toThrow(missing('receipts'))
    expect(() => again.senders(filled)).toThrow(missing('senders'))
    expect(() => again.transactionHashes(filled)).toThrow(missing('senders'))
    expect(() => again.body(filled)).toThrow(missing('body'))
    expect(() => again.blockRlp(filled)).toThrow(missing('body'))
    expect(() => again.storedLogs([1])).toThrow(missing('receipts'))
    expect([again.receipts(empty), again.senders(empty), again.storedLogs([2])]).toEqual([[], [], [undefined]])
    await expect(again.setHead(again.genesis.hash)).rejects.toEqual(missing('senders'))
    expect(again.receipts(new Uint8Array(32))).toBeUndefined()
  })
})
