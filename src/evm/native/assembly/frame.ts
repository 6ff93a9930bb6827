/** Frames: entering, ending, and reverting the tables with them. */

import { firstFrame, forgetOutputSpace, memoryEnd, reach } from './arena'
import { clear, copyAddress, move } from './bytes'
import { analyze } from './code'
import { forgetBalances, journalMark, revertTo } from './journal'
import {
  ANSWER_OUTPUT,
  ANSWER_OUTPUT_LENGTH,
  ARGS_ADDRESS,
  ARGS_BITMAP,
  ARGS_CALLER,
  ARGS_CODE,
  ARGS_CODE_LENGTH,
  ARGS_FLAGS,
  ARGS_GAS,
  ARGS_INPUT,
  ARGS_INPUT_LENGTH,
  ARGS_VALUE,
  CALL_CALL,
  CALL_CALLCODE,
  CODE_PADDING,
  CREATE_CREATE,
  CREATE_CREATE2,
  END_HALT,
  END_REVERT,
  EXIT_DONE,
  EXIT_FRAME_END,
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
  FRAME_IS_TRACED,
  FRAME_JOURNAL,
  FRAME_KIND,
  FRAME_MARKED,
  FRAME_MEMORY,
  FRAME_OUTPUT_LENGTH,
  FRAME_OUTPUT_OFFSET,
  FRAME_PARENT,
  FRAME_PC,
  FRAME_REFUND,
  FRAME_RETURN,
  FRAME_RETURN_LENGTH,
  FRAME_SP,
  FRAME_STACK,
  FRAME_STACK_BYTES,
  FRAME_TARGET,
  FRAME_VALUE,
  HALT_INVALID_JUMP,
  REQUEST_END,
  REQUEST_HALT,
  STATE_FRAME,
  STATE_GAS_AFTER,
  STATE_MAX_DEPTH,
  STATE_PENDING,
  STATE_REFUND,
} from './layout'
import { moveMark } from './pause'
import { reserveTables } from './reservation'
import { SWITCHED, UNPAID } from './status'
import { findAddress } from './tables'
import { copyWord, fromAddress, setU64 } from './word'

const FRAME_FIXED: u32 = FRAME_STACK + FRAME_STACK_BYTES

/** Size of a frame before it has memory, bytes. */
export function frameBytes(initCode: u32): u64 {
  return <u64>FRAME_FIXED + 64 + (initCode === 0 ? 0 : <u64>initCode + CODE_PADDING + (initCode >> 3) + 64)
}

/** Initializes the header fields that do not depend on the kind of frame. */
function begin(frame: usize, parent: usize, depth: u32): void {
  clear(frame, FRAME_STACK)
  store<u32>(frame, parent, FRAME_PARENT)
  store<u32>(frame, depth, FRAME_DEPTH)
  store<u32>(frame, frame + FRAME_STACK, FRAME_SP)
  store<u32>(frame, frame + FRAME_FIXED, FRAME_MEMORY)
  store<u32>(frame, journalMark(), FRAME_JOURNAL)
  store<i64>(frame, load<i64>(STATE_REFUND), FRAME_REFUND)
  store<u32>(STATE_FRAME, frame)
  reachedDepth(depth)
}

export function reachedDepth(depth: u32): void {
  if (depth > load<u32>(STATE_MAX_DEPTH)) store<u32>(STATE_MAX_DEPTH, depth)
}

