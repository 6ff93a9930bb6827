/**
 * Hash tables of one message: addresses, storage slots, transient slots. Entries stand in an array in the order of their coming, so
 * an index never changes; open addressing leads from a hash to an index. They grow into new space of the arena.
 */

import { allocate } from './arena'
import { copyAddress } from './bytes'
import { reserveJournal, resetJournal } from './journal'
import {
  ADDRESS_BYTES,
  ADDRESS_FLAGS,
  SLOT_ADDRESS_ID,
  SLOT_BYTES,
  SLOT_FLAGS,
  SLOT_RECORD,
  STATE_ADDRESS_COUNT,
  STATE_ADDRESS_TABLE,
  STATE_SEED,
  STATE_SLOT_COUNT,
  STATE_SLOT_TABLE,
} from './layout'
import { copyWord, equalWords, setU64 } from './word'

const TRANSIENT_BYTES = 80
const TRANSIENT_ADDRESS_ID = 64
export const TRANSIENT_VALUE = 32
/** As SLOT_RECORD. */
export const TRANSIENT_RECORD = 68

const FIRST_CAPACITY: u32 = 64
/** Most new entries that one opcode makes, of any kind. */
const MOST_NEW: u32 = 4
/** Odd, with well mixed bits. */
// biome-ignore lint/correctness/noPrecisionLoss: this is u64
const ID_FACTOR: u64 = 0x9e3779b97f4a7c15

let addressCapacity: u32 = 0
let addressIndex: usize = 0
let slotCapacity: u32 = 0
let slotIndex: usize = 0
/** The slot found last: an SSTORE mostly follows the SLOAD of its slot. */
let lastSlot: u32 = 0
let transientCapacity: u32 = 0
let transientIndex: usize = 0
let transientTable: usize = 0
let transientCount: u32 = 0

/** Empty tables. */
export function resetTables(): void {
  addressCapacity = 0
  slotCapacity = 0
  lastSlot = 0
  transientCapacity = 0
  transientCount = 0
  store<u32>(STATE_ADDRESS_COUNT, 0)
  store<u32>(STATE_SLOT_COUNT, 0)
  resetJournal()
}

/**
 * Room for what one opcode adds, here and in the journal. False when the memory cannot grow. May move the frames; after it,
 * adding does neither. Nothing is looked up before it has been called once.
 */
export function reserveTables(): bool {
  return (
    reserveJournal() &&
    (load<u32>(STATE_ADDRESS_COUNT) + MOST_NEW <= addressCapacity || growAddresses()) &&
    (load<u32>(STATE_SLOT_COUNT) + MOST_NEW <= slotCapacity || growSlots()) &&
    (transientCount + MOST_NEW <= transientCapacity || growTransient())
  )
}

function doubled(capacity: u32): u32 {
  return capacity === 0 ? FIRST_CAPACITY : capacity * 2
}

/** An index of twice as many places as entries; 0 when the memory cannot grow. */
function newIndex(capacity: u32): usize {
  const index = allocate(capacity << 3)
  if (index !== 0) memory.fill(index, 0, capacity << 3)
  return index
}

function growAddresses(): bool {
  const capacity = doubled(addressCapacity)
  const table = allocate(capacity * ADDRESS_BYTES)
  const index = newIndex(capacity)
  if (table === 0 || index === 0) return false
  const count = load<u32>(STATE_ADDRESS_COUNT)
  memory.copy(table, load<u32>(STATE_ADDRESS_TABLE), count * ADDRESS_BYTES)
  for (let id: u32 = 0; id < count; id++) place(index, capacity, hashAddress(table + id * ADDRESS_BYTES), id)
  store<u32>(STATE_ADDRESS_TABLE, table)
  addressIndex = index
  addressCapacity = capacity
  return true
}

