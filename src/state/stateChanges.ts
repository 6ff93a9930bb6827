/**
 * The changes of a world state since its initial state.
 * @module
 */
import {
  bytesToHexUnprefixed,
  EMPTY_BYTES,
  equalBytes,
  hexToBytes,
  trimLeadingZeros,
} from '../base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../base/primitives/keccak.ts'
import { REF } from '../trie/node.ts'
import { type AccountRecord, decodeSlot, encodeFlatAccount } from './account.ts'
import type { ChangedAccount } from './headAccounts.ts'
import type { StateAccount } from './stateAccounts.ts'
import type { AccountChange, SlotChange } from './stateDiff.ts'
import type { StateSlots } from './stateSlots.ts'
import { hashOf } from './stateTries.ts'
import type { StateView } from './stateView.ts'

/** keccak256(slot) in hex → value without leading zeros: the storage that an account lost as a whole. */
export type ErasedSlots = ReadonlyMap<string, Uint8Array>

export interface ChangedState {
  readonly view: StateView
  readonly slots: StateSlots
}

/** Receives a preimage for a new entry of a trie. */
export type PreimageSink = (hash: Uint8Array, preimage: Uint8Array) => void

/** All slots of an account whose storage was cleared. */
export function erasedSlots(view: StateView, account: StateAccount): ErasedSlots | undefined {
  const { base } = account
  if (base === undefined || base.storageRoot === EMPTY_TRIE_ROOT) return undefined
  if (account.current !== undefined && account.generation === 0) return undefined
  const erased = new Map<string, Uint8Array>()
  for (const { key, value } of view.storageTrie(hashOf(account, view)).leaves()) {
    erased.set(bytesToHexUnprefixed(key), trimLeadingZeros(decodeSlot(value)))
  }
  return erased
}

/**
 * @param onNew receives the preimages of a new account and of new slots
 * @returns undefined when account and storage are unchanged
 */
export function changeOf(
  { slots, view }: ChangedState,
  account: StateAccount,
  erased: ErasedSlots | undefined,
  onNew: PreimageSink,
): AccountChange | undefined {
  const { address, base } = account
  const before = base === undefined ? EMPTY_BYTES : encodeFlatAccount(base)
  const record = recordAfter(account)
  const after = record === undefined ? EMPTY_BYTES : encodeFlatAccount(record)
  const changed =
    erased === undefined ? writtenSlots(slots, account, onNew) : replacedSlots(slots, account, erased, onNew)
  if (changed.length === 0 && equalBytes(before, after)) return undefined
  const hash = hashOf(account, view)
  if (before.length === 0) onNew(hash, address)
  return { hash, before, after, slots: changed }
}

/** The account once the storage trie has been stored; undefined: deleted. */
function recordAfter({ base, current, generation, trie }: StateAccount): AccountRecord | undefined {
  if (current === undefined) return undefined
  const { nonce, balance, codeHash } = current
  if (trie !== undefined) {
    const storageVersion = trie.root?.kind === REF ? trie.root.version : 0
    return { nonce, balance, codeHash, storageRoot: trie.rootHash(), storageVersion }
  }
  if (base === undefined || generation !== 0) {
    return { nonce, balance, codeHash, storageRoot: EMPTY_TRIE_ROOT, storageVersion: 0 }
  }
  const { storageRoot, storageVersion } = base
  return { nonce, balance, codeHash, storageRoot, storageVersion }
}

/** The account and its known slots after the changes. */
export function accountAfter(slots: StateSlots, account: StateAccount): ChangedAccount {
  const { address, generation } = account
  const isCleared = generation !== 0
  const known = isCleared ? [] : account.slots.filter((id) => slots.generationOf(id) === 0 || slots.hasBase(id))
  return {
    address,
    record: recordAfter(account),
    isCleared,
    slots: known.map((id) => [slots.slotOf(id), slots.generationOf(id) === 0 ? slots.value(id) : slots.base(id)]),
  }
}

function writtenSlots(slots: StateSlots, account: StateAccount, onNew: PreimageSink): SlotChange[] {
  const changes: SlotChange[] = []
  for (const id of account.slots) {
    const before = slots.hasBase(id) ? trimLeadingZeros(slots.base(id)) : EMPTY_BYTES
    const after = slotAfter(slots, account, id) ?? before
    if (equalBytes(before, after)) continue
    const hash = slots.hashOf(id)
    if (before.length === 0) onNew(hash, slots.slotOf(id))
    changes.push({ hash, before, after })
  }
  return changes
}

function replacedSlots(
  slots: StateSlots,
  account: StateAccount,
  erased: ErasedSlots,
  onNew: PreimageSink,
): SlotChange[] {
  const left = new Map(erased)
  const changes: SlotChange[] = []
  for (const id of account.slots) {
    const hash = slots.hashOf(id)
    const name = bytesToHexUnprefixed(hash)
    const before = left.get(name) ?? EMPTY_BYTES
    left.delete(name)
    const after = slotAfter(slots, account, id) ?? before
    if (equalBytes(before, after)) continue
    if (before.length === 0) onNew(hash, slots.slotOf(id))
    changes.push({ hash, before, after })
  }
  for (const [name, before] of left) changes.push({ hash: hexToBytes(name), before, after: EMPTY_BYTES })
  return changes
}

/** @returns undefined when the slot has its base value */
function slotAfter(slots: StateSlots, account: StateAccount, id: number): Uint8Array | undefined {
  if (account.current === undefined) return EMPTY_BYTES
  if (slots.generationOf(id) === account.generation) return trimLeadingZeros(slots.value(id))
  return account.generation === 0 ? undefined : EMPTY_BYTES
}
