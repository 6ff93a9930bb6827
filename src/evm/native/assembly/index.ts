/** The module's exports; see abi.md. */
import { allocate as allocateInArena, outputSpace, resetArena } from './arena'
import { resetBlocks } from './blocks'
import { analyze } from './code'
import { forgetCodes } from './forgetCodes'
import { enterTop } from './frame'
import { keccak256 } from './keccak'
import {
  ADDRESS_FLAGS,
  ADDRESS_IS_PRESET,
  ADDRESS_IS_WARM,
  PRECOMPILE_COUNT,
  PRECOMPILES,
  SCRATCH,
  SLOT_CURRENT,
  SLOT_FLAGS,
  SLOT_IS_PRESET,
  SLOT_IS_WARM,
  STATE_ADDRESS_COUNT,
  STATE_MAX_DEPTH,
  STATE_PENDING,
  STATE_REFUND,
  STATE_STEP_BEGIN,
  STATE_STEP_COUNT,
  STATE_STEP_LENGTH,
  STATE_STEPPING,
  STATE_STORAGE_WRITTEN,
} from './layout'
import { buildTable } from './opcodes'
import { reserveTables, resetTables } from './reservation'
import { run } from './run'
import { setStepDone } from './settle'
import { addressEntry, findAddress, findSlot, slotEntry } from './tables'
import { fromBytes, toBytes } from './word'

export { analyze, enterTop, forgetCodes, keccak256, outputSpace, run }

export function reset(): void {
  resetArena()
  resetTables()
  setStepDone(false)
  resetBlocks()
  store<u32>(STATE_PENDING, 0)
  store<u32>(STATE_MAX_DEPTH, 0)
  store<u32>(STATE_STORAGE_WRITTEN, 0)
  store<u32>(STATE_STEPPING, 0)
  store<u64>(STATE_STEP_COUNT, 0)
  store<u64>(STATE_STEP_LENGTH, 0)
  store<u64>(STATE_STEP_BEGIN, 0)
  store<i64>(STATE_REFUND, 0)
}

export function allocate(bytes: u32): usize {
  return allocateInArena(bytes)
}

export function addressId(pointer: usize): i32 {
  return reserveTables() ? <i32>findAddress(pointer) : -1
}

export function warmAddress(pointer: usize): i32 {
  const id = addressId(pointer)
  if (id >= 0) setFlags(addressEntry(id) + ADDRESS_FLAGS, ADDRESS_IS_WARM | ADDRESS_IS_PRESET)
  return id
}

export function warmSlot(address: u32, pointer: usize): i32 {
  if (address >= load<u32>(STATE_ADDRESS_COUNT) || !reserveTables()) return 0
  const key: usize = SCRATCH
  fromBytes(key, pointer)
  setFlags(slotEntry(findSlot(address, key)) + SLOT_FLAGS, SLOT_IS_WARM | SLOT_IS_PRESET)
  return 1
}

function setFlags(at: usize, flags: u32): void {
  store<u32>(at, load<u32>(at) | flags)
}

export function warmPrecompiles(): i32 {
  const count = load<u32>(PRECOMPILE_COUNT)
  for (let i: u32 = 0; i < count; i++) if (warmAddress(PRECOMPILES + i * 20) < 0) return 0
  return 1
}

export function rulesChanged(): void {
  buildTable()
}

export function addRefund(amount: i32): void {
  store<i64>(STATE_REFUND, load<i64>(STATE_REFUND) + <i64>amount)
}

export function slotKey(index: u32, out: usize): void {
  toBytes(out, slotEntry(index))
}

export function slotValue(index: u32, out: usize): void {
  toBytes(out, slotEntry(index) + SLOT_CURRENT)
}
