/** CALL, CALLCODE, DELEGATECALL, STATICCALL. */

import { access, accessCost } from './access'
import { requestAddress } from './account'
import { outputSpace } from './arena'
import { copyAddress, move } from './bytes'
import { finishCall, finishCreate, frameBytes, pushFrame, reachedDepth } from './frame'
import { outOfGas } from './gas'
import { forgetBalances, keepCode } from './journal'
import {
  ADDRESS_BITMAP,
  ADDRESS_CODE,
  ADDRESS_CODE_LENGTH,
  ADDRESS_DELEGATE,
  ADDRESS_FLAGS,
  ADDRESS_HAS_CODE,
  ADDRESS_HAS_IDENTITY,
  ADDRESS_HAS_PRECOMPILE,
  ADDRESS_IS_DELEGATED,
  ANSWER_ADDRESS,
  ANSWER_BITMAP,
  ANSWER_CODE,
  ANSWER_CODE_LENGTH,
  ANSWER_FLAGS,
  ANSWER_OUTPUT,
  ANSWER_OUTPUT_LENGTH,
  CALL_CALL,
  CALL_CALLCODE,
  CALL_DELEGATECALL,
  CALL_STATICCALL,
  CREATE_CREATE,
  CREATE_CREATE2,
  EXIT_CALL,
  EXIT_CALL_DIRECT,
  EXIT_ENTER,
  EXIT_REFUSED,
  FRAME_ADDRESS,
  FRAME_ADDRESS_ID,
  FRAME_BITMAP,
  FRAME_CALLER,
  FRAME_CODE,
  FRAME_CODE_LENGTH,
  FRAME_DEPTH,
  FRAME_FLAGS,
  FRAME_GAS,
  FRAME_INPUT,
  FRAME_INPUT_LENGTH,
  FRAME_IS_CREATE,
  FRAME_IS_STATIC,
  FRAME_IS_TRACED,
  FRAME_OUTPUT_LENGTH,
  FRAME_OUTPUT_OFFSET,
  FRAME_RETURN,
  FRAME_RETURN_LENGTH,
  FRAME_SP,
  FRAME_TARGET,
  FRAME_VALUE,
  HALT_OUT_OF_GAS,
  HALT_STATIC_STATE_CHANGE,
  MAX_CALL_DEPTH,
  REQUEST_ADDRESS,
  REQUEST_ADDRESS_ID,
  REQUEST_DATA,
  REQUEST_DATA_LENGTH,
  REQUEST_GAS,
  REQUEST_HAS_VALUE,
  REQUEST_KIND,
  REQUEST_VALUE,
  RULE_CALL_STIPEND,
  RULE_CALL_VALUE,
  RULE_FLAGS,
  RULE_HAS_ALL_BUT_ONE_64TH,
  RULE_HAS_STATE_CLEARING,
  RULE_NEW_ACCOUNT,
  STATE_GAS_AFTER,
  TARGET_CODE,
  TARGET_DELEGATED,
  TARGET_IDENTITY,
  TARGET_NEW,
  TARGET_PRECOMPILE,
  TARGET_UNPAYABLE,
} from './layout'
import { charge, memoryAt, rangeEnd } from './memory'
import { CONTINUE, SWITCHED } from './status'
import { addressEntry, findAddress } from './tables'
import { clampU64, copyWord, isZero, setU64, toBytes } from './word'

/** The largest amount of gas. */
// biome-ignore lint/correctness/noPrecisionLoss: this is u64
const MOST_WANTED: u64 = 0x7fffffffffffffff

const IDENTITY_GAS: i64 = 15
const IDENTITY_WORD_GAS: i64 = 3

/** Whether the call has a value operand: CALL and CALLCODE. */
function takesValue(kind: u32): bool {
  return kind === CALL_CALL || kind === CALL_CALLCODE
}

/** Position of the first of the four operands for input and output, the input offset. */
function ranges(sp: usize, kind: u32): usize {
  return takesValue(kind) ? sp - 128 : sp - 96
}

