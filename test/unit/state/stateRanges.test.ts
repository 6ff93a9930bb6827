import { describe, expect, it } from 'vitest'
import { bytesToHex, compareBytes } from '../../../src/base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT, keccak256 } from '../../../src/base/primitives/keccak.ts'
import { rlpEncode } from '../../../src/base/primitives/rlp.ts'
import { decodeAccount } from '../../../src/state/account.ts'
import type { StateRoot } from '../../../src/state/contract.ts'
import { rebuildFlatView } from '../../../src/state/flatRebuild.ts'
import { genesisState } from '../../../src/state/genesisState.ts'
import { type HashedEntries, RangeSource } from '../../../src/state/stateRanges.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Column } from '../../../src/storage/schema.ts'
import { StagedStore } from '../../../src/storage/stagedStore.ts'
import { verifyProof } from '../../../src/trie/verifyProof.ts'
import { LossyReader, retryMisses } from '../../support/chains/lossyReader.ts'

const ADDRESSES = Array.from({ length: 100 }, (_, i) => new Uint8Array(20).fill(i + 1))
const CONTRACT = ADDRESSES[7] as Uint8Array
const word = (n: number) => Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? n : 0))
const SLOTS = Array.from({ length: 50 }, (_, i) => word(i + 1))
const CACHE_BYTES = 100_000
const ROOT_PATH = Uint8Array.of(0)
const sortedHashes = (keys: readonly Uint8Array[]) => keys.map((key) => keccak256(key)).sort(compareBytes)
const keysOf = (entries: HashedEntries | undefined, start?: Uint8Array) =>
  [...(entries?.from(start) ?? [])].map(({ key }) => key)

function storedState(version?: number): { readonly kv: MemoryStore; readonly root: StateRoot } {
  const kv = new MemoryStore()
  const stage = new StagedStore(kv)
  const root = genesisState(
    stage,
    ADDRESSES.map((address, i) => ({
      address,
      balance: BigInt(i + 1),
      storage: address === CONTRACT ? SLOTS.map((slot) => [slot, slot] as const) : [],
    })),
    version,
  )
  kv.commit(stage.mutations())
  return { kv, root }
}

function contentOf(kv: MemoryStore, column: number): string[] {
  return Array.from(kv.range({ prefix: Uint8Array.of(column) }), ([key, value]) => bytesToHex(key) + bytesToHex(value))
}

function deleteColumn(kv: MemoryStore, column: number): void {
  const keys = Array.from(kv.range({ prefix: Uint8Array.of(column) }), ([key]) => key)
  kv.commit(keys.map((key) => ({ key, value: undefined })))
}

describe('state ranges', () => {
  it('hold accounts and slots in the order of their hashes', () => {
    const { kv, root } = storedState()
    for (const ranges of [new RangeSource(kv, CACHE_BYTES).at(root), new StateStore(kv).ranges(root)]) {
      const hashes = sortedHashes(ADDRESSES)
      expect(keysOf(ranges.accounts)).toEqual(hashes)
      expect(keysOf(ranges.accounts, hashes[60])).toEqual(hashes.slice(60))
      expect(keysOf(ranges.slots(keccak256(CONTRACT)))).toEqual(sortedHashes(SLOTS))
      expect(ranges.slots(keccak256(ADDRESSES[0] as Uint8Array))?.isEmpty).toBe(true)
      expect(ranges.slots(keccak256(new Uint8Array(20)))).toBeUndefined()
    }
  })

  it('prove keys and give single nodes, over a store that is not resident too', () => {
    const { kv, root } = storedState()
    const lossy = new LossyReader(kv)
    const ranges = new RangeSource(lossy, CACHE_BYTES).at(root)
    const owner = keccak256(CONTRACT)
    const account = verifyProof(
      root.hash,
      owner,
      retryMisses(() => ranges.accounts.prove(owner)),
    )
    const { storageRoot } = decodeAccount(account as Uint8Array, 0)
    const slot = keccak256(word(5))
    const proof = retryMisses(() => ranges.slots(owner)?.prove(slot))
    expect(verifyProof(storageRoot, slot, proof ?? [])).toEqual(rlpEncode(Uint8Array.of(5)))
    expect(ranges.slots(owner)?.node(ROOT_PATH)).toEqual(proof?.[0])
    expect(keccak256(ranges.accounts.node(ROOT_PATH) as Uint8Array)).toEqual(root.hash)
    expect(lossy.misses).toBeGreaterThan(2)
  })

  it('of the empty state hold nothing', () => {
    const { accounts } = new RangeSource(new MemoryStore(), CACHE_BYTES).at({ hash: EMPTY_TRIE_ROOT, version: 0 })
    expect(accounts.isEmpty).toBe(true)
    expect(keysOf(accounts)).toEqual([])
  })
})

describe('the rebuild of the flat view', () => {
  it.each([0, 7])('restores every account and slot without preimages, incarnation %i', async (incarnation) => {
    const { kv, root } = storedState(incarnation)
    const columns = [Column.flatAccount, Column.flatStorage, Column.flatIncarnation]
    const before = columns.map((column) => contentOf(kv, column))
    expect(before.map(({ length }) => length)).toEqual([
      ADDRESSES.length,
      ...(incarnation === 0 ? [SLOTS.length, 0] : [0, SLOTS.length]),
    ])
    for (const column of [...columns, Column.preimage]) deleteColumn(kv, column)
    const states = new StateStore(kv)
    await rebuildFlatView({ kv, states, residency: undefined, slicer: undefined }, { root, block: undefined })
    expect(columns.map((column) => contentOf(kv, column))).toEqual(before)
  })
})
