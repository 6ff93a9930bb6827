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
  const all: FlatSlot[] = [
    ...column(Column.flatStorage).map(([key, value]) => flatSlot(key, 0, 33, value)),
    ...column(Column.flatIncarnation).map(([key, value]) => flatSlot(key, readUint(key, 33, 6), 39, value)),
  ]
  all.sort((a, b) => (a.owner + a.slot < b.owner + b.slot ? -1 : 1))
  const isLive = ({ owner, incarnation }: FlatSlot): boolean =>
    incarnationOf(accounts.get(owner) ?? new Uint8Array(0)) === incarnation
  const erased = all.filter((slot) => !isLive(slot))
  for (const { owner, incarnation } of erased) {
    expect(records).toContain(owner + incarnation.toString(16).padStart(12, '0'))
  }
  return { accounts, slots: all.filter(isLive), erased }
}

function flatSlot(key: Uint8Array, incarnation: number, slotAt: number, value: Uint8Array): FlatSlot {
  return { owner: bytesToHex(key.slice(1, 33)), slot: bytesToHex(key.slice(slotAt)), incarnation, value }
}
