// slow: a contract with 50,000 slots
import type { Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { MAX_ERASED_SLOTS } from '../../../src/base/limits/pruningLimits.ts'
import type { Mutation } from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHex, concatBytes, hexToBytes, uintBytes } from '../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import type { Chain } from '../../../src/chain/chain.ts'
import type { ChainHeader } from '../../../src/chain/contract.ts'
import { DEFAULT_PREDEPLOYS } from '../../../src/config/predeploys.ts'
import { requireState } from '../../../src/state/errors.ts'
import { isSameRoot, readFlatPosition } from '../../../src/state/stateContext.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Column, keys } from '../../../src/storage/schema.ts'
import { verifyProof } from '../../../src/trie/verifyProof.ts'
import { decodeBlock } from '../../../src/types/blockCodec.ts'
import { flatEntries } from '../../support/chains/flatEntries.ts'
import { devWriter } from '../../support/chains/testChain.ts'
import { CREATION, DESTRUCTIBLE, DESTRUCTIBLE_CODE } from '../../support/evm/destructible.ts'
import {
  ALICE,
  openDevChain,
  type PlannedBlock,
  planBlock,
  plannedOf,
  sealBlocks,
  signed,
} from '../../support/nodes/devChain.ts'

const SLOTS = 300
const MANY_SLOTS = 50_000
const ADDRESS = hexToBytes(DESTRUCTIBLE)
const OWNER = bytesToHex(keccak256(ADDRESS))
const word = (number: number): Uint8Array => uintBytes(number, 32)

/** Counts the keys of each batch, and may fail at a large one like a process that is killed. */
class ObservedStore extends MemoryStore {
  readonly batches: number[] = []
  largeBatchesLeft = Number.POSITIVE_INFINITY

  override commit(batch: readonly Mutation[]): void {
    if (batch.length >= MAX_ERASED_SLOTS && this.largeBatchesLeft-- <= 0) throw new Error('killed')
    this.batches.push(batch.length)
    super.commit(batch)
  }
}

/** A chain with Shanghai rules whose genesis block has the contract with its slots. */
function openShanghaiChain(kv: ObservedStore, slots: number): Promise<Chain> {
  const storage = Object.fromEntries(
    Array.from({ length: slots }, (_, i) => [bytesToHex(word(i)), bytesToHex(word(i + 1))]),
  )
  const contract = { address: DESTRUCTIBLE, code: DESTRUCTIBLE_CODE, storage }
  return openDevChain({ kv }, { fork: 'SHANGHAI', predeploys: [...DEFAULT_PREDEPLOYS, contract] })
}

async function call(nonce: number, data: Uint8Array, to: string = DESTRUCTIBLE): Promise<PlannedBlock> {
  const raw = await signed(ALICE, { nonce, to: to as Hex, data: bytesToHex(data) as Hex, gas: 1_000_000n })
  return { transactions: [plannedOf(raw)] }
}

const destruction = (nonce: number): Promise<PlannedBlock> => call(nonce, new Uint8Array(0))
const creation = (nonce: number): Promise<PlannedBlock> => call(nonce, CREATION.data, CREATION.to)
const write = (nonce: number, slot: number, value: number): Promise<PlannedBlock> =>
  call(nonce, concatBytes(word(slot), word(value)))

async function seal(chain: Chain, plan: Promise<PlannedBlock>): Promise<ChainHeader> {
  const [block] = await sealBlocks(chain, [await plan])
  return block as ChainHeader
}

/** Values of slots at a block, each of which its proof confirms. */
function slotsAt(chain: Chain, block: ChainHeader, slots: readonly number[]): number[] {
  const state = chain.stateAt(block)
  const { account, accountProof, storageProof } = state.prove(ADDRESS, slots.map(word))
  const { hash } = requireState(block.stateRoot)
  expect(verifyProof(hash, keccak256(ADDRESS), [...accountProof]) === undefined).toBe(account === undefined)
  expect(state.getAccount(ADDRESS)).toEqual(account)
  return storageProof.map(({ slot, value, proof }) => {
    const proved = account === undefined ? undefined : verifyProof(account.storageRoot, keccak256(slot), [...proof])
    expect(proved === undefined).toBe(value.every((byte) => byte === 0))
    expect(state.getStorage(ADDRESS, slot)).toEqual(value)
    return Number(bytesToHex(value))
  })
}

