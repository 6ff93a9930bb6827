/** A frame's memory: size, gas, and copying into it. */

import { memoryEnd, reach } from './arena'
import { clear, move } from './bytes'
import { outOfGas, UNPAYABLE } from './gas'
import { keccak256 } from './keccak'
import {
  EXIT_NO_MEMORY,
  FRAME_CODE,
  FRAME_CODE_LENGTH,
  FRAME_GAS,
  FRAME_INPUT,
  FRAME_INPUT_LENGTH,
  FRAME_MEMORY,
  FRAME_MEMORY_LENGTH,
  FRAME_RETURN,
  FRAME_RETURN_LENGTH,
  FRAME_SP,
  HALT_RETURN_DATA_BOUNDS,
  RULE_COPY_WORD,
  RULE_KECCAK_WORD,
} from './layout'
import { CONTINUE } from './status'
import { clampU64, fitsU64, fromBytes, isZero } from './word'

/** End of a range that no gas limit pays for. */
export const TOO_FAR: u64 = u64.MAX_VALUE
/** Upper bound of memory addresses. */
export const FARTHEST: u64 = 0xffffff00
const WORD_GAS: u64 = 3
const QUADRATIC_DIVISOR: u64 = 512
/** Extra distance, besides its own length, by which return data moves away from growing memory. */
const RETURN_GAP: u64 = 4096

/** End of a memory range; 0 when it is empty, regardless of its offset. */
export function rangeEnd(offset: usize, length: usize): u64 {
  if (isZero(length)) return 0
  if (!fitsU64(offset) || !fitsU64(length)) return TOO_FAR
  const from = load<u64>(offset)
  const bytes = load<u64>(length)
  return from > FARTHEST || bytes > FARTHEST || from + bytes > FARTHEST ? TOO_FAR : from + bytes
}

function memoryCost(words: u64): u64 {
  return words * WORD_GAS + (words * words) / QUADRATIC_DIVISOR
}

/**
 * Grows the memory to `end`, and charges gas for it and `more`. When the status is not CONTINUE, nothing has changed.
 * @param behind bytes that the opcode needs behind the memory
 */
export function charge(frame: usize, end: u64, more: i64, behind: u64): i32 {
  if (end === TOO_FAR) return outOfGas(UNPAYABLE)
  const length = <u64>load<u32>(frame, FRAME_MEMORY_LENGTH)
  const wider = (end + 31) & ~31
  let cost = more
  if (wider > length) cost += <i64>(memoryCost(wider >> 5) - memoryCost(length >> 5))
  const gas = load<i64>(frame, FRAME_GAS) - cost
  if (gas < 0) return outOfGas(gas)
  if (behind > 0 && !reach(<u64>load<u32>(frame, FRAME_MEMORY) + max(wider, length) + behind)) return EXIT_NO_MEMORY
  if (wider > length && !widen(frame, <u32>wider)) return EXIT_NO_MEMORY
  store<i64>(frame, gas, FRAME_GAS)
  return CONTINUE
}

function widen(frame: usize, wider: u32): bool {
  const start = <usize>load<u32>(frame, FRAME_MEMORY)
  const old = memoryEnd(frame)
  const end = <u64>start + <u64>wider
  const returned = <usize>load<u32>(frame, FRAME_RETURN)
  const returnLength = <usize>load<u32>(frame, FRAME_RETURN_LENGTH)
  if (returnLength !== 0 && returned >= old && <u64>returned < end) {
    // Far enough that the next move occurs only after the same amount of growth.
    const target = end + <u64>returnLength + RETURN_GAP
    if (!reach(target + <u64>returnLength)) return false
    memory.copy(<usize>target, returned, returnLength)
    store<u32>(frame, <u32>target, FRAME_RETURN)
  } else if (!reach(end)) return false
  clear(old, <usize>end - old)
  store<u32>(frame, wider, FRAME_MEMORY_LENGTH)
  return true
}

/** Number of 32-byte words; the length has passed rangeEnd or is below 2^32. */
export function wordsOf(length: usize): i64 {
  return <i64>((load<u64>(length) + 31) >> 5)
}