function movesValue(sp: usize, kind: u32): bool {
  return takesValue(kind) && !isZero(sp - 96)
}

/** reserveTables() must have been called before. */
export function call(frame: usize, kind: u32): i32 {
  const sp = <usize>load<u32>(frame, FRAME_SP)
  const hasValue = movesValue(sp, kind)
  if (kind === CALL_CALL && hasValue && load<u32>(frame, FRAME_FLAGS) & FRAME_IS_STATIC)
    return -HALT_STATIC_STATE_CHANGE
  const input = ranges(sp, kind)
  const end = max(rangeEnd(input, input - 32), rangeEnd(input - 64, input - 96))
  const id = requestAddress(sp - 64)
  const cost = accessCost(id) + (hasValue ? <i64>load<u32>(RULE_CALL_VALUE) : 0)
  const entry = addressEntry(id)
  const isPlain = !hasValue && (kind !== CALL_CALL || (load<u32>(RULE_FLAGS) & RULE_HAS_STATE_CLEARING) !== 0)
  const known = isPlain ? load<u32>(entry, ADDRESS_FLAGS) : 0
  const output = known & ADDRESS_HAS_IDENTITY ? clampU64(input - 32) & 0xffffffff : 0
  const status = charge(frame, end, cost, frameBytes(0) + output)
  if (status === -HALT_OUT_OF_GAS) return wantOfGas(load<i64>(STATE_GAS_AFTER), sp)
  if (status !== CONTINUE) return status
  access(id)
  store<u32>(REQUEST_KIND, kind)
  store<u32>(REQUEST_HAS_VALUE, u32(hasValue))
  if (known & ADDRESS_HAS_CODE) return proceed(frame, TARGET_CODE, id)
  if (known & ADDRESS_HAS_PRECOMPILE) {
    return proceed(frame, TARGET_PRECOMPILE | (known & ADDRESS_HAS_IDENTITY ? TARGET_IDENTITY : 0), id)
  }
  if (takesValue(kind)) toBytes(REQUEST_VALUE, sp - 96)
  else setU64(REQUEST_VALUE, 0)
  return EXIT_CALL
}

/** Continues after the host has reported the target. reserveTables() must have been called before. */
export function callAnswered(frame: usize): i32 {
  const flags = load<u32>(ANSWER_FLAGS)
  const id = load<u32>(REQUEST_ADDRESS_ID)
  const entry = addressEntry(id)
  if (flags & TARGET_DELEGATED) store<u32>(entry, findAddress(ANSWER_ADDRESS), ADDRESS_DELEGATE)
  if (flags & TARGET_CODE) {
    store<u32>(entry, load<u32>(ANSWER_CODE), ADDRESS_CODE)
    store<u32>(entry, load<u32>(ANSWER_CODE_LENGTH), ADDRESS_CODE_LENGTH)
    store<u32>(entry, load<u32>(ANSWER_BITMAP), ADDRESS_BITMAP)
    keepCode(id, ADDRESS_HAS_CODE | (flags & TARGET_DELEGATED ? ADDRESS_IS_DELEGATED : 0))
  }
  if (flags & TARGET_PRECOMPILE) {
    keepCode(id, ADDRESS_HAS_PRECOMPILE | (flags & TARGET_IDENTITY ? ADDRESS_HAS_IDENTITY : 0))
  }
  // Space for the output is reserved only for targets that were known before.
  return proceed(frame, flags & ~TARGET_IDENTITY, id)
}