/** Enters the first frame from FRAME_ARGS; 0 when the memory cannot grow. */
export function enterTop(): usize {
  if (!reserveTables()) return 0
  const frame = (firstFrame() + 63) & ~63
  if (!reach(<u64>frame + FRAME_FIXED)) return 0
  begin(frame, 0, 0)
  const flags = load<u32>(ARGS_FLAGS)
  store<u32>(frame, flags, FRAME_FLAGS)
  store<u32>(frame, flags & FRAME_IS_CREATE ? CREATE_CREATE : CALL_CALL, FRAME_KIND)
  store<u32>(frame, load<u32>(ARGS_CODE), FRAME_CODE)
  store<u32>(frame, load<u32>(ARGS_CODE_LENGTH), FRAME_CODE_LENGTH)
  store<u32>(frame, load<u32>(ARGS_BITMAP), FRAME_BITMAP)
  store<u32>(frame, load<u32>(ARGS_INPUT), FRAME_INPUT)
  store<u32>(frame, load<u32>(ARGS_INPUT_LENGTH), FRAME_INPUT_LENGTH)
  store<i64>(frame, load<i64>(ARGS_GAS), FRAME_GAS)
  store<u32>(frame, findAddress(ARGS_ADDRESS), FRAME_ADDRESS_ID)
  copyAddress(frame + FRAME_ADDRESS, ARGS_ADDRESS)
  copyAddress(frame + FRAME_TARGET, ARGS_ADDRESS)
  copyAddress(frame + FRAME_CALLER, ARGS_CALLER)
  copyWord(frame + FRAME_VALUE, ARGS_VALUE)
  return frame
}

/**
 * Pushes an empty frame and makes it the running one; the caller fills in code, input, addresses and value. The memory
 * must have been reserved with reach().
 * @param gas deducted from the running frame
 * @param stipend given in addition
 */
export function pushFrame(kind: u32, flags: u32, gas: i64, stipend: i64): usize {
  const parent = <usize>load<u32>(STATE_FRAME)
  const frame = (memoryEnd(parent) + 63) & ~63
  const parentGas = load<i64>(parent, FRAME_GAS)
  store<i64>(parent, parentGas - gas, FRAME_GAS)
  begin(frame, parent, load<u32>(parent, FRAME_DEPTH) + 1)
  store<u32>(frame, kind, FRAME_KIND)
  store<u32>(frame, flags, FRAME_FLAGS)
  store<i64>(frame, gas + stipend, FRAME_GAS)
  moveMark(gas + stipend - parentGas)
  return frame
}

/** Called when the host has moved the value of the running frame, which has not run yet. */
export function valueMoved(frame: usize): void {
  forgetBalances(load<u32>(load<u32>(frame, FRAME_PARENT), FRAME_ADDRESS_ID), load<u32>(frame, FRAME_ADDRESS_ID))
}

/** Copies init code before the frame's memory, padded and analyzed. */
export function placeInitCode(frame: usize, data: usize, length: u32): void {
  const code = frame + FRAME_FIXED
  const bitmap = (code + length + CODE_PADDING + 31) & ~31
  memory.copy(code, data, length)
  clear(code + length, CODE_PADDING)
  analyze(code, length, bitmap)
  store<u32>(frame, code, FRAME_CODE)
  store<u32>(frame, length, FRAME_CODE_LENGTH)
  store<u32>(frame, bitmap, FRAME_BITMAP)
  store<u32>(frame, (bitmap + (length >> 3) + 1 + 31) & ~31, FRAME_MEMORY)
}

/**
 * Ends the running frame with END_* and its output.
 * @returns the status to continue with
 */
export function endFrame(end: u32, output: usize, length: u32): i32 {
  const frame = <usize>load<u32>(STATE_FRAME)
  store<u32>(REQUEST_END, end)
  store<u32>(ANSWER_OUTPUT, output)
  store<u32>(ANSWER_OUTPUT_LENGTH, length)
  const inside =
    load<u32>(frame, FRAME_MARKED) === 0 &&
    load<u32>(frame, FRAME_PARENT) !== 0 &&
    (load<u32>(frame, FRAME_FLAGS) & (FRAME_IS_CREATE | FRAME_IS_TRACED)) === 0
  if (inside) return leaveFrame()
  store<u32>(STATE_PENDING, EXIT_FRAME_END)
  return EXIT_FRAME_END
}

export function haltFrame(halt: u32): i32 {
  store<u32>(REQUEST_HALT, halt)
  dropGas(<usize>load<u32>(STATE_FRAME))
  return endFrame(END_HALT, 0, 0)
}

/**
 * Writes the registers back to the header.
 * @returns UNPAID, for a block that does not begin
 */
