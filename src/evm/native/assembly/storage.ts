/** SLOAD, SSTORE, TLOAD, TSTORE and the gas schedules of SSTORE. */
import { outOfGas } from './gas'
import { warmSlotById, writeSlot, writeTransient } from './journal'
import {
  ANSWER_ORIGINAL,
  ANSWER_WORD,
  EXIT_STORAGE,
  FRAME_ADDRESS_ID,
  FRAME_FLAGS,
  FRAME_GAS,
  FRAME_IS_STATIC,
  FRAME_SP,
  HALT_OUT_OF_GAS,
  HALT_STATIC_STATE_CHANGE,
  REQUEST_SLOT,
  RULE_COLD_SLOT,
  RULE_FLAGS,
  RULE_HAS_ACCESS_LISTS,
  RULE_STORAGE,
  RULE_STORAGE_CLEAR_REFUND,
  RULE_STORAGE_DIRTY,
  RULE_STORAGE_RESET,
  RULE_STORAGE_RESTORE_REFUND,
  RULE_STORAGE_SENTRY,
  RULE_STORAGE_SET,
  RULE_STORAGE_UNSET_REFUND,
  RULE_WARM,
  SLOT_CURRENT,
  SLOT_FLAGS,
  SLOT_IS_LOADED,
  SLOT_IS_WARM,
  SLOT_ORIGINAL,
  STATE_REFUND,
  STATE_STEPPING,
  STATE_STORAGE_WRITTEN,
  STORAGE_LEGACY,
  STORAGE_SENTRY,
} from './layout'
import { CONTINUE } from './status'
import { findSlot, findTransient, lookUpTransient, slotEntry, TRANSIENT_VALUE, transientEntry } from './tables'
import { copyWord, equalWords, fromBytes, isZero, setU64, toBytes } from './word'

function hasAccessLists(): bool {
  return (load<u32>(RULE_FLAGS) & RULE_HAS_ACCESS_LISTS) !== 0
}

function askFor(key: usize): i32 {
  toBytes(REQUEST_SLOT, key)
  return EXIT_STORAGE
}

/** The host has answered EXIT_STORAGE; the opcode runs again after it. reserveTables() came before. */
export function storageLoaded(frame: usize): void {
  const key = <usize>load<u32>(frame, FRAME_SP) - 32
  const entry = slotEntry(findSlot(load<u32>(frame, FRAME_ADDRESS_ID), key))
  fromBytes(entry + SLOT_CURRENT, ANSWER_WORD)
  fromBytes(entry + SLOT_ORIGINAL, ANSWER_ORIGINAL)
  store<u32>(entry, load<u32>(entry, SLOT_FLAGS) | SLOT_IS_LOADED, SLOT_FLAGS)
}

export function sload(frame: usize): i32 {
  const key = <usize>load<u32>(frame, FRAME_SP) - 32
  const id = findSlot(load<u32>(frame, FRAME_ADDRESS_ID), key)
  const entry = slotEntry(id)
  const flags = load<u32>(entry, SLOT_FLAGS)
  let gas = load<i64>(frame, FRAME_GAS)
  if (hasAccessLists()) gas -= <i64>load<u32>(flags & SLOT_IS_WARM ? RULE_WARM : RULE_COLD_SLOT)
  if (gas < 0) return outOfGas(gas)
  if ((flags & SLOT_IS_LOADED) === 0) return askFor(key)
  if (hasAccessLists()) warmSlotById(id)
  store<i64>(frame, gas, FRAME_GAS)
  copyWord(key, entry + SLOT_CURRENT)
  return CONTINUE
}