function growSlots(): bool {
  const capacity = doubled(slotCapacity)
  const table = allocate(capacity * SLOT_BYTES)
  const index = newIndex(capacity)
  if (table === 0 || index === 0) return false
  const count = load<u32>(STATE_SLOT_COUNT)
  memory.copy(table, load<u32>(STATE_SLOT_TABLE), count * SLOT_BYTES)
  for (let id: u32 = 0; id < count; id++) {
    const entry = table + id * SLOT_BYTES
    place(index, capacity, hashSlot(load<u32>(entry, SLOT_ADDRESS_ID), entry), id)
  }
  store<u32>(STATE_SLOT_TABLE, table)
  slotIndex = index
  slotCapacity = capacity
  return true
}

function growTransient(): bool {
  const capacity = doubled(transientCapacity)
  const table = allocate(capacity * TRANSIENT_BYTES)
  const index = newIndex(capacity)
  if (table === 0 || index === 0) return false
  memory.copy(table, transientTable, transientCount * TRANSIENT_BYTES)
  for (let id: u32 = 0; id < transientCount; id++) {
    const entry = table + id * TRANSIENT_BYTES
    place(index, capacity, hashSlot(load<u32>(entry, TRANSIENT_ADDRESS_ID), entry), id)
  }
  transientTable = table
  transientIndex = index
  transientCapacity = capacity
  return true
}

/** Where the search for a hash begins: by its highest bits, which are its best. */
function firstPlace(hash: u64, mask: u32): u32 {
  return <u32>(hash >> 32) >> clz<u32>(mask)
}

/** Puts `id` at the first free place; places hold id + 1. */
function place(index: usize, capacity: u32, hash: u64, id: u32): void {
  const mask = capacity * 2 - 1
  let at = firstPlace(hash, mask)
  while (load<u32>(index + (at << 2)) !== 0) at = (at + 1) & mask
  store<u32>(index + (at << 2), id + 1)
}

/**
 * A hash begins as the sum of products of the key's pairs of 32 bits, with a secret number added to each of them: two keys that
 * somebody has chosen have the same sum by chance only (NH).
 */
function hashAddress(key: usize): u64 {
  const sum =
    <u64>(load<u32>(key) + load<u32>(STATE_SEED)) * <u64>(load<u32>(key, 4) + load<u32>(STATE_SEED + 4)) +
    <u64>(load<u32>(key, 8) + load<u32>(STATE_SEED + 8)) * <u64>(load<u32>(key, 12) + load<u32>(STATE_SEED + 12)) +
    <u64>(load<u32>(key, 16) + load<u32>(STATE_SEED + 16)) * <u64>load<u32>(STATE_SEED + 20)
  return spread(sum)
}

function hashSlot(addressId: u32, key: usize): u64 {
  const sum =
    <u64>(load<u32>(key) + load<u32>(STATE_SEED)) * <u64>(load<u32>(key, 4) + load<u32>(STATE_SEED + 4)) +
    <u64>(load<u32>(key, 8) + load<u32>(STATE_SEED + 8)) * <u64>(load<u32>(key, 12) + load<u32>(STATE_SEED + 12)) +
    <u64>(load<u32>(key, 16) + load<u32>(STATE_SEED + 16)) * <u64>(load<u32>(key, 20) + load<u32>(STATE_SEED + 20)) +
    <u64>(load<u32>(key, 24) + load<u32>(STATE_SEED + 24)) * <u64>(load<u32>(key, 28) + load<u32>(STATE_SEED + 28))
  return spread(sum + <u64>addressId * ID_FACTOR)
}

/** To the highest bits. The sums of slots in a row are a row themselves, which the shift breaks up. */
function spread(sum: u64): u64 {
  return (sum ^ (sum >> 32)) * (load<u64>(STATE_SEED + 32) | 1)
}

