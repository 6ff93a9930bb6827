/**
 * Hash tables of one message: addresses, storage slots, transient slots. Entries are stored in an array in insertion
 * order, so an index never changes; an open-addressing hash index maps keys to entries. Tables grow by moving to a new
 * place in the arena.
 */

import { allocate } from './arena'
import { copyAddress } from './bytes'
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
/** Like SLOT_RECORD. */
export const TRANSIENT_RECORD = 68

const FIRST_CAPACITY: u32 = 64
/** Maximum number of new entries of each kind per opcode. */
const MOST_NEW: u32 = 4
/** An odd number with well mixed bits. */
// biome-ignore lint/correctness/noPrecisionLoss: this is u64
const ID_FACTOR: u64 = 0x9e3779b97f4a7c15

let addressCapacity: u32 = 0
let addressIndex: usize = 0
let slotCapacity: u32 = 0
let slotIndex: usize = 0
/** The slot found last; an SSTORE usually follows the SLOAD of its slot. */
let lastSlot: u32 = 0
let transientCapacity: u32 = 0
let transientIndex: usize = 0
let transientTable: usize = 0
let transientCount: u32 = 0

/** Empties the tables. */
export function emptyTables(): void {
  addressCapacity = 0
  slotCapacity = 0
  lastSlot = 0
  transientCapacity = 0
  transientCount = 0
  store<u32>(STATE_ADDRESS_COUNT, 0)
  store<u32>(STATE_SLOT_COUNT, 0)
}

/** Makes room for the new entries of one opcode; false when the memory cannot grow. May move the frames. */
export function growTables(): bool {
  return (
    (load<u32>(STATE_ADDRESS_COUNT) + MOST_NEW <= addressCapacity || growAddresses()) &&
    (load<u32>(STATE_SLOT_COUNT) + MOST_NEW <= slotCapacity || growSlots()) &&
    (transientCount + MOST_NEW <= transientCapacity || growTransient())
  )
}

function doubled(capacity: u32): u32 {
  return capacity === 0 ? FIRST_CAPACITY : capacity * 2
}

/** Allocates an index with twice as many places as entries; 0 when the memory cannot grow. */
function newIndex(capacity: u32): usize {
  const index = allocate((<u64>capacity) << 3)
  if (index !== 0) memory.fill(index, 0, capacity << 3)
  return index
}

function growAddresses(): bool {
  const capacity = doubled(addressCapacity)
  const table = allocate(<u64>capacity * ADDRESS_BYTES)
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
  const table = allocate(<u64>capacity * SLOT_BYTES)
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
  const table = allocate(<u64>capacity * TRANSIENT_BYTES)
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

/** First place to probe for a hash: taken from its highest bits, which are mixed best. */
function firstPlace(hash: u64, mask: u32): u32 {
  return <u32>(hash >> 32) >> clz<u32>(mask)
}

/** Stores `id` at the first free place; places hold id + 1. */
function place(index: usize, capacity: u32, hash: u64, id: u32): void {
  const mask = capacity * 2 - 1
  let at = firstPlace(hash, mask)
  while (load<u32>(index + (at << 2)) !== 0) at = (at + 1) & mask
  store<u32>(index + (at << 2), id + 1)
}

/**
 * A hash begins with a sum of products: a secret number is added to each 32-bit half of a pair, and the halves are
 * multiplied (NH). Keys chosen by an attacker can therefore collide only by chance.
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

/** Mixes into the highest bits. Consecutive slots have equidistant sums, which the shift breaks up. */
function spread(sum: u64): u64 {
  return (sum ^ (sum >> 32)) * (load<u64>(STATE_SEED + 32) | 1)
}

/** Index of the address at `key` (20 bytes), added as cold when new. reserveTables() must have been called before. */
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

/** Like lookUpSlot, but faster for the slot found last. */
export function lookUpSlotAgain(addressId: u32, key: usize): i32 {
  const last = lastSlot
  if (last < load<u32>(STATE_SLOT_COUNT) && isSlot(slotEntry(last), addressId, key)) return last
  return lookUpSlot(addressId, key)
}

/** Index of the slot, added as cold and not loaded when new. reserveTables() must have been called before. */
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

/** Index of the transient slot, added with value 0 when new. reserveTables() must have been called before. */
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
