/**
 * Journals the changes of frames to the tables, so that they can be reverted. Records are consecutive. Each ends with
 * its kind and the index of the entry, preceded by the old value if there is one. A mark is a length of the journal.
 */
import { allocate } from './arena'
import {
  ADDRESS_FLAGS,
  ADDRESS_HAS_BALANCE,
  ADDRESS_HAS_CODE,
  ADDRESS_HAS_IDENTITY,
  ADDRESS_HAS_PRECOMPILE,
  ADDRESS_IS_DELEGATED,
  ADDRESS_IS_WARM,
  SLOT_CURRENT,
  SLOT_FLAGS,
  SLOT_IS_DIRTY,
  SLOT_IS_WARM,
  SLOT_RECORD,
} from './layout'
import { addressEntry, slotEntry, TRANSIENT_RECORD, TRANSIENT_VALUE, transientEntry } from './tables'
import { copyWord } from './word'

const ADDRESS_WARMED: u32 = 1
const ADDRESS_CODE_KNOWN: u32 = 2
const ADDRESS_BALANCE_CHANGED: u32 = 3
const SLOT_WARMED: u32 = 4
/** This kind and the following ones include an old value. */
const SLOT_WRITTEN: u32 = 5
/** The slot was not dirty before. */
const SLOT_FIRST_WRITTEN: u32 = 6
const TRANSIENT_WRITTEN: u32 = 7

const CODE_FLAGS: u32 = ADDRESS_HAS_CODE | ADDRESS_IS_DELEGATED | ADDRESS_HAS_PRECOMPILE | ADDRESS_HAS_IDENTITY
const FIRST_BYTES: u32 = 4096
/** Maximum number of bytes that one opcode records. */
const MOST_NEW: u32 = 256

let start: usize = 0
let length: u32 = 0
let capacity: u32 = 0

export function resetJournal(): void {
  length = 0
  capacity = 0
}

/** Whether the journal has space for one opcode. */
export function hasRoom(): bool {
  return length + MOST_NEW <= capacity
}

/** Reserves space for one opcode. May move the frames. */
export function reserveJournal(): bool {
  if (hasRoom()) return true
  const bytes = capacity === 0 ? <u64>FIRST_BYTES : <u64>capacity * 2
  const moved = allocate(bytes)
  if (moved === 0) return false
  memory.copy(moved, start, length)
  start = moved
  capacity = <u32>bytes
  return true
}

export function journalMark(): u32 {
  return length
}

function record(kind: u32, id: u32): void {
  const at = start + length
  store<u32>(at, kind)
  store<u32>(at, id, 4)
  length += 8
}

function recordValue(kind: u32, id: u32, value: usize): void {
  copyWord(start + length, value)
  length += 32
  record(kind, id)
}

/** Makes the address warm; true when it already was. */
export function warmAddressById(id: u32): bool {
  const entry = addressEntry(id)
  const flags = load<u32>(entry, ADDRESS_FLAGS)
  if (flags & ADDRESS_IS_WARM) return true
  store<u32>(entry, flags | ADDRESS_IS_WARM, ADDRESS_FLAGS)
  record(ADDRESS_WARMED, id)
  return false
}

/** Marks as known what a call of the address runs. */
export function keepCode(id: u32, flags: u32): void {
  const entry = addressEntry(id)
  store<u32>(entry, load<u32>(entry, ADDRESS_FLAGS) | flags, ADDRESS_FLAGS)
  record(ADDRESS_CODE_KNOWN, id)
}

/**
 * Forgets the balances of two addresses, because the host moves value between them. When the running frame is reverted,
 * they are forgotten again.
 */
export function forgetBalances(from: u32, to: u32): void {
  forgetBalance(from)
  forgetBalance(to)
}

function forgetBalance(id: u32): void {
  clearFlags(addressEntry(id) + ADDRESS_FLAGS, ADDRESS_HAS_BALANCE)
  record(ADDRESS_BALANCE_CHANGED, id)
}

/** Makes the slot warm; true when it already was. */
export function warmSlotById(id: u32): bool {
  const entry = slotEntry(id)
  const flags = load<u32>(entry, SLOT_FLAGS)
  if (flags & SLOT_IS_WARM) return true
  store<u32>(entry, flags | SLOT_IS_WARM, SLOT_FLAGS)
  record(SLOT_WARMED, id)
  return false
}

/** @param mark journal mark of the running frame; a later record of the same slot makes another one unnecessary */
export function writeSlot(id: u32, value: usize, mark: u32): void {
  const entry = slotEntry(id)
  if (load<u32>(entry, SLOT_RECORD) <= mark) {
    const flags = load<u32>(entry, SLOT_FLAGS)
    recordValue(flags & SLOT_IS_DIRTY ? SLOT_WRITTEN : SLOT_FIRST_WRITTEN, id, entry + SLOT_CURRENT)
    store<u32>(entry, length, SLOT_RECORD)
    store<u32>(entry, flags | SLOT_IS_DIRTY, SLOT_FLAGS)
  }
  copyWord(entry + SLOT_CURRENT, value)
}

/** Like writeSlot, for a transient slot. */
export function writeTransient(id: u32, value: usize, mark: u32): void {
  const entry = transientEntry(id)
  if (load<u32>(entry, TRANSIENT_RECORD) <= mark) {
    recordValue(TRANSIENT_WRITTEN, id, entry + TRANSIENT_VALUE)
    store<u32>(entry, length, TRANSIENT_RECORD)
  }
  copyWord(entry + TRANSIENT_VALUE, value)
}

/** Reverts all changes since the mark. */
export function revertTo(mark: u32): void {
  while (length > mark) {
    length -= 8
    const at = start + length
    const kind = load<u32>(at)
    const id = load<u32>(at, 4)
    if (kind >= SLOT_WRITTEN) {
      length -= 32
      undoValue(kind, id, start + length)
    } else if (kind === SLOT_WARMED) {
      clearFlags(slotEntry(id) + SLOT_FLAGS, SLOT_IS_WARM)
    } else if (kind === ADDRESS_WARMED) {
      clearFlags(addressEntry(id) + ADDRESS_FLAGS, ADDRESS_IS_WARM)
    } else if (kind === ADDRESS_BALANCE_CHANGED) {
      clearFlags(addressEntry(id) + ADDRESS_FLAGS, ADDRESS_HAS_BALANCE)
    } else {
      clearFlags(addressEntry(id) + ADDRESS_FLAGS, CODE_FLAGS)
    }
  }
}

function undoValue(kind: u32, id: u32, value: usize): void {
  if (kind === TRANSIENT_WRITTEN) {
    const entry = transientEntry(id)
    copyWord(entry + TRANSIENT_VALUE, value)
    store<u32>(entry, 0, TRANSIENT_RECORD)
    return
  }
  const entry = slotEntry(id)
  store<u32>(entry, 0, SLOT_RECORD)
  copyWord(entry + SLOT_CURRENT, value)
  if (kind === SLOT_FIRST_WRITTEN) clearFlags(entry + SLOT_FLAGS, SLOT_IS_DIRTY)
}

function clearFlags(at: usize, flags: u32): void {
  store<u32>(at, load<u32>(at) & ~flags)
}