/** Index of the 20 bytes at `key`, added cold when new; reserveTables() came before. */
export function findAddress(key: usize): u32 {
  const mask = addressCapacity * 2 - 1
  let at = firstPlace(hashAddress(key), mask)
  for (let found = load<u32>(addressIndex + (at << 2)); found !== 0; found = load<u32>(addressIndex + (at << 2))) {
    const entry = addressEntry(found - 1)
    if (
      load<u64>(entry) === load<u64>(key) &&
      load<u64>(entry, 8) === load<u64>(key, 8) &&
      load<u32>(entry, 16) === load<u32>(key, 16)
    ) {
      return found - 1
    }
    at = (at + 1) & mask
  }
  const id = load<u32>(STATE_ADDRESS_COUNT)
  store<u32>(STATE_ADDRESS_COUNT, id + 1)
  store<u32>(addressIndex + (at << 2), id + 1)
  const entry = addressEntry(id)
  copyAddress(entry, key)
  store<u32>(entry, 0, ADDRESS_FLAGS)
  return id
}

export function addressEntry(id: u32): usize {
  return <usize>load<u32>(STATE_ADDRESS_TABLE) + id * ADDRESS_BYTES
}

function isSlot(entry: usize, addressId: u32, key: usize): bool {
  return load<u32>(entry, SLOT_ADDRESS_ID) === addressId && equalWords(entry, key)
}

/** Index of the slot, or -1. */
export function lookUpSlot(addressId: u32, key: usize): i32 {
  const mask = slotCapacity * 2 - 1
  let at = firstPlace(hashSlot(addressId, key), mask)
  for (let found = load<u32>(slotIndex + (at << 2)); found !== 0; found = load<u32>(slotIndex + (at << 2))) {
    if (isSlot(slotEntry(found - 1), addressId, key)) {
      lastSlot = found - 1
      return found - 1
    }
    at = (at + 1) & mask
  }
  return -1
}

/** As lookUpSlot; quick when it was the slot found last. */
export function lookUpSlotAgain(addressId: u32, key: usize): i32 {
  const last = lastSlot
  if (last < load<u32>(STATE_SLOT_COUNT) && isSlot(slotEntry(last), addressId, key)) return last
  return lookUpSlot(addressId, key)
}

/** Index of the slot, added cold and not loaded when new; reserveTables() came before. */
export function findSlot(addressId: u32, key: usize): u32 {
  const known = lookUpSlot(addressId, key)
  if (known >= 0) return known
  const id = load<u32>(STATE_SLOT_COUNT)
  store<u32>(STATE_SLOT_COUNT, id + 1)
  const entry = slotEntry(id)
  copyWord(entry, key)
  store<u32>(entry, addressId, SLOT_ADDRESS_ID)
  store<u32>(entry, 0, SLOT_FLAGS)
  store<u32>(entry, 0, SLOT_RECORD)
  place(slotIndex, slotCapacity, hashSlot(addressId, key), id)
  return id
}

export function slotEntry(id: u32): usize {
  return <usize>load<u32>(STATE_SLOT_TABLE) + id * SLOT_BYTES
}

/** Index of the transient slot, or -1. */
export function lookUpTransient(addressId: u32, key: usize): i32 {
  if (transientCount === 0) return -1
  const mask = transientCapacity * 2 - 1
  let at = firstPlace(hashSlot(addressId, key), mask)
  for (let found = load<u32>(transientIndex + (at << 2)); found !== 0; found = load<u32>(transientIndex + (at << 2))) {
    const entry = transientEntry(found - 1)
    if (load<u32>(entry, TRANSIENT_ADDRESS_ID) === addressId && equalWords(entry, key)) return found - 1
    at = (at + 1) & mask
  }
  return -1
}

/** Index of the transient slot, added with the value 0 when new; reserveTables() came before. */
export function findTransient(addressId: u32, key: usize): u32 {
  const known = lookUpTransient(addressId, key)
  if (known >= 0) return known
  const id = transientCount++
  const entry = transientEntry(id)
  copyWord(entry, key)
  setU64(entry + TRANSIENT_VALUE, 0)
  store<u32>(entry, addressId, TRANSIENT_ADDRESS_ID)
  store<u32>(entry, 0, TRANSIENT_RECORD)
  place(transientIndex, transientCapacity, hashSlot(addressId, key), id)
  return id
}

export function transientEntry(id: u32): usize {
  return transientTable + id * TRANSIENT_BYTES
}
