/** Opcodes that ask the host about accounts, blocks or logs. Call reserveTables() before each. */

import { access, accessCost, hasAccessLists, isWarm } from './access'
import { copyAddress } from './bytes'
import { endFrame } from './frame'
import { outOfGas } from './gas'
import { forgetBalances } from './journal'
import {
  ADDRESS_BALANCE,
  ADDRESS_CODE_LENGTH,
  ADDRESS_FLAGS,
  ADDRESS_HAS_BALANCE,
  ADDRESS_HAS_CODE,
  ADDRESS_IS_DELEGATED,
  ANSWER_CODE,
  ANSWER_CODE_LENGTH,
  ANSWER_FLAGS,
  ANSWER_WORD,
  END_SELFDESTRUCT,
  ENV_NUMBER,
  EXIT_BALANCE,
  EXIT_BLOCK_HASH,
  EXIT_CODE,
  EXIT_CODE_HASH,
  EXIT_CODE_SIZE,
  EXIT_LOG,
  EXIT_SELFDESTRUCT,
  FRAME_ADDRESS_ID,
  FRAME_FLAGS,
  FRAME_GAS,
  FRAME_IS_STATIC,
  FRAME_SP,
  HALT_STATIC_STATE_CHANGE,
  REQUEST_ADDRESS,
  REQUEST_ADDRESS_ID,
  REQUEST_DATA,
  REQUEST_DATA_LENGTH,
  REQUEST_NUMBER,
  REQUEST_TOPIC_COUNT,
  REQUEST_TOPICS,
  RULE_COLD_ACCOUNT,
  RULE_COPY_WORD,
  RULE_LOG_BYTE,
  RULE_NEW_ACCOUNT,
  TARGET_NEW,
} from './layout'
import { charge, copyPadded, memoryAt, perWord, rangeEnd } from './memory'
import { CONTINUE } from './status'
import { addressEntry, findAddress } from './tables'
import { clampU64, copyWord, fitsU64, fromBytes, setU64, toAddress, toBytes } from './word'

const BLOCK_HASHES: u64 = 256

/** Writes the address in the word to the request and returns its index. */
export function requestAddress(word: usize): u32 {
  toAddress(REQUEST_ADDRESS, word)
  const id = findAddress(REQUEST_ADDRESS)
  store<u32>(REQUEST_ADDRESS_ID, id)
  return id
}

/** Charges for accessing the address on top of the stack. */
function chargeAccess(frame: usize): i32 {
  const id = requestAddress(<usize>load<u32>(frame, FRAME_SP) - 32)
  const gas = load<i64>(frame, FRAME_GAS) - accessCost(id)
  if (gas < 0) return outOfGas(gas)
  store<i64>(frame, gas, FRAME_GAS)
  access(id)
  return CONTINUE
}

export function balance(frame: usize): i32 {
  const status = chargeAccess(frame)
  return status !== CONTINUE ? status : giveBalance(frame)
}

export function selfBalance(frame: usize): i32 {
  // Reserves a stack word for the answer, because the operand of BALANCE provides one.
  store<u32>(frame, load<u32>(frame, FRAME_SP) + 32, FRAME_SP)
  store<u32>(REQUEST_ADDRESS_ID, load<u32>(frame, FRAME_ADDRESS_ID))
  return giveBalance(frame)
}

/** Writes the balance of the address REQUEST_ADDRESS_ID to the top of the stack, or requests it. */
function giveBalance(frame: usize): i32 {
  const entry = addressEntry(load<u32>(REQUEST_ADDRESS_ID))
  if (load<u32>(entry, ADDRESS_FLAGS) & ADDRESS_HAS_BALANCE) {
    copyWord(<usize>load<u32>(frame, FRAME_SP) - 32, entry + ADDRESS_BALANCE)
    return CONTINUE
  }
  copyAddress(REQUEST_ADDRESS, entry)
  return EXIT_BALANCE
}

/** Keeps the answer to EXIT_BALANCE until the balance changes. */
export function balanceAnswered(frame: usize): void {
  const entry = addressEntry(load<u32>(REQUEST_ADDRESS_ID))
  fromBytes(entry + ADDRESS_BALANCE, ANSWER_WORD)
  store<u32>(entry, load<u32>(entry, ADDRESS_FLAGS) | ADDRESS_HAS_BALANCE, ADDRESS_FLAGS)
  wordAnswered(frame)
}

export function codeSize(frame: usize): i32 {
  const status = chargeAccess(frame)
  if (status !== CONTINUE) return status
  const entry = addressEntry(load<u32>(REQUEST_ADDRESS_ID))
  const flags = load<u32>(entry, ADDRESS_FLAGS)
  if ((flags & ADDRESS_HAS_CODE) === 0 || (flags & ADDRESS_IS_DELEGATED) !== 0) return EXIT_CODE_SIZE
  setU64(<usize>load<u32>(frame, FRAME_SP) - 32, <u64>load<u32>(entry, ADDRESS_CODE_LENGTH))
  return CONTINUE
}

