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

/** Accounts or slots that are hashed between two pauses. */
const PIECE = 1024

/** Columns of the entries in slices. */
const COLUMNS = [
  Column.trieNode,
  Column.code,
  Column.preimage,
  Column.flatAccount,
  Column.flatStorage,
  Column.flatIncarnation,
]

/**
 * Called between parts of long work: yields, and throws when the node stops.
 * @param fraction completed part of the whole, 0 to 1; undefined: unknown
 */
export type Pause = (fraction?: number) => Promise<void>

/** Deletes what an interrupted start has left in a store without a chain. */
export async function removeSlices({ kv, residency, pause }: Omit<SliceDeps, 'states'>): Promise<void> {
  for (const column of COLUMNS) {
    const range = { prefix: Uint8Array.of(column), limit: LOAD_SLICE_KEYS }
    for (let length = LOAD_SLICE_KEYS; length === LOAD_SLICE_KEYS; ) {
      const entries = await retryMisses(() => [...kv.range(range)], residency)
      length = entries.length
      await kv.commit(entries.map(([key]) => ({ key, value: undefined })))
      await pause?.()
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
  readonly pause?: Pause | undefined
}

/**
 * @param sliceKeys accounts and slots of a slice
 * @returns the state; later ones have higher versions
 * @throws what `pause` throws; the next start then has to remove the slices
 */
export async function writeSlices(
  { kv, states, residency, pause = noPause }: SliceDeps,
  alloc: GenesisAlloc,
  sliceKeys: number = LOAD_SLICE_KEYS,
): Promise<StateRoot> {
  await kv.commit([slicesMark(true)])
  let root = EMPTY_STATE_ROOT
  let version = 0
  const accounts = await inOrder(alloc, ({ address }) => address, pause)
  for await (const { slice, fraction } of slicesOf(accounts, sliceKeys, pause)) {
    const stage = new StagedStore(kv)
    const before = root
    root = await retryMisses(() => {
      const state = states.mutable(before, stage)
      for (const part of slice) apply(state, part)
      return state.persist({ version, stage })
    }, residency)
    await kv.commit(stage.mutations())
    await pause(fraction)
    version++
  }
  return root
}

const noPause: Pause = () => Promise.resolve()

interface Slice {
  readonly slice: readonly Part[]
  /** Part of the accounts up to the end of the slice. */
  readonly fraction: number
}

/** @param accounts in the order of the trie: each slice then changes few nodes of those before */
async function* slicesOf(
  accounts: readonly GenesisAccount[],
  sliceKeys: number,
  pause: Pause,
): AsyncGenerator<Slice, void, undefined> {
  let slice: Part[] = []
  let [entries, bytes] = [0, 0]
  for (const [index, account] of accounts.entries()) {
    const { storage } = account
    const slots = storage === undefined ? [] : await inOrder(storage, ([slot]) => slot, pause)
    for (let at = 0; at === 0 || at < slots.length; ) {
      const count = Math.max(1, sliceKeys - entries)
      slice.push({ account, isFirst: at === 0, slots: slots.slice(at, at + count) })
      if (at === 0) bytes += account.code?.length ?? 0
      entries += 1 + Math.min(count, slots.length - at)
      at += count
      if (entries < sliceKeys && bytes < GENESIS_SLICE_BYTES) continue
      yield { slice, fraction: index / accounts.length }
      slice = []
      entries = 0
      bytes = 0
    }
  }
  if (slice.length > 0) yield { slice, fraction: 1 }
}

/** In the order of the hashes. */
async function inOrder<T>(items: Iterable<T>, keyOf: (item: T) => Uint8Array, pause: Pause): Promise<readonly T[]> {
  const hashed: Hashed<T>[] = []
  for (const item of items) {
    hashed.push({ item, hash: new Uint8Array(keccak256(keyOf(item))) })
    if (hashed.length % PIECE === 0) await pause()
  }
  const ordered: T[] = []
  for (const part of hashed.length <= PIECE ? [hashed] : byFirstByte(hashed)) {
    part.sort((a, b) => compareBytes(a.hash, b.hash))
    for (const { item } of part) ordered.push(item)
    if (hashed.length > PIECE) await pause()
  }
  return ordered
}

interface Hashed<T> {
  readonly item: T
  readonly hash: Uint8Array
}

/** Lists that are sorted one after the other. */
function byFirstByte<T>(hashed: readonly Hashed<T>[]): readonly Hashed<T>[][] {
  const parts: Hashed<T>[][] = Array.from({ length: 256 }, () => [])
  for (const one of hashed) parts[one.hash[0] as number]?.push(one)
  return parts
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