/** Gas per word of a range; any value suffices for a range that is TOO_FAR. */
export function perWord(length: usize, rule: usize): i64 {
  return fitsU64(length) && load<u64>(length) <= FARTHEST ? wordsOf(length) * <i64>load<u32>(rule) : 0
}

/** Pointer into the frame's memory. */
export function memoryAt(frame: usize, offset: usize): usize {
  return <usize>load<u32>(frame, FRAME_MEMORY) + <usize>load<u64>(offset)
}

export function keccakOpcode(frame: usize): i32 {
  const sp = <usize>load<u32>(frame, FRAME_SP)
  const offset = sp - 32
  const length = sp - 64
  const status = charge(frame, rangeEnd(offset, length), perWord(length, RULE_KECCAK_WORD), 0)
  if (status !== CONTINUE) return status
  const bytes = <usize>load<u64>(length)
  keccak256(bytes === 0 ? 0 : memoryAt(frame, offset), bytes, length)
  fromBytes(length, length)
  store<u32>(frame, length + 32, FRAME_SP)
  return CONTINUE
}

/** Copies bytes of a source from `from` on into the memory, padded with zeros after its end. */
export function copyPadded(target: usize, length: usize, source: usize, sourceLength: u32, from: u64): void {
  const available = from < <u64>sourceLength ? <usize>(<u64>sourceLength - from) : 0
  const bytes = min(length, available)
  if (bytes !== 0) move(target, source + <usize>from, bytes)
  if (bytes < length) memory.fill(target + bytes, 0, length - bytes)
}

/** CALLDATACOPY, CODECOPY and RETURNDATACOPY; `source` and `sourceLength` are offsets of header fields. */
function copyOpcode(frame: usize, source: usize, sourceLength: usize): i32 {
  const sp = <usize>load<u32>(frame, FRAME_SP)
  const length = sp - 96
  const status = charge(frame, rangeEnd(sp - 32, length), perWord(length, RULE_COPY_WORD), 0)
  if (status !== CONTINUE) return status
  if (load<u64>(length) !== 0) {
    const from = clampU64(sp - 64)
    const bytes = load<u32>(frame + sourceLength)
    copyPadded(memoryAt(frame, sp - 32), <usize>load<u64>(length), load<u32>(frame + source), bytes, from)
  }
  store<u32>(frame, length, FRAME_SP)
  return CONTINUE
}

export function callDataCopy(frame: usize): i32 {
  return copyOpcode(frame, FRAME_INPUT, FRAME_INPUT_LENGTH)
}

export function codeCopy(frame: usize): i32 {
  return copyOpcode(frame, FRAME_CODE, FRAME_CODE_LENGTH)
}

/** Whether RETURNDATACOPY reads beyond the return data. */
export function outsideReturnData(frame: usize): bool {
  const sp = <usize>load<u32>(frame, FRAME_SP)
  const available = <u64>load<u32>(frame, FRAME_RETURN_LENGTH)
  const from = clampU64(sp - 64)
  const bytes = clampU64(sp - 96)
  return from > available || bytes > available - from
}

export function returnDataCopy(frame: usize): i32 {
  if (outsideReturnData(frame)) return -HALT_RETURN_DATA_BOUNDS
  return copyOpcode(frame, FRAME_RETURN, FRAME_RETURN_LENGTH)
}

export function memoryCopy(frame: usize): i32 {
  const sp = <usize>load<u32>(frame, FRAME_SP)
  const length = sp - 96
  const end = max(rangeEnd(sp - 32, length), rangeEnd(sp - 64, length))
  const status = charge(frame, end, perWord(length, RULE_COPY_WORD), 0)
  if (status !== CONTINUE) return status
  const bytes = <usize>load<u64>(length)
  if (bytes !== 0) move(memoryAt(frame, sp - 32), memoryAt(frame, sp - 64), bytes)
  store<u32>(frame, length, FRAME_SP)
  return CONTINUE
}
