/** CREATE and CREATE2. */

import { access } from './access'
import { copyAddress } from './bytes'
import { finishCreate, frameBytes, placeInitCode, pushFrame, reachedDepth } from './frame'
import {
  ANSWER_ADDRESS,
  ANSWER_FLAGS,
  CREATE_COLLISION,
  CREATE_CREATE2,
  CREATE_GO,
  EXIT_CREATE,
  EXIT_ENTER,
  EXIT_REFUSED,
  FRAME_ADDRESS,
  FRAME_ADDRESS_ID,
  FRAME_CALLER,
  FRAME_DEPTH,
  FRAME_FLAGS,
  FRAME_GAS,
  FRAME_IS_CREATE,
  FRAME_IS_STATIC,
  FRAME_IS_TRACED,
  FRAME_RETURN,
  FRAME_RETURN_LENGTH,
  FRAME_SP,
  FRAME_TARGET,
  FRAME_VALUE,
  HALT_CODE_TOO_LARGE,
  HALT_STATIC_STATE_CHANGE,
  MAX_CALL_DEPTH,
  REQUEST_DATA,
  REQUEST_DATA_LENGTH,
  REQUEST_GAS,
  REQUEST_HAS_VALUE,
  REQUEST_KIND,
  REQUEST_SLOT,
  REQUEST_VALUE,
  RULE_FLAGS,
  RULE_HAS_ALL_BUT_ONE_64TH,
  RULE_INIT_CODE_LIMIT,
  RULE_INIT_CODE_WORD,
  RULE_KECCAK_WORD,
} from './layout'
import { charge, memoryAt, perWord, rangeEnd } from './memory'
import { CONTINUE, SWITCHED } from './status'
import { findAddress } from './tables'
import { clampU64, copyWord, isZero, toBytes } from './word'

/** reserveTables() must have been called before. */
export function create(frame: usize, kind: u32): i32 {
  const flags = load<u32>(frame, FRAME_FLAGS)
  if (flags & FRAME_IS_STATIC) return -HALT_STATIC_STATE_CHANGE
  const sp = <usize>load<u32>(frame, FRAME_SP)
  const value = sp - 32
  const offset = sp - 64
  const length = sp - 96
  let cost = perWord(length, RULE_INIT_CODE_WORD)
  if (kind === CREATE_CREATE2) cost += perWord(length, RULE_KECCAK_WORD)
  const bytes = clampU64(length)
  const room = bytes <= 0xffffffff ? frameBytes(<u32>bytes) : frameBytes(0)
  const status = charge(frame, rangeEnd(offset, length), cost, room)
  if (status !== CONTINUE) return status
  if (bytes > <u64>load<u32>(RULE_INIT_CODE_LIMIT)) return -HALT_CODE_TOO_LARGE
  store<u32>(frame, 0, FRAME_RETURN)
  store<u32>(frame, 0, FRAME_RETURN_LENGTH)
  const isTooDeep = load<i32>(frame, FRAME_DEPTH) >= MAX_CALL_DEPTH
  if (isTooDeep && (flags & FRAME_IS_TRACED) === 0) {
    finishCreate(frame, kind, 0)
    return SWITCHED
  }
  store<u32>(REQUEST_KIND, kind)
  store<u32>(REQUEST_HAS_VALUE, u32(!isZero(value)))
  toBytes(REQUEST_VALUE, value)
  store<u32>(REQUEST_DATA, bytes === 0 ? 0 : memoryAt(frame, offset))
  store<u32>(REQUEST_DATA_LENGTH, <u32>bytes)
  if (kind === CREATE_CREATE2) toBytes(REQUEST_SLOT, sp - 128)
  store<i64>(REQUEST_GAS, gasGiven(load<i64>(frame, FRAME_GAS)))
  return isTooDeep ? EXIT_REFUSED : EXIT_CREATE
}

/** Gas given to a creation. */
function gasGiven(gas: i64): i64 {
  return load<u32>(RULE_FLAGS) & RULE_HAS_ALL_BUT_ONE_64TH ? gas - gas / 64 : gas
}

/** Continues after the host's decision. reserveTables() must have been called before. */
export function createAnswered(frame: usize): i32 {
  const kind = load<u32>(REQUEST_KIND)
  const answer = load<u32>(ANSWER_FLAGS)
  if (answer !== CREATE_GO && answer !== CREATE_COLLISION) {
    finishCreate(frame, kind, 0)
    return SWITCHED
  }
  const id = findAddress(ANSWER_ADDRESS)
  access(id)
  const gas = load<i64>(frame, FRAME_GAS)
  const given = gasGiven(gas)
  if (answer === CREATE_COLLISION) {
    reachedDepth(load<u32>(frame, FRAME_DEPTH) + 1)
    store<i64>(frame, gas - given, FRAME_GAS)
    finishCreate(frame, kind, 0)
    return SWITCHED
  }
  const child = pushFrame(kind, FRAME_IS_CREATE | (load<u32>(frame, FRAME_FLAGS) & FRAME_IS_TRACED), given, 0)
  placeInitCode(child, load<u32>(REQUEST_DATA), load<u32>(REQUEST_DATA_LENGTH))
  store<u32>(child, id, FRAME_ADDRESS_ID)
  copyAddress(child + FRAME_ADDRESS, ANSWER_ADDRESS)
  copyAddress(child + FRAME_TARGET, ANSWER_ADDRESS)
  copyAddress(child + FRAME_CALLER, frame + FRAME_ADDRESS)
  copyWord(child + FRAME_VALUE, REQUEST_VALUE)
  return EXIT_ENTER
}