/** Charges the costs that depend on the target, and starts the call. */
function proceed(frame: usize, flags: u32, id: u32): i32 {
  const sp = <usize>load<u32>(frame, FRAME_SP)
  const kind = load<u32>(REQUEST_KIND)
  const hasValue = load<u32>(REQUEST_HAS_VALUE) !== 0
  const entry = addressEntry(id)
  const rules = load<u32>(RULE_FLAGS)
  let gas = load<i64>(frame, FRAME_GAS)
  if (kind === CALL_CALL && flags & TARGET_NEW && (hasValue || (rules & RULE_HAS_STATE_CLEARING) === 0)) {
    gas -= <i64>load<u32>(RULE_NEW_ACCOUNT)
  }
  if ((flags & TARGET_DELEGATED) !== 0 || load<u32>(entry, ADDRESS_FLAGS) & ADDRESS_IS_DELEGATED) {
    const delegate = load<u32>(entry, ADDRESS_DELEGATE)
    gas -= accessCost(delegate)
    access(delegate)
  }
  if (gas < 0) return wantOfGas(gas, sp)
  const wanted = wantedGas(sp)
  const most = rules & RULE_HAS_ALL_BUT_ONE_64TH ? gas - gas / 64 : gas
  if (wanted > most && (rules & RULE_HAS_ALL_BUT_ONE_64TH) === 0) return wantOfGas(gas, sp)
  const given = min(wanted, most)
  const stipend = hasValue ? <i64>load<u32>(RULE_CALL_STIPEND) : 0
  const input = ranges(sp, kind)
  store<i64>(frame, gas, FRAME_GAS)
  store<u32>(frame, 0, FRAME_RETURN)
  store<u32>(frame, 0, FRAME_RETURN_LENGTH)
  store<u32>(frame, <u32>load<u64>(input - 64), FRAME_OUTPUT_OFFSET)
  store<u32>(frame, isZero(input - 96) ? 0 : <u32>load<u64>(input - 96), FRAME_OUTPUT_LENGTH)
  const inputLength = isZero(input - 32) ? 0 : <u32>load<u64>(input - 32)
  const data = inputLength === 0 ? 0 : memoryAt(frame, input)
  if (load<i32>(frame, FRAME_DEPTH) >= MAX_CALL_DEPTH || (hasValue && (flags & TARGET_UNPAYABLE) !== 0)) {
    if (isTraced(frame)) {
      store<i64>(REQUEST_GAS, given + stipend)
      store<u32>(REQUEST_DATA, data)
      store<u32>(REQUEST_DATA_LENGTH, inputLength)
      return EXIT_REFUSED
    }
    store<i64>(frame, gas + stipend, FRAME_GAS)
    finishCall(frame, kind, 0)
    return SWITCHED
  }
  if (flags & TARGET_CODE) {
    const child = pushFrame(kind, childFlags(frame, kind), given, stipend)
    store<u32>(child, load<u32>(entry, ADDRESS_CODE), FRAME_CODE)
    store<u32>(child, load<u32>(entry, ADDRESS_CODE_LENGTH), FRAME_CODE_LENGTH)
    store<u32>(child, load<u32>(entry, ADDRESS_BITMAP), FRAME_BITMAP)
    store<u32>(child, data, FRAME_INPUT)
    store<u32>(child, inputLength, FRAME_INPUT_LENGTH)
    setParties(child, frame, kind, id, sp)
    return hasValue || isTraced(child) ? EXIT_ENTER : SWITCHED
  }
  if ((flags & TARGET_IDENTITY) !== 0 && !isTraced(frame)) return giveInput(frame, kind, given, data, inputLength)
  store<u32>(ANSWER_FLAGS, flags)
  store<i64>(frame, gas - given, FRAME_GAS)
  store<i64>(REQUEST_GAS, given + stipend)
  store<u32>(REQUEST_DATA, data)
  store<u32>(REQUEST_DATA_LENGTH, inputLength)
  if ((flags & TARGET_PRECOMPILE) === 0) reachedDepth(load<u32>(frame, FRAME_DEPTH) + 1)
  return EXIT_CALL_DIRECT
}

