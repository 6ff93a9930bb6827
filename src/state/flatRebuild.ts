/**
 * Builds the flat view again from the trie, in slices. Until it is complete, its position matches no state, so all
 * reads walk the trie. If the work is interrupted, it begins
 * again at the next start.
 * @module
 */
import { FLAT_SLICE_KEYS } from '../base/limits/limits.ts'
import type { KeyValueStore, Mutation, Residency } from '../base/ports/keyValueStore.ts'
import type { TimeSlicer } from '../base/ports/yieldToHost.ts'
import { equalBytes } from '../base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../base/primitives/keccak.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import { Column, keys } from '../storage/schema.ts'
import { StagedStore } from '../storage/stagedStore.ts'
import { accountOfLeaf, encodeFlatAccount, flatSlotOf } from './account.ts'
import type { StateRoot } from './contract.ts'
import { hashedAccountPages, hashedStoragePages } from './pages.ts'
import type { FlatPosition } from './stateDiff.ts'
import type { StateRanges } from './stateRanges.ts'
import type { StateStore } from './stateStore.ts'

export interface FlatRebuild {
  readonly kv: KeyValueStore
  readonly states: StateStore
  readonly residency: Residency | undefined
  readonly slicer: TimeSlicer | undefined
}

interface FlatFill extends FlatRebuild {
  commit(mutations: readonly Mutation[]): void | Promise<void>
}

/** @param target state of the head, and its block if it has a diff */
export async function rebuildFlatView(work: FlatRebuild, target: FlatPosition): Promise<void> {
  const { kv, states } = work
  await fillFlatView({ ...work, commit: (mutations) => kv.commit(mutations) }, target.root)
  const stage = new StagedStore(kv)
  states.setFlat(stage, target)
  await kv.commit(stage.mutations())
}

/** Replaces the entries of a flat view without a position by those of a state, in several commits. */
export async function fillFlatView(work: FlatFill, root: StateRoot): Promise<void> {
  await clear(work, Column.flatAccount)
  await clear(work, Column.flatStorage)
  await clear(work, Column.flatIncarnation)
  // The slots of erased storages are deleted with the others.
  await clear(work, Column.erasedStorage)
  await fill(work, work.states.ranges(root))
}

async function clear({ kv, residency, slicer, commit }: FlatFill, column: number): Promise<void> {
  const prefix = Uint8Array.of(column)
  for (;;) {
    const found = await retryMisses(() => [...kv.range({ prefix, limit: FLAT_SLICE_KEYS })], residency)
    if (found.length > 0) await commit(found.map(([key]) => ({ key, value: undefined })))
    if (found.length < FLAT_SLICE_KEYS) return
    if (slicer?.isDue) await slicer.yield()
  }
}

async function fill({ residency, slicer, commit }: FlatFill, state: StateRanges): Promise<void> {
  let batch: Mutation[] = []
  const add = async (key: Uint8Array, value: Uint8Array): Promise<void> => {
    batch.push({ key, value })
    if (batch.length < FLAT_SLICE_KEYS) return
    const full = batch
    batch = []
    await commit(full)
  }
  for await (const page of hashedAccountPages(state, residency)) {
    for (const entry of page) {
      const { key: owner } = entry
      const account = accountOfLeaf(entry)
      await add(keys.flatAccount(owner), encodeFlatAccount(account))
      if (equalBytes(account.storageRoot, EMPTY_TRIE_ROOT)) continue
      const addSlot = (slot: Uint8Array, value: Uint8Array): Promise<void> =>
        add(keys.flatStorage(owner, account.incarnation, slot), value)
      await fillStorage(state, owner, residency, addSlot)
    }
    if (slicer?.isDue) await slicer.yield()
  }
  if (batch.length > 0) await commit(batch)
}

async function fillStorage(
  state: StateRanges,
  owner: Uint8Array,
  residency: Residency | undefined,
  add: (slotHash: Uint8Array, value: Uint8Array) => Promise<void>,
): Promise<void> {
  for await (const slots of hashedStoragePages(state, owner, residency)) {
    for (const { key, value } of slots) await add(key, flatSlotOf(value))
  }
}
