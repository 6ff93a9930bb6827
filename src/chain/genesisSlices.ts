/**
 * Writes the state of a large genesis block in slices, so that memory does not depend on its size. Nothing refers to it until the
 * batch with the block; a mark shows that it is incomplete.
 * @module
 */
import { GENESIS_SLICE_BYTES, LOAD_SLICE_KEYS } from '../base/limits/limits.ts'
import type { KeyValueStore, Mutation, Residency } from '../base/ports/keyValueStore.ts'
import { compareBytes, isZeroBytes } from '../base/primitives/bytes.ts'
import { keccak256 } from '../base/primitives/keccak.ts'
import type { MutableState, StateRoot } from '../state/contract.ts'
import { EMPTY_STATE_ROOT } from '../state/emptyRoot.ts'
import type { GenesisAccount, GenesisAlloc } from '../state/genesisState.ts'
import type { StateStore } from '../state/stateStore.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import { Column, keys } from '../storage/schema.ts'
import { StagedStore } from '../storage/stagedStore.ts'

type Slot = readonly [slot: Uint8Array, value: Uint8Array]

/** A part of the state: an account with its first slots, or further slots of it. */
interface Part {
  readonly account: GenesisAccount
  readonly isFirst: boolean
  readonly slots: readonly Slot[]
}

/** Columns of the entries in slices. */
const COLUMNS = [
  Column.trieNode,
  Column.code,
  Column.preimage,
  Column.flatAccount,
  Column.flatStorage,
  Column.flatIncarnation,
]

/** Deletes what an interrupted start has left in a store without a chain. */
export async function removeSlices(kv: KeyValueStore, residency: Residency | undefined): Promise<void> {
  for (const column of COLUMNS) {
    const range = { prefix: Uint8Array.of(column), limit: LOAD_SLICE_KEYS }
    for (let length = LOAD_SLICE_KEYS; length === LOAD_SLICE_KEYS; ) {
      const entries = await retryMisses(() => [...kv.range(range)], residency)
      length = entries.length
      await kv.commit(entries.map(([key]) => ({ key, value: undefined })))
    }
  }
  await kv.commit([slicesMark(false), { key: keys.meta('flatRoot'), value: undefined }])
}

/** @param isSet to be removed in the batch with the genesis block */
export function slicesMark(isSet: boolean): Mutation {
  return { key: keys.meta('loading'), value: isSet ? Uint8Array.of(0) : undefined }
}

export interface SliceDeps {
  /** It has no chain. */
  readonly kv: KeyValueStore
  readonly states: StateStore
  readonly residency?: Residency | undefined
}

/**
 * @param sliceKeys accounts and slots of a slice
 * @returns the state; later ones have higher versions
 */
export async function writeSlices(
  { kv, states, residency }: SliceDeps,
  alloc: GenesisAlloc,
  sliceKeys: number = LOAD_SLICE_KEYS,
): Promise<StateRoot> {
  await kv.commit([slicesMark(true)])
  let root = EMPTY_STATE_ROOT
  let version = 0
  for (const slice of slicesOf(alloc, sliceKeys)) {
    const stage = new StagedStore(kv)
    const before = root
    root = await retryMisses(() => {
      const state = states.mutable(before, stage)
      for (const part of slice) apply(state, part)
      return state.persist({ version, stage })
    }, residency)
    await kv.commit(stage.mutations())
    version++
  }
  return root
}

/** In the order of the tries: each slice then changes few nodes of those before. */
function* slicesOf(alloc: GenesisAlloc, sliceKeys: number): Generator<readonly Part[], void, undefined> {
  let slice: Part[] = []
  let [entries, bytes] = [0, 0]
  for (const account of inOrder(alloc, ({ address }) => address)) {
    const slots = inOrder(account.storage ?? [], ([slot]) => slot)
    for (let at = 0; at === 0 || at < slots.length; ) {
      const count = Math.max(1, sliceKeys - entries)
      slice.push({ account, isFirst: at === 0, slots: slots.slice(at, at + count) })
      if (at === 0) bytes += account.code?.length ?? 0
      entries += 1 + Math.min(count, slots.length - at)
      at += count
      if (entries < sliceKeys && bytes < GENESIS_SLICE_BYTES) continue
      yield slice
      slice = []
      entries = 0
      bytes = 0
    }
  }
  if (slice.length > 0) yield slice
}

function inOrder<T>(items: Iterable<T>, keyOf: (item: T) => Uint8Array): T[] {
  const hashed = Array.from(items, (item) => ({ item, hash: new Uint8Array(keccak256(keyOf(item))) }))
  return hashed.sort((a, b) => compareBytes(a.hash, b.hash)).map(({ item }) => item)
}

function apply(state: MutableState, { account: { address, balance, nonce, code }, isFirst, slots }: Part): void {
  if (isFirst) {
    state.createAccount(address)
    state.setBalance(address, balance)
    if (nonce !== undefined) state.setNonce(address, nonce)
    if (code !== undefined) state.setCode(address, code)
  }
  for (const [slot, value] of slots) if (!isZeroBytes(value)) state.setStorage(address, slot, value)
}