function expectFlat(kv: MemoryStore, { stateRoot }: ChainHeader, slots: number): void {
  expect(isSameRoot(readFlatPosition(kv).root, requireState(stateRoot))).toBe(true)
  expect(flatEntries(kv).slots.filter(({ owner }) => owner === OWNER)).toHaveLength(slots)
}

const recordsIn = (kv: MemoryStore): number => [...kv.range({ prefix: Uint8Array.of(Column.erasedStorage) })].length

/** Adds empty blocks, most of which are derived: more than an erased storage is kept. */
async function addManyBlocks(chain: Chain): Promise<void> {
  await sealBlocks(
    chain,
    Array.from({ length: 200 }, () => ({})),
  )
  let planned = 0
  const { sealed } = await chain.sealRun(
    (head) => ({ plan: planBlock(head, {}), interval: 1n, count: 5000, nextGasLimit: (limit) => limit }),
    (head) => (planned++ === 0 ? planBlock(head, {}) : undefined),
  )
  expect(sealed).toHaveLength(1)
}

describe('a contract with many slots that is destroyed before Cancun', () => {
  it('changes a few entries, and comes back when the head goes back', async () => {
    const kv = new ObservedStore()
    const chain = await openShanghaiChain(kv, 0)
    const start = await devWriter(chain).amendHead((state) => {
      for (let i = 0; i < MANY_SLOTS; i++) state.setStorage(ADDRESS, word(i), word(i + 1))
    })
    kv.batches.length = 0
    const destroyed = await seal(chain, destruction(0))
    const created = await seal(chain, creation(1))
    expect(slotsAt(chain, created, [0, MANY_SLOTS - 1])).toEqual([0, 0])
    await chain.setHead(start.hash)
    expect(slotsAt(chain, start, [0, MANY_SLOTS - 1])).toEqual([1, MANY_SLOTS])
    expect(isSameRoot(readFlatPosition(kv).root, requireState(start.stateRoot))).toBe(true)
    await chain.setHead(destroyed.hash)
    expect(slotsAt(chain, destroyed, [0, MANY_SLOTS - 1])).toEqual([0, 0])
    expect(Math.max(...kv.batches)).toBeLessThan(50)
    expect(kv.get(keys.stateDiff(1, destroyed.hash))?.length).toBeLessThan(1000)
  })

  it('can be created again without slots, on a chain that is opened again and goes back and forth', async () => {
    const kv = new ObservedStore()
    let chain = await openShanghaiChain(kv, SLOTS)
    const { genesis } = chain
    const destroyed = await seal(chain, destruction(0))
    expect(chain.stateAt(destroyed).getAccount(ADDRESS)).toBeUndefined()
    expect(slotsAt(chain, destroyed, [0, 7, SLOTS - 1])).toEqual([0, 0, 0])
    expectFlat(kv, destroyed, 0)

    const created = await seal(chain, creation(1))
    expect(slotsAt(chain, created, [0, 7, SLOTS - 1])).toEqual([0, 0, 0])
    const written = await seal(chain, write(2, 7, 99))
    expect(slotsAt(chain, written, [0, 7])).toEqual([0, 99])
    expectFlat(kv, written, 1)
    const again = await seal(chain, destruction(3))
    const last = await seal(chain, creation(4))
    expect(slotsAt(chain, last, [0, 7])).toEqual([0, 0])

    chain = await openShanghaiChain(kv, SLOTS)
    for (const [block, slots, values] of [
      [written, 1, [0, 99]],
      [genesis, SLOTS, [1, 8]],
      [again, 0, [0, 0]],
      [written, 1, [0, 99]],
      [last, 0, [0, 0]],
    ] as const) {
      await chain.setHead(block.hash)
      expectFlat(kv, block, slots)
      expect(slotsAt(chain, block, [0, 7])).toEqual(values)
    }
  })

  it('leads to the same flat view on every way to a block', async () => {
    const source = await openShanghaiChain(new ObservedStore(), 50)
    for (const plan of [write(0, 3, 33), destruction(1), creation(2), write(3, 7, 99), write(4, 8, 1)]) {
      await seal(source, plan)
    }
    const contents: unknown[] = []
    for (const mayBecomeHead of [true, false]) {
      const kv = new ObservedStore()
      const chain = await openShanghaiChain(kv, 50)
      for (const rlp of source.exportBlocks({ startBlock: 1 })) {
        expect(await chain.import(decodeBlock(rlp), { mayBecomeHead })).toMatchObject({ kind: 'imported' })
      }
      if (!mayBecomeHead) await chain.setForkChoice({ head: source.head.hash })
      contents.push(flatEntries(kv))
      expect(slotsAt(chain, chain.head, [3, 7, 8])).toEqual([0, 99, 1])
    }
    expect(contents[1]).toEqual(contents[0])
  })
})