/** Runs the identity precompile; the space for its output has been reserved. */
function giveInput(frame: usize, kind: u32, given: i64, data: usize, length: u32): i32 {
  const cost = IDENTITY_GAS + IDENTITY_WORD_GAS * <i64>((<u64>length + 31) >> 5)
  const isPaid = cost <= given
  store<i64>(frame, load<i64>(frame, FRAME_GAS) - (isPaid ? cost : given), FRAME_GAS)
  if (isPaid && length !== 0) {
    const output = outputSpace(length)
    move(output, data, length)
    store<u32>(frame, output, FRAME_RETURN)
    store<u32>(frame, length, FRAME_RETURN_LENGTH)
  }
  finishCall(frame, kind, u64(isPaid))
  return SWITCHED
}

function wantedGas(sp: usize): i64 {
  return <i64>min(clampU64(sp - 32), MOST_WANTED)
}

/** @param after gas after all costs except the requested gas, which is required in full before EIP-150 */
function wantOfGas(after: i64, sp: usize): i32 {
  const needsAll = (load<u32>(RULE_FLAGS) & RULE_HAS_ALL_BUT_ONE_64TH) === 0
  if (!needsAll) return outOfGas(after)
  const wanted = wantedGas(sp)
  return outOfGas(after < i64.MIN_VALUE + wanted ? i64.MIN_VALUE : after - wanted)
}

function childFlags(frame: usize, kind: u32): u32 {
  const inherited = load<u32>(frame, FRAME_FLAGS) & ~FRAME_IS_CREATE
  return kind === CALL_STATICCALL ? inherited | FRAME_IS_STATIC : inherited
}

function isTraced(frame: usize): bool {
  return (load<u32>(frame, FRAME_FLAGS) & FRAME_IS_TRACED) !== 0
}

/** Sets caller, address, target and value of the child. */
function setParties(child: usize, frame: usize, kind: u32, id: u32, sp: usize): void {
  copyAddress(child + FRAME_TARGET, REQUEST_ADDRESS)
  const inPlace = kind === CALL_CALLCODE || kind === CALL_DELEGATECALL
  copyAddress(child + FRAME_ADDRESS, inPlace ? frame + FRAME_ADDRESS : REQUEST_ADDRESS)
  store<u32>(child, inPlace ? load<u32>(frame, FRAME_ADDRESS_ID) : id, FRAME_ADDRESS_ID)
  copyAddress(child + FRAME_CALLER, frame + (kind === CALL_DELEGATECALL ? FRAME_CALLER : FRAME_ADDRESS))
  if (kind === CALL_DELEGATECALL) copyWord(child + FRAME_VALUE, frame + FRAME_VALUE)
  else if (takesValue(kind)) toBytes(child + FRAME_VALUE, sp - 96)
}

/** Continues after the host has seen a refused call or creation. The caller keeps the stipend. */
export function refusalSeen(frame: usize): i32 {
  const kind = load<u32>(REQUEST_KIND)
  if (kind === CREATE_CREATE || kind === CREATE_CREATE2) {
    finishCreate(frame, kind, 0)
    return SWITCHED
  }
  const stipend = load<u32>(REQUEST_HAS_VALUE) !== 0 ? <i64>load<u32>(RULE_CALL_STIPEND) : 0
  store<i64>(frame, load<i64>(frame, FRAME_GAS) + stipend, FRAME_GAS)
  finishCall(frame, kind, 0)
  return SWITCHED
}

/** Continues after a call without code. */
export function directAnswered(frame: usize): i32 {
  store<i64>(frame, load<i64>(frame, FRAME_GAS) + load<i64>(REQUEST_GAS), FRAME_GAS)
  const success = load<u32>(ANSWER_FLAGS) & 1
  if (load<u32>(REQUEST_HAS_VALUE) !== 0) {
    forgetBalances(load<u32>(frame, FRAME_ADDRESS_ID), load<u32>(REQUEST_ADDRESS_ID))
  }
  store<u32>(frame, load<u32>(ANSWER_OUTPUT), FRAME_RETURN)
  store<u32>(frame, load<u32>(ANSWER_OUTPUT_LENGTH), FRAME_RETURN_LENGTH)
  finishCall(frame, load<u32>(REQUEST_KIND), success)
  return SWITCHED
}