export function sstore(frame: usize): i32 {
  if (load<u32>(frame, FRAME_FLAGS) & FRAME_IS_STATIC) return -HALT_STATIC_STATE_CHANGE
  const schedule = load<u32>(RULE_STORAGE)
  let gas = load<i64>(frame, FRAME_GAS)
  const sp = <usize>load<u32>(frame, FRAME_SP)
  if (schedule === STORAGE_SENTRY && gas <= <i64>load<u32>(RULE_STORAGE_SENTRY)) return belowSentry(frame, sp, gas)
  const key = sp - 32
  const value = sp - 64
  const id = findSlot(load<u32>(frame, FRAME_ADDRESS_ID), key)
  const entry = slotEntry(id)
  const flags = load<u32>(entry, SLOT_FLAGS)
  if ((flags & SLOT_IS_LOADED) === 0) return askFor(key)
  if (hasAccessLists() && (flags & SLOT_IS_WARM) === 0) gas -= <i64>load<u32>(RULE_COLD_SLOT)
  const current = entry + SLOT_CURRENT
  const original = entry + SLOT_ORIGINAL
  gas -= <i64>load<u32>(schedule === STORAGE_LEGACY ? legacyCost(current, value) : netCost(original, current, value))
  if (gas < 0) return outOfGas(gas)
  const refund = schedule === STORAGE_LEGACY ? legacyRefund(current, value) : netRefund(original, current, value)
  store<i64>(STATE_REFUND, load<i64>(STATE_REFUND) + refund)
  if (hasAccessLists()) warmSlotById(id)
  store<i64>(frame, gas, FRAME_GAS)
  store<u32>(STATE_STORAGE_WRITTEN, 1)
  if (!equalWords(current, value)) writeSlot(id, value)
  store<u32>(frame, value, FRAME_SP)
  return CONTINUE
}

/** EIP-2200: nothing is looked at, unless a tracer wants to know what it would have cost. */
function belowSentry(frame: usize, sp: usize, gas: i64): i32 {
  if (load<u32>(STATE_STEPPING) === 0) return -HALT_OUT_OF_GAS
  const entry = slotEntry(findSlot(load<u32>(frame, FRAME_ADDRESS_ID), sp - 32))
  const flags = load<u32>(entry, SLOT_FLAGS)
  if ((flags & SLOT_IS_LOADED) === 0) return askFor(sp - 32)
  const cold = hasAccessLists() && (flags & SLOT_IS_WARM) === 0 ? <i64>load<u32>(RULE_COLD_SLOT) : 0
  return outOfGas(gas - cold - <i64>load<u32>(netCost(entry + SLOT_ORIGINAL, entry + SLOT_CURRENT, sp - 64)))
}

/** Each gives the rule whose cost is due. */
function legacyCost(current: usize, value: usize): usize {
  return isZero(current) && !isZero(value) ? RULE_STORAGE_SET : RULE_STORAGE_RESET
}

function legacyRefund(current: usize, value: usize): i64 {
  return !isZero(current) && isZero(value) ? <i64>load<u32>(RULE_STORAGE_CLEAR_REFUND) : 0
}

function netCost(original: usize, current: usize, value: usize): usize {
  if (equalWords(current, value) || !equalWords(original, current)) return RULE_STORAGE_DIRTY
  return isZero(original) ? RULE_STORAGE_SET : RULE_STORAGE_RESET
}

/** EIP-1283 and EIP-2200 differ in numbers only. */
function netRefund(original: usize, current: usize, value: usize): i64 {
  if (equalWords(current, value)) return 0
  const clear = <i64>load<u32>(RULE_STORAGE_CLEAR_REFUND)
  if (equalWords(original, current)) return !isZero(original) && isZero(value) ? clear : 0
  let refund: i64 = 0
  if (!isZero(original)) {
    if (isZero(current)) refund -= clear
    else if (isZero(value)) refund += clear
  }
  if (equalWords(original, value)) {
    refund += <i64>load<u32>(isZero(original) ? RULE_STORAGE_UNSET_REFUND : RULE_STORAGE_RESTORE_REFUND)
  }
  return refund
}

export function tload(frame: usize): i32 {
  const key = <usize>load<u32>(frame, FRAME_SP) - 32
  const id = lookUpTransient(load<u32>(frame, FRAME_ADDRESS_ID), key)
  if (id < 0) setU64(key, 0)
  else copyWord(key, transientEntry(id) + TRANSIENT_VALUE)
  return CONTINUE
}

export function tstore(frame: usize): i32 {
  if (load<u32>(frame, FRAME_FLAGS) & FRAME_IS_STATIC) return -HALT_STATIC_STATE_CHANGE
  const sp = <usize>load<u32>(frame, FRAME_SP)
  writeTransient(findTransient(load<u32>(frame, FRAME_ADDRESS_ID), sp - 32), sp - 64)
  store<u32>(frame, sp - 64, FRAME_SP)
  return CONTINUE
}