export function codeHash(frame: usize): i32 {
  const status = chargeAccess(frame)
  return status !== CONTINUE ? status : EXIT_CODE_HASH
}

/** Takes the answer to EXIT_CODE_HASH and EXIT_BLOCK_HASH. */
export function wordAnswered(frame: usize): void {
  fromBytes(<usize>load<u32>(frame, FRAME_SP) - 32, ANSWER_WORD)
}

export function codeSizeAnswered(frame: usize): void {
  setU64(<usize>load<u32>(frame, FRAME_SP) - 32, <u64>load<u32>(ANSWER_CODE_LENGTH))
}

export function externalCodeCopy(frame: usize): i32 {
  const sp = <usize>load<u32>(frame, FRAME_SP)
  const length = sp - 128
  const id = requestAddress(sp - 32)
  const status = charge(frame, rangeEnd(sp - 64, length), perWord(length, RULE_COPY_WORD) + accessCost(id), 0)
  if (status !== CONTINUE) return status
  access(id)
  if (load<u64>(length) !== 0) return EXIT_CODE
  store<u32>(frame, length, FRAME_SP)
  return CONTINUE
}

export function codeAnswered(frame: usize): void {
  const sp = <usize>load<u32>(frame, FRAME_SP)
  const length = sp - 128
  const target = memoryAt(frame, sp - 64)
  copyPadded(target, <usize>load<u64>(length), load<u32>(ANSWER_CODE), load<u32>(ANSWER_CODE_LENGTH), clampU64(sp - 96))
  store<u32>(frame, length, FRAME_SP)
}

export function blockHash(frame: usize): i32 {
  const word = <usize>load<u32>(frame, FRAME_SP) - 32
  const current = bswap<u64>(load<u64>(ENV_NUMBER, 24))
  const number = load<u64>(word)
  if (!fitsU64(word) || number >= current || current - number > BLOCK_HASHES) {
    setU64(word, 0)
    return CONTINUE
  }
  store<u64>(REQUEST_NUMBER, number)
  return EXIT_BLOCK_HASH
}

/** Gas of LOGn in addition to the static cost. */
export function chargeLog(frame: usize): i32 {
  const sp = <usize>load<u32>(frame, FRAME_SP)
  const length = sp - 64
  // A length that overflows the product also fails the memory charge.
  const bytes = <i64>(clampU64(length) & 0xffffffff)
  return charge(frame, rangeEnd(sp - 32, length), bytes * <i64>load<u32>(RULE_LOG_BYTE), 0)
}

export function log(frame: usize, topics: u32): i32 {
  if (load<u32>(frame, FRAME_FLAGS) & FRAME_IS_STATIC) return -HALT_STATIC_STATE_CHANGE
  const status = chargeLog(frame)
  if (status !== CONTINUE) return status
  const sp = <usize>load<u32>(frame, FRAME_SP)
  const length = load<u32>(sp - 64)
  store<u32>(REQUEST_DATA, length === 0 ? 0 : memoryAt(frame, sp - 32))
  store<u32>(REQUEST_DATA_LENGTH, length)
  store<u32>(REQUEST_TOPIC_COUNT, topics)
  for (let i: u32 = 0; i < topics; i++) toBytes(REQUEST_TOPICS + i * 32, sp - 96 - i * 32)
  return EXIT_LOG
}

export function logAnswered(frame: usize): void {
  store<u32>(frame, load<u32>(frame, FRAME_SP) - 64 - load<u32>(REQUEST_TOPIC_COUNT) * 32, FRAME_SP)
}

/** A warm beneficiary has no additional cost. */
function beneficiaryCost(id: u32): i64 {
  return hasAccessLists() && !isWarm(id) ? <i64>load<u32>(RULE_COLD_ACCOUNT) : 0
}

export function selfDestruct(frame: usize): i32 {
  if (load<u32>(frame, FRAME_FLAGS) & FRAME_IS_STATIC) return -HALT_STATIC_STATE_CHANGE
  const id = requestAddress(<usize>load<u32>(frame, FRAME_SP) - 32)
  const gas = load<i64>(frame, FRAME_GAS) - beneficiaryCost(id)
  if (gas < 0) return outOfGas(gas)
  access(id)
  store<i64>(frame, gas, FRAME_GAS)
  return EXIT_SELFDESTRUCT
}

/** Charges the new-account cost and ends the frame. */
export function selfDestructAnswered(frame: usize): i32 {
  const due = load<u32>(ANSWER_FLAGS) & TARGET_NEW ? <i64>load<u32>(RULE_NEW_ACCOUNT) : 0
  const gas = load<i64>(frame, FRAME_GAS) - due
  if (gas < 0) return outOfGas(gas)
  store<i64>(frame, gas, FRAME_GAS)
  forgetBalances(load<u32>(frame, FRAME_ADDRESS_ID), load<u32>(REQUEST_ADDRESS_ID))
  return endFrame(END_SELFDESTRUCT, 0, 0)
}