export function save(frame: usize, pc: usize, sp: usize, gas: i64): i32 {
  store<u32>(frame, pc, FRAME_PC)
  store<u32>(frame, sp, FRAME_SP)
  store<i64>(frame, gas, FRAME_GAS)
  return UNPAID
}

/** A jump to an invalid destination. The arguments are the registers before the jump, but `gas` is after its cost. */
export function badJump(frame: usize, pc: usize, sp: usize, gas: i64): i32 {
  save(frame, pc, sp, gas)
  store<i64>(STATE_GAS_AFTER, gas)
  return haltFrame(HALT_INVALID_JUMP)
}

function dropGas(frame: usize): void {
  moveMark(-load<i64>(frame, FRAME_GAS))
  store<i64>(frame, 0, FRAME_GAS)
}

/** Applies REQUEST_END to the running frame and returns to its caller. */
export function leaveFrame(): i32 {
  const frame = <usize>load<u32>(STATE_FRAME)
  const end = load<u32>(REQUEST_END)
  const failed = end === END_REVERT || end === END_HALT
  if (failed) {
    revertTo(load<u32>(frame, FRAME_JOURNAL))
    store<i64>(STATE_REFUND, load<i64>(frame, FRAME_REFUND))
  }
  if (end === END_HALT) dropGas(frame)
  const parent = <usize>load<u32>(frame, FRAME_PARENT)
  if (parent === 0) return EXIT_DONE
  const gas = load<i64>(frame, FRAME_GAS)
  const parentGas = load<i64>(parent, FRAME_GAS)
  moveMark(parentGas)
  store<i64>(parent, parentGas + gas, FRAME_GAS)
  const isCreate = (load<u32>(frame, FRAME_FLAGS) & FRAME_IS_CREATE) !== 0
  const gives = isCreate ? end === END_REVERT : end !== END_HALT
  store<u32>(parent, gives ? load<u32>(ANSWER_OUTPUT) : 0, FRAME_RETURN)
  store<u32>(parent, gives ? load<u32>(ANSWER_OUTPUT_LENGTH) : 0, FRAME_RETURN_LENGTH)
  store<u32>(STATE_FRAME, parent)
  if (isCreate) {
    finishCreate(parent, load<u32>(frame, FRAME_KIND), failed ? 0 : frame + FRAME_ADDRESS)
  } else {
    finishCall(parent, load<u32>(frame, FRAME_KIND), failed ? 0 : 1)
  }
  return SWITCHED
}

/** Number of words that a call or creation pops. */
function operands(kind: u32): usize {
  if (kind === CALL_CALL || kind === CALL_CALLCODE) return 7
  if (kind === CREATE_CREATE2) return 4
  return kind === CREATE_CREATE ? 3 : 6
}

/** Completes the call at FRAME_PC: copies the output to memory, pushes the result and advances to the next opcode. */
export function finishCall(frame: usize, kind: u32, success: u64): void {
  const length = min(load<u32>(frame, FRAME_RETURN_LENGTH), load<u32>(frame, FRAME_OUTPUT_LENGTH))
  if (length !== 0) {
    const target = load<u32>(frame, FRAME_MEMORY) + load<u32>(frame, FRAME_OUTPUT_OFFSET)
    move(<usize>target, load<u32>(frame, FRAME_RETURN), length)
  }
  setU64(resultOf(frame, kind), success)
}

/** Completes a creation; `address` points to 20 bytes or is 0. */
export function finishCreate(frame: usize, kind: u32, address: usize): void {
  const result = resultOf(frame, kind)
  if (address === 0) setU64(result, 0)
  else fromAddress(result, address)
}

function resultOf(frame: usize, kind: u32): usize {
  const result = <usize>load<u32>(frame, FRAME_SP) - operands(kind) * 32
  store<u32>(frame, result + 32, FRAME_SP)
  store<u32>(frame, load<u32>(frame, FRAME_PC) + 1, FRAME_PC)
  forgetOutputSpace()
  return result
}