describe('a storage that is erased from outside on a dev chain', () => {
  it('comes back with the state of a checkpoint, whatever changes the same block has', async () => {
    const kv = new ObservedStore()
    const chain = await openShanghaiChain(kv, 5)
    const dev = devWriter(chain)
    await seal(chain, write(0, 1, 50))
    const set = (slot: number, value: number) =>
      dev.amendHead((state) => state.setStorage(ADDRESS, word(slot), word(value)))
    const expectSlots = (values: readonly number[]): void => {
      expect(slotsAt(chain, chain.head, [0, 1, 2, 9])).toEqual(values)
      expectFlat(kv, chain.head, chain.stateAt(chain.head).storage(ADDRESS, new Uint8Array(32), 100).length)
    }
    const written = await dev.checkpoint()
    await set(9, 90)
    const changed = await dev.checkpoint()
    await dev.amendHead((state) => state.clearStorage(ADDRESS))
    expectSlots([0, 0, 0, 0])
    await set(2, 20)
    const begun = await dev.checkpoint()
    await dev.amendHead((state) => state.deleteAccount(ADDRESS))
    const deleted = await dev.checkpoint()
    await set(9, 99)
    await set(9, 0)
    await set(1, 11)
    const last = await dev.checkpoint()
    for (const [point, values] of [
      [changed, [1, 50, 3, 90]],
      [last, [0, 11, 0, 0]],
      [begun, [0, 0, 20, 0]],
      [deleted, [0, 0, 0, 0]],
      [written, [1, 50, 3, 0]],
      [begun, [0, 0, 20, 0]],
      [undefined, [1, 2, 3, 0]],
      [last, [0, 11, 0, 0]],
    ] as const) {
      await dev.restore(point)
      expectSlots(values)
    }
  })
})

describe('the slots of an erased storage', () => {
  it('are deleted in the background, in limited batches, also after the node was killed', async () => {
    const slots = 5 * MAX_ERASED_SLOTS
    const kv = new ObservedStore()
    let chain = await openShanghaiChain(kv, slots)
    await seal(chain, destruction(0))
    await seal(chain, creation(1))
    const written = await seal(chain, write(2, 7, 99))
    expect(flatEntries(kv).erased).toHaveLength(slots)
    kv.batches.length = 0
    kv.largeBatchesLeft = 2
    await addManyBlocks(chain)
    await expect.poll(() => kv.largeBatchesLeft).toBeLessThan(0)
    await chain.close()
    expect(flatEntries(kv).erased).toHaveLength(slots - 2 * MAX_ERASED_SLOTS)

    kv.largeBatchesLeft = Number.POSITIVE_INFINITY
    chain = await openShanghaiChain(kv, slots)
    expect(slotsAt(chain, chain.head, [0, 7])).toEqual([0, 99])
    await sealBlocks(
      chain,
      Array.from({ length: 256 }, () => ({})),
    )
    await expect.poll(() => recordsIn(kv)).toBe(0)
    expect(flatEntries(kv).erased).toEqual([])
    expect(Math.max(...kv.batches)).toBeLessThan(MAX_ERASED_SLOTS + 50)
    expect(slotsAt(chain, chain.head, [0, 7])).toEqual([0, 99])

    // The flat view cannot go back any more: it is built again.
    await chain.setHead(chain.genesis.hash)
    expect(slotsAt(chain, chain.head, [0, 7])).toEqual([1, 8])
    await expect.poll(() => isSameRoot(readFlatPosition(kv).root, requireState(chain.head.stateRoot))).toBe(true)
    expectFlat(kv, chain.head, slots)
    await chain.setHead(written.hash)
    expectFlat(kv, written, 1)
    expect(slotsAt(chain, written, [0, 7])).toEqual([0, 99])
  })
})
