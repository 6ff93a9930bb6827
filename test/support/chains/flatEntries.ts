import { expect } from 'vitest'
import type { KeyValueReader } from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHex, readUint } from '../../../src/base/primitives/bytes.ts'
import { incarnationOf } from '../../../src/state/account.ts'
import { Column } from '../../../src/storage/schema.ts'

/** A slot of the flat view; owner and slot are hashes in hex. */
export interface FlatSlot {
  readonly owner: string
  readonly slot: string
  readonly incarnation: number
  readonly value: Uint8Array
}

export interface FlatEntries {
  /** keccak256(address) in hex → flat account */
  readonly accounts: ReadonlyMap<string, Uint8Array>
  /** Slots of the storages that the accounts have, by owner and slot. */
  readonly slots: readonly FlatSlot[]
  /** Slots of erased storages, each of which has a record. */
  readonly erased: readonly FlatSlot[]
}

/** The content of the flat view. */
export function flatEntries(kv: KeyValueReader): FlatEntries {
  const column = (byte: number) => [...kv.range({ prefix: Uint8Array.of(byte) })]
  const accounts = new Map(column(Column.flatAccount).map(([key, value]) => [bytesToHex(key.slice(1)), value]))
  const records = new Set(column(Column.erasedStorage).map(([key]) => bytesToHex(key.slice(7))))
  const live = new Map(Array.from(accounts, ([owner, account]) => [owner, incarnationOf(account)]))
  const slots: FlatSlot[] = []
  const erased: FlatSlot[] = []
  const erasedStorages = new Set<string>()
  const add = (slot: FlatSlot): void => {
    const { owner, incarnation } = slot
    if (live.get(owner) === incarnation) return void slots.push(slot)
    erased.push(slot)
    erasedStorages.add(owner + incarnation.toString(16).padStart(12, '0'))
  }
  for (const [key, value] of column(Column.flatStorage)) add(flatSlot(key, 0, 33, value))
  for (const [key, value] of column(Column.flatIncarnation)) add(flatSlot(key, readUint(key, 33, 6), 39, value))
  for (const storage of erasedStorages) expect(records).toContain(storage)
  // One column follows the other; each is in order.
  slots.sort((a, b) => (a.owner === b.owner ? 0 : a.owner < b.owner ? -1 : 1))
  return { accounts, slots, erased }
}

function flatSlot(key: Uint8Array, incarnation: number, slotAt: number, value: Uint8Array): FlatSlot {
  return { owner: bytesToHex(key.slice(1, 33)), slot: bytesToHex(key.slice(slotAt)), incarnation, value }
}
