/**
 * The changes of a world state since its initial state.
 * @module
 */
import { MAX_KEPT_SLOTS } from '../base/limits/limits.ts'
import { EMPTY_BYTES, equalBytes } from '../base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../base/primitives/keccak.ts'
import type { Account } from '../evm/stateDb.ts'
import { REF } from '../trie/node.ts'
import { type AccountRecord, DELETED_ACCOUNT, encodeFlatAccount, encodeFlatSlot } from './account.ts'
import type { ChangedAccount } from './headAccounts.ts'
import { hashOf, type StateAccount } from './stateAccounts.ts'
import { type AccountChange, type LeftStorage, SLOTS_PER_PAUSE, type SlotChange } from './stateDiff.ts'
import type { StateSlots } from './stateSlots.ts'
import { incarnationAt, type StateTries } from './stateTries.ts'
import type { StateView } from './stateView.ts'

export interface ChangedState {
  readonly view: StateView
  readonly slots: StateSlots
}

export interface CommittedWork extends ChangedState {
  readonly tries: StateTries
  /** All accounts changed at any time. */
  readonly changed: readonly StateAccount[]
  /** Code set in this state. */
  newCode(codeHash: Uint8Array): Uint8Array | undefined
}

/** Receives a preimage for a new entry of a trie. */
export type PreimageSink = (hash: Uint8Array, preimage: Uint8Array) => void

/** The storage that an account lost as a whole. It takes no time to erase it, whatever its size. */
export function erasedStorage({ view }: ChangedState, account: StateAccount): LeftStorage | undefined {
  const { base } = account
  if (base === undefined || base.storageRoot === EMPTY_TRIE_ROOT) return undefined
  if (account.current !== undefined && account.generation === 0) return undefined
  return { owner: hashOf(account, view), incarnation: base.incarnation, isErased: true, slots: [] }
}

/**
 * @param changed those of its slots
 * @param onNew receives the preimage of a new account
 * @returns undefined when account and storage are unchanged
 */
export function changeOf(
  { view }: ChangedState,
  account: StateAccount,
  changed: readonly SlotChange[],
  onNew: PreimageSink,
): AccountChange | undefined {
  const { address, base } = account
  const before = base === undefined ? EMPTY_BYTES : encodeFlatAccount(base)
  const record = recordAfter(account, view)
  const after = record === undefined ? EMPTY_BYTES : encodeFlatAccount(record)
  if (changed.length === 0 && equalBytes(before, after)) return undefined
  const hash = hashOf(account, view)
  if (before.length === 0) onNew(hash, address)
  return { hash, before, after, slots: changed }
}

/** The account once the storage trie has been stored; undefined: deleted. */
function recordAfter(account: StateAccount, view: StateView): AccountRecord | undefined {
  const { base, current, fallsThrough } = account
  if (current === undefined) return view.base === undefined || base === undefined ? undefined : DELETED_ACCOUNT
  if (account.isAsInBase) return base
  const record = storedRecord(account, current)
  return fallsThrough ? { ...record, fromBase: 'slots' } : record
}

function storedRecord(account: StateAccount, { nonce, balance, codeHash }: Account): AccountRecord {
  const { base, generation, trie } = account
  if (trie !== undefined) {
    const storageVersion = trie.root?.kind === REF ? trie.root.version : 0
    const incarnation = storageVersion === 0 ? 0 : incarnationAt(account, storageVersion)
    return { nonce, balance, codeHash, storageRoot: trie.rootHash(), storageVersion, incarnation }
  }
  if (base === undefined || generation !== 0) {
    return { nonce, balance, codeHash, storageRoot: EMPTY_TRIE_ROOT, storageVersion: 0, incarnation: 0 }
  }
  const { storageRoot, storageVersion, incarnation } = base
  return { nonce, balance, codeHash, storageRoot, storageVersion, incarnation }
}

/** The account and its known slots after the changes. Of very many slots, none is listed. */
export function accountAfter({ slots, view }: ChangedState, account: StateAccount): ChangedAccount {
  const { address, generation } = account
  const isCleared = generation !== 0 || account.slots.length > MAX_KEPT_SLOTS
  const known = isCleared ? [] : account.slots.filter((id) => slots.generationOf(id) === 0 || slots.hasBase(id))
  return {
    address,
    record: recordAfter(account, view),
    isCleared,
    slots: known.map((id) => [slots.slotOf(id), slots.generationOf(id) === 0 ? slots.value(id) : slots.base(id)]),
  }
}

/**
 * Changes within the storage that the account has after them; an erased one counts as empty.
 * @param onNew receives the preimages of new slots
 */
export function* slotChanges(
  { slots }: ChangedState,
  account: StateAccount,
  onNew: PreimageSink,
): Generator<void, readonly SlotChange[]> {
  const { current, generation, fallsThrough } = account
  const changes: SlotChange[] = []
  if (current === undefined) return changes
  const isKept = generation === 0
  let read = 0
  for (const id of account.slots) {
    if (++read % SLOTS_PER_PAUSE === 0) yield
    const isSet = slots.generationOf(id) === generation
    if (fallsThrough && (!isSet || slots.hasValue(id, slots.base(id)))) continue
    const wasStored = isKept && slots.hasBase(id) && (!fallsThrough || slots.isStored(id) === true)
    const before = wasStored ? encodeFlatSlot(slots.base(id), fallsThrough) : EMPTY_BYTES
    const after = isSet ? encodeFlatSlot(slots.value(id), fallsThrough) : before
    if (equalBytes(before, after)) continue
    const hash = slots.hashOf(id)
    if (before.length === 0) onNew(hash, slots.slotOf(id))
    changes.push({ hash, before, after })
  }
  return changes
}
