/** SLOAD, SSTORE, TLOAD, TSTORE and the gas schedules of SSTORE. */
import { hasAccessLists } from './access'
import { outOfGas } from './gas'
import { hasRoom, warmSlotById, writeSlot, writeTransient } from './journal'
import {
  ANSWER_ORIGINAL,
  ANSWER_WORD,
  EXIT_STORAGE,
  FRAME_ADDRESS_ID,
  FRAME_FLAGS,
  FRAME_GAS,
  FRAME_IS_STATIC,
  FRAME_JOURNAL,
  FRAME_SP,
  HALT_OUT_OF_GAS,
  HALT_STATIC_STATE_CHANGE,
  REQUEST_SLOT,
  RULE_COLD_SLOT,
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
import {
  findSlot,
  findTransient,
  lookUpSlot,
  lookUpSlotAgain,
  lookUpTransient,
  slotEntry,
  TRANSIENT_VALUE,
  transientEntry,
} from './tables'
import { copyWord, equalWords, fromBytes, isZero, setU64, toBytes } from './word'

function askFor(key: usize): i32 {
  toBytes(REQUEST_SLOT, key)
  return EXIT_STORAGE
}

/**
 * Takes the host's answer to EXIT_STORAGE; the opcode then runs again. reserveTables() must have been called before.
 */
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
  let gas = load<i64>(frame, FRAME_GAS)
  const sp = <usize>load<u32>(frame, FRAME_SP)
  if (isBelowSentry(gas)) return belowSentry(frame, sp, gas)
  const id = findSlot(load<u32>(frame, FRAME_ADDRESS_ID), sp - 32)
  const flags = load<u32>(slotEntry(id), SLOT_FLAGS)
  if ((flags & SLOT_IS_LOADED) === 0) return askFor(sp - 32)
  if (hasAccessLists() && (flags & SLOT_IS_WARM) === 0) gas -= <i64>load<u32>(RULE_COLD_SLOT)
  gas = write(frame, id, sp - 64, gas)
  if (gas < 0) return outOfGas(gas)
  if (hasAccessLists()) warmSlotById(id)
  store<i64>(frame, gas, FRAME_GAS)
  store<u32>(frame, sp - 64, FRAME_SP)
  return CONTINUE
}

/** Whether the slot is loaded and already warm. */
function isInUse(id: i32): bool {
  if (id < 0) return false
  const flags = load<u32>(slotEntry(id), SLOT_FLAGS)
  return (flags & SLOT_IS_LOADED) !== 0 && ((flags & SLOT_IS_WARM) !== 0 || !hasAccessLists())
}

/**
 * The fast paths of SLOAD, SSTORE, TLOAD and TSTORE, which work on the registers of the loop. They return the gas left,
 * or a negative number when they have changed nothing and the slow path must run: the slot is not in use yet, the
 * opcode halts, or the journal is full. TLOAD has only the fast path.
 */
export function storageInUse(op: u32, frame: usize, sp: usize, gas: i64): i64 {
  if (op === 0x54) return sloadInUse(frame, sp, gas)
  if (op === 0x55) return sstoreInUse(frame, sp, gas)
  if (op === 0x5d) return tstoreInUse(frame, sp, gas)
  tload(frame, sp - 32)
  return gas
}

function sloadInUse(frame: usize, sp: usize, gas: i64): i64 {
  const id = lookUpSlot(load<u32>(frame, FRAME_ADDRESS_ID), sp - 32)
  const left = gas - <i64>load<u32>(RULE_WARM)
  if (left < 0 || !isInUse(id)) return -1
  copyWord(sp - 32, slotEntry(id) + SLOT_CURRENT)
  return left
}

function sstoreInUse(frame: usize, sp: usize, gas: i64): i64 {
  if ((load<u32>(frame, FRAME_FLAGS) & FRAME_IS_STATIC) !== 0 || isBelowSentry(gas) || !hasRoom()) return -1
  const id = lookUpSlotAgain(load<u32>(frame, FRAME_ADDRESS_ID), sp - 32)
  return isInUse(id) ? write(frame, id, sp - 64, gas) : -1
}

function tstoreInUse(frame: usize, sp: usize, gas: i64): i64 {
  if ((load<u32>(frame, FRAME_FLAGS) & FRAME_IS_STATIC) !== 0 || !hasRoom()) return -1
  const id = lookUpTransient(load<u32>(frame, FRAME_ADDRESS_ID), sp - 32)
  if (id < 0) return -1
  writeTransient(id, sp - 64, load<u32>(frame, FRAME_JOURNAL))
  return gas
}

/** EIP-2200 */
function isBelowSentry(gas: i64): bool {
  return load<u32>(RULE_STORAGE) === STORAGE_SENTRY && gas <= <i64>load<u32>(RULE_STORAGE_SENTRY)
}

/**
 * Charges for the new value and sets it; changes nothing when the gas is insufficient.
 * @returns the gas left; negative when insufficient
 */
function write(frame: usize, id: u32, value: usize, gas: i64): i64 {
  const entry = slotEntry(id)
  const current = entry + SLOT_CURRENT
  const original = entry + SLOT_ORIGINAL
  const isLegacy = load<u32>(RULE_STORAGE) === STORAGE_LEGACY
  const left = gas - <i64>load<u32>(isLegacy ? legacyCost(current, value) : netCost(original, current, value))
  if (left < 0) return left
  store<u32>(STATE_STORAGE_WRITTEN, 1)
  if (equalWords(current, value)) return left
  const refund = isLegacy ? legacyRefund(current, value) : netRefund(original, current, value)
  store<i64>(STATE_REFUND, load<i64>(STATE_REFUND) + refund)
  writeSlot(id, value, load<u32>(frame, FRAME_JOURNAL))
  return left
}

/** EIP-2200: halts without accessing the slot, unless a tracer needs the cost. */
function belowSentry(frame: usize, sp: usize, gas: i64): i32 {
  if (load<u32>(STATE_STEPPING) === 0) return -HALT_OUT_OF_GAS
  const entry = slotEntry(findSlot(load<u32>(frame, FRAME_ADDRESS_ID), sp - 32))
  const flags = load<u32>(entry, SLOT_FLAGS)
  if ((flags & SLOT_IS_LOADED) === 0) return askFor(sp - 32)
  const cold = hasAccessLists() && (flags & SLOT_IS_WARM) === 0 ? <i64>load<u32>(RULE_COLD_SLOT) : 0
  return outOfGas(gas - cold - <i64>load<u32>(netCost(entry + SLOT_ORIGINAL, entry + SLOT_CURRENT, sp - 64)))
}

/** Each function returns the address of the rule with the cost. */
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

/** For a value that differs from the current one. EIP-1283 and EIP-2200 differ only in the amounts. */
function netRefund(original: usize, current: usize, value: usize): i64 {
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

function tload(frame: usize, key: usize): void {
  const id = lookUpTransient(load<u32>(frame, FRAME_ADDRESS_ID), key)
  if (id < 0) setU64(key, 0)
  else copyWord(key, transientEntry(id) + TRANSIENT_VALUE)
}

export function tstore(frame: usize): i32 {
  if (load<u32>(frame, FRAME_FLAGS) & FRAME_IS_STATIC) return -HALT_STATIC_STATE_CHANGE
  const sp = <usize>load<u32>(frame, FRAME_SP)
  const id = findTransient(load<u32>(frame, FRAME_ADDRESS_ID), sp - 32)
  writeTransient(id, sp - 64, load<u32>(frame, FRAME_JOURNAL))
  store<u32>(frame, sp - 64, FRAME_SP)
  return CONTINUE
}
