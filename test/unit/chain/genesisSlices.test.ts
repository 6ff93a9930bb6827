import { describe, expect, it } from 'vitest'
import { GENESIS_SLICE_BYTES } from '../../../src/base/limits/limits.ts'
import type { Mutation } from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHex, uintBytes } from '../../../src/base/primitives/bytes.ts'
import { BlockStore } from '../../../src/chain/blockStore.ts'
import { type OpenedChain, openGenesis } from '../../../src/chain/genesis.ts'
import { writeSlices } from '../../../src/chain/genesisSlices.ts'
import { parseGenesis } from '../../../src/config/genesisFile.ts'
import { createSchedule } from '../../../src/consensus/createSchedule.ts'
import { type GenesisAccount, genesisState } from '../../../src/state/genesisState.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Column } from '../../../src/storage/schema.ts'
import { StagedStore } from '../../../src/storage/stagedStore.ts'
import { genesisBlock } from '../../../src/types/genesisHeader.ts'
import { flatEntries } from '../../support/chains/flatEntries.ts'

const ACCOUNTS = 500
const SLOTS = 300
const SLICE_KEYS = 100

const address = (number: number): Uint8Array => uintBytes(number, 20)
const word = (number: number): Uint8Array => uintBytes(number, 32)

function manyAccounts(): GenesisAccount[] {
  const storage = Array.from({ length: SLOTS }, (_, slot) => [word(slot), word(slot)] as const)
  const token = { address: address(0x777), balance: 1n, nonce: 1n, code: Uint8Array.of(0x60, 1), storage }
  return [...Array.from({ length: ACCOUNTS }, (_, i) => ({ address: address(i + 1), balance: 5n })), token]
}

/** Fails instead of a commit. */
class FailingStore extends MemoryStore {
  readonly batches: number[] = []
  failsAt = Number.POSITIVE_INFINITY

  override commit(mutations: readonly Mutation[]): void {
    if (this.batches.length >= this.failsAt) throw new Error('the disk is full')
    this.batches.push(mutations.length)
    super.commit(mutations)
  }
}

/** The state in one batch. */
function whole(alloc: readonly GenesisAccount[]) {
  const kv = new MemoryStore()
  const stage = new StagedStore(kv)
  const root = genesisState(stage, alloc)
  kv.commit(stage.mutations())
  return { kv, root }
}

const keysOf = (kv: MemoryStore, column: number): string[] =>
  [...kv.range({ prefix: Uint8Array.of(column) })].map(([key]) => bytesToHex(key))

describe('slices of a state', () => {
  it('give the state of all accounts and slots', async () => {
    const kv = new FailingStore()
    const alloc = manyAccounts()
    const root = await writeSlices({ kv, states: new StateStore(kv) }, alloc, SLICE_KEYS)
    expect(bytesToHex(root.hash)).toBe(bytesToHex(whole(alloc).root.hash))
    const state = new StateStore(kv).reader(root)
    for (const { address: account, balance, nonce = 0n } of alloc) {
      expect(state.getAccount(account)).toMatchObject({ balance, nonce })
    }
    for (let slot = 0; slot < SLOTS; slot++) expect(state.getStorage(address(0x777), word(slot))).toEqual(word(slot))
    expect(state.getCode(address(0x777))).toEqual(Uint8Array.of(0x60, 1))
    expect(kv.batches.length).toBeGreaterThanOrEqual((ACCOUNTS + SLOTS) / SLICE_KEYS)
  })

  it('are bounded, and store few trie nodes more than one batch', async () => {
    const kv = new FailingStore()
    const alloc = manyAccounts()
    await writeSlices({ kv, states: new StateStore(kv) }, alloc, SLICE_KEYS)
    expect(Math.max(...kv.batches)).toBeLessThan(6 * SLICE_KEYS)
    const nodes = keysOf(whole(alloc).kv, Column.trieNode).length
    expect(keysOf(kv, Column.trieNode).length).toBeLessThan(1.1 * nodes)
    for (const column of [Column.flatAccount, Column.preimage, Column.code]) {
      expect(keysOf(kv, column)).toEqual(keysOf(whole(alloc).kv, column))
    }
    // A storage that is written in slices has the incarnation of the first one.
    const slots = (store: MemoryStore) => flatEntries(store).slots.map(({ owner, slot, value }) => [owner, slot, value])
    expect(slots(kv)).toEqual(slots(whole(alloc).kv))
  })
})

describe('a genesis block with much code', () => {
  const json = { config: { ethash: {} }, difficulty: '0x1', gasLimit: '0x1000000' }
  const genesis = parseGenesis(json)
  const text = JSON.stringify(json)
  const large = (balance: bigint): GenesisAccount[] =>
    [1, 2, 3].map((i) => ({
      address: address(i),
      balance,
      code: new Uint8Array(GENESIS_SLICE_BYTES / 2 + 1).fill(i),
      storage: [[word(i), word(i)]],
    }))

  function open(kv: MemoryStore, alloc: readonly GenesisAccount[]): Promise<OpenedChain> {
    const modules = {
      config: genesis.config,
      consensus: createSchedule(genesis.config),
      states: new StateStore(kv),
    }
    const chain = { alloc, text, block: (root: Uint8Array) => genesisBlock(genesis, root) }
    return openGenesis(kv, new BlockStore(kv), chain, modules)
  }

  it('is written in slices, and opened again', async () => {
    const kv = new FailingStore()
    const { pointers } = await open(kv, large(5n))
    expect(kv.batches.length).toBeGreaterThan(2)
    expect(bytesToHex(pointers.head.header.stateRoot)).toBe(bytesToHex(whole(large(5n)).root.hash))
    const again = await open(kv, large(5n))
    expect(bytesToHex(again.pointers.head.hash)).toBe(bytesToHex(pointers.head.hash))
  })

  it.each([1, 2, 3])(
    'that fails at batch %i leaves nothing to the next one, even of another chain',
    async (failsAt) => {
      const kv = new FailingStore()
      kv.failsAt = failsAt
      await expect(open(kv, large(5n))).rejects.toThrow('the disk is full')
      kv.failsAt = Number.POSITIVE_INFINITY
      const other = [{ address: address(9), balance: 6n }]
      await open(kv, other)
      const fresh = new MemoryStore()
      await open(fresh, other)
      const entries = (store: MemoryStore) => [...store.range({ prefix: new Uint8Array(0) })]
      expect(entries(kv)).toEqual(entries(fresh))
    },
  )
})
