/**
 * The loop. Registers of the running frame stand in locals; opcodes that need more than stack, code, memory in use and gas work on
 * the frame header (slow.ts), to which the registers are saved before.
 */
import { addmod, div, mod, mul, mulmod, sdiv, smod } from './arithmetic'
import { isJumpDestination } from './code'
import { badJump, endFrame, haltFrame } from './frame'
import { haltReason } from './halts'
import { blobHash, callDataLoad, swap } from './immediate'
import {
  END_SUCCESS,
  ENV_BASE_FEE,
  ENV_BLOB_BASE_FEE,
  ENV_CHAIN_ID,
  ENV_COINBASE,
  ENV_GAS_LIMIT,
  ENV_GAS_PRICE,
  ENV_NUMBER,
  ENV_ORIGIN,
  ENV_RANDOM,
  ENV_TIMESTAMP,
  EXIT_NO_MEMORY,
  EXIT_PAUSED,
  EXIT_STEP,
  EXIT_STORAGE,
  FRAME_ADDRESS,
  FRAME_BITMAP,
  FRAME_CALLER,
  FRAME_CODE,
  FRAME_CODE_LENGTH,
  FRAME_GAS,
  FRAME_INPUT_LENGTH,
  FRAME_MEMORY,
  FRAME_MEMORY_LENGTH,
  FRAME_PC,
  FRAME_RETURN_LENGTH,
  FRAME_SP,
  FRAME_STACK,
  FRAME_VALUE,
  STATE_FRAME,
  STATE_PENDING,
  STATE_STEPPING,
  STEP_OPCODES,
} from './layout'
import { charge, FARTHEST, TOO_FAR } from './memory'
import { TABLE, TABLE_MINIMUM, TABLE_SPAN } from './opcodes'
import { pauseMark, setMark, storeBudget } from './pause'
import { answered, execute } from './slow'
import { CONTINUE, SWITCHED } from './status'
import { steppedHaltReason } from './step'
import { storageInUse } from './storage'
import {
  add,
  and,
  below,
  belowSigned,
  byteAt,
  clampU64,
  copyWord,
  equalWords,
  fromAddress,
  fromBytes,
  fromEnd,
  isZero,
  leadingZeros,
  not,
  or,
  sar,
  setU64,
  shl,
  shr,
  signExtend,
  sub,
  toBytes,
  xor,
} from './word'

type Free = i32
/** The one type that the loop tells from the other. */
type Stepping = bool

/** Whether EXIT_STEP has been made for the opcode at FRAME_PC. */
let isStepDone: bool = false

/** A new message begins. */
export function resetSteps(): void {
  isStepDone = false
}

const JUMPDEST: usize = 0x5b

/** Runs until the host is needed; EXIT_*. */
export function run(): i32 {
  setMark()
  const pending = load<u32>(STATE_PENDING)
  let status = SWITCHED
  if (pending !== 0) {
    const answer = answered(pending)
    if (answer === EXIT_NO_MEMORY) return answer
    status = settle(answer, 0)
    // A request of its own has been noted by settle.
    if (status === SWITCHED) store<u32>(STATE_PENDING, 0)
  }
  const isStepping = load<u32>(STATE_STEPPING) !== 0
  while (status === SWITCHED) {
    // Recursion passes no JUMPDEST.
    if (load<i64>(load<u32>(STATE_FRAME), FRAME_GAS) < pauseMark) status = EXIT_PAUSED
    else status = isStepping ? interpret<Stepping>() : interpret<Free>()
  }
  storeBudget()
  return status
}

/**
 * What follows from the status of an opcode: SWITCHED or EXIT_*.
 * @param cost given back when the opcode will run again
 */
function settle(status: i32, cost: u32): i32 {
  if (status < 0) return settle(haltFrame(-status), 0)
  if (status === SWITCHED) return status
  const frame = <usize>load<u32>(STATE_FRAME)
  if (status === EXIT_NO_MEMORY || status === EXIT_STORAGE) {
    store<i64>(frame, load<i64>(frame, FRAME_GAS) + <i64>cost, FRAME_GAS)
    isStepDone = true
  }
  if (status !== EXIT_NO_MEMORY) store<u32>(STATE_PENDING, status)
  return status
}

/**
 * Runs the frame until it switches or the host is needed: SWITCHED or EXIT_*.
 * The loop is compiled twice, so that only a traced message pays for the exits before each opcode.
 */
function interpret<Pace>(): i32 {
  let frame = <usize>load<u32>(STATE_FRAME)
  let code = <usize>load<u32>(frame, FRAME_CODE)
  let pc = code + load<u32>(frame, FRAME_PC)
  let sp = <usize>load<u32>(frame, FRAME_SP)
  let gas = load<i64>(frame, FRAME_GAS)
  let memoryStart = <usize>load<u32>(frame, FRAME_MEMORY)
  let memoryLength = <u64>load<u32>(frame, FRAME_MEMORY_LENGTH)
  while (true) {
    const op = <u32>load<u8>(pc)
    if (isBoolean<Pace>()) {
      if (!isStepDone && load<u8>(STEP_OPCODES + op) !== 0) {
        isStepDone = true
        store<u32>(frame, <u32>(pc - code), FRAME_PC)
        store<u32>(frame, <u32>sp, FRAME_SP)
        store<i64>(frame, gas, FRAME_GAS)
        return EXIT_STEP
      }
      isStepDone = false
    }
    const entry = TABLE + (op << 3)
    const cost = load<u32>(entry)
    gas -= <i64>cost
    const height = <u32>(sp - frame) - FRAME_STACK
    if (gas < 0 || height - <u32>load<u16>(entry, TABLE_MINIMUM) > <u32>load<u16>(entry, TABLE_SPAN)) {
      store<u32>(frame, pc - code, FRAME_PC)
      store<u32>(frame, sp, FRAME_SP)
      store<i64>(frame, gas, FRAME_GAS)
      return settle(haltFrame(isBoolean<Pace>() ? steppedHaltReason(frame, op) : haltReason(frame, op)), 0)
    }
    switch (op) {
      case 0x00: {
        store<u32>(frame, pc - code, FRAME_PC)
        store<i64>(frame, gas, FRAME_GAS)
        return settle(endFrame(END_SUCCESS, 0, 0), 0)
      }
      case 0x01: {
        sp -= 32
        add(sp, sp - 32)
        break
      }
      case 0x02: {
        sp -= 32
        mul(sp, sp - 32)
        break
      }
      case 0x03: {
        sp -= 32
        sub(sp, sp - 32)
        break
      }
      case 0x04: {
        sp -= 32
        div(sp, sp - 32)
        break
      }
      case 0x05: {
        sp -= 32
        sdiv(sp, sp - 32)
        break
      }
      case 0x06: {
        sp -= 32
        mod(sp, sp - 32)
        break
      }
      case 0x07: {
        sp -= 32
        smod(sp, sp - 32)
        break
      }
      case 0x08: {
        sp -= 64
        addmod(sp + 32, sp, sp - 32)
        break
      }
      case 0x09: {
        sp -= 64
        mulmod(sp + 32, sp, sp - 32)
        break
      }
      case 0x0b: {
        sp -= 32
        signExtend(sp, sp - 32)
        break
      }
      case 0x10: {
        sp -= 32
        setU64(sp - 32, u64(below(sp, sp - 32)))
        break
      }
      case 0x11: {
        sp -= 32
        setU64(sp - 32, u64(below(sp - 32, sp)))
        break
      }
      case 0x12: {
        sp -= 32
        setU64(sp - 32, u64(belowSigned(sp, sp - 32)))
        break
      }
      case 0x13: {
        sp -= 32
        setU64(sp - 32, u64(belowSigned(sp - 32, sp)))
        break
      }
      case 0x14: {
        sp -= 32
        setU64(sp - 32, u64(equalWords(sp, sp - 32)))
        break
      }
      case 0x15: {
        setU64(sp - 32, u64(isZero(sp - 32)))
        break
      }
      case 0x16: {
        sp -= 32
        and(sp, sp - 32)
        break
      }
      case 0x17: {
        sp -= 32
        or(sp, sp - 32)
        break
      }
      case 0x18: {
        sp -= 32
        xor(sp, sp - 32)
        break
      }
      case 0x19: {
        not(sp - 32)
        break
      }
      case 0x1a: {
        sp -= 32
        byteAt(sp, sp - 32)
        break
      }
      case 0x1b: {
        sp -= 32
        shl(sp, sp - 32)
        break
      }
      case 0x1c: {
        sp -= 32
        shr(sp, sp - 32)
        break
      }
      case 0x1d: {
        sp -= 32
        sar(sp, sp - 32)
        break
      }
      case 0x1e: {
        setU64(sp - 32, leadingZeros(sp - 32))
        break
      }
      case 0x30: {
        fromAddress(sp, frame + FRAME_ADDRESS)
        sp += 32
        break
      }
      case 0x32: {
        fromBytes(sp, ENV_ORIGIN)
        sp += 32
        break
      }
      case 0x33: {
        fromAddress(sp, frame + FRAME_CALLER)
        sp += 32
        break
      }
      case 0x34: {
        fromBytes(sp, frame + FRAME_VALUE)
        sp += 32
        break
      }
      case 0x35: {
        callDataLoad(frame, sp - 32)
        break
      }
      case 0x36: {
        setU64(sp, <u64>load<u32>(frame, FRAME_INPUT_LENGTH))
        sp += 32
        break
      }
      case 0x38: {
        setU64(sp, <u64>load<u32>(frame, FRAME_CODE_LENGTH))
        sp += 32
        break
      }
      case 0x3a: {
        fromBytes(sp, ENV_GAS_PRICE)
        sp += 32
        break
      }
      case 0x3d: {
        setU64(sp, <u64>load<u32>(frame, FRAME_RETURN_LENGTH))
        sp += 32
        break
      }
      case 0x41: {
        fromBytes(sp, ENV_COINBASE)
        sp += 32
        break
      }
      case 0x42: {
        fromBytes(sp, ENV_TIMESTAMP)
        sp += 32
        break
      }
      case 0x43: {
        fromBytes(sp, ENV_NUMBER)
        sp += 32
        break
      }
      case 0x44: {
        fromBytes(sp, ENV_RANDOM)
        sp += 32
        break
      }
      case 0x45: {
        fromBytes(sp, ENV_GAS_LIMIT)
        sp += 32
        break
      }
      case 0x46: {
        fromBytes(sp, ENV_CHAIN_ID)
        sp += 32
        break
      }
      case 0x48: {
        fromBytes(sp, ENV_BASE_FEE)
        sp += 32
        break
      }
      case 0x49: {
        blobHash(sp - 32)
        break
      }
      case 0x4a: {
        fromBytes(sp, ENV_BLOB_BASE_FEE)
        sp += 32
        break
      }
      case 0x50: {
        sp -= 32
        break
      }
      case 0x51:
      case 0x52:
      case 0x53: {
        const top = sp - 32
        const offset = min(clampU64(top), FARTHEST)
        const end = offset + (op === 0x53 ? 1 : 32)
        if (end > memoryLength) {
          store<u32>(frame, pc - code, FRAME_PC)
          store<u32>(frame, sp, FRAME_SP)
          store<i64>(frame, gas, FRAME_GAS)
          const status = charge(frame, offset === FARTHEST ? TOO_FAR : end, 0, 0)
          if (status !== CONTINUE) return settle(status, cost)
          gas = load<i64>(frame, FRAME_GAS)
          memoryLength = <u64>load<u32>(frame, FRAME_MEMORY_LENGTH)
        }
        const at = memoryStart + <usize>offset
        if (op === 0x51) {
          fromBytes(top, at)
        } else {
          sp -= 64
          if (op === 0x52) toBytes(at, sp)
          else store<u8>(at, load<u8>(sp))
        }
        break
      }
      case 0x56:
      case 0x57: {
        sp -= 32
        const target = clampU64(sp)
        if (op === 0x57) {
          sp -= 32
          if (isZero(sp)) break
        }
        if (!isJumpDestination(load<u32>(frame, FRAME_BITMAP), <u64>load<u32>(frame, FRAME_CODE_LENGTH), target)) {
          return settle(badJump(frame, pc - code, op === 0x57 ? sp + 64 : sp + 32, gas), 0)
        }
        pc = code + <usize>target
        // The JUMPDEST at once, unless it does not get through.
        const left = gas - <i64>load<u32>(TABLE + (JUMPDEST << 3))
        if (isBoolean<Pace>() || left < 0 || left < pauseMark) continue
        gas = left
        break
      }
      case 0x58: {
        setU64(sp, <u64>(pc - code))
        sp += 32
        break
      }
      case 0x59: {
        setU64(sp, memoryLength)
        sp += 32
        break
      }
      case 0x5a: {
        setU64(sp, <u64>gas)
        sp += 32
        break
      }
      case 0x5b: {
        if (gas >= pauseMark) break
        // It runs again after the pause, with a new budget.
        store<u32>(frame, pc - code, FRAME_PC)
        store<u32>(frame, sp, FRAME_SP)
        store<i64>(frame, gas + <i64>cost, FRAME_GAS)
        isStepDone = true
        return EXIT_PAUSED
      }
      case 0x54:
      case 0x55:
      case 0x5c:
      // biome-ignore lint/suspicious/noFallthroughSwitchClause: what the short ways leave goes the long way.
      case 0x5d: {
        const left = storageInUse(op, frame, sp, gas)
        if (left >= 0) {
          gas = left
          if (op & 1) sp -= 64
          break
        }
      }
      default: {
        if (op - 0x5f <= 0x20) {
          const bytes = op - 0x5f
          if (bytes === 1) setU64(sp, <u64>load<u8>(pc, 1))
          else if (bytes === 2) setU64(sp, <u64>bswap<u16>(load<u16>(pc, 1)))
          else if (bytes === 0) setU64(sp, 0)
          else fromEnd(sp, pc + 1 + bytes, bytes)
          sp += 32
          pc += bytes + 1
          continue
        }
        if (op - 0x80 < 0x10) {
          copyWord(sp, sp - ((op - 0x7f) << 5))
          sp += 32
          break
        }
        if (op - 0x90 < 0x10) {
          swap(sp - 32, sp - ((op - 0x8e) << 5))
          break
        }
        store<u32>(frame, pc - code, FRAME_PC)
        store<u32>(frame, sp, FRAME_SP)
        store<i64>(frame, gas, FRAME_GAS)
        const status = execute(op)
        if (status !== CONTINUE) return settle(status, cost)
        frame = <usize>load<u32>(STATE_FRAME)
        code = <usize>load<u32>(frame, FRAME_CODE)
        pc = code + load<u32>(frame, FRAME_PC)
        sp = <usize>load<u32>(frame, FRAME_SP)
        gas = load<i64>(frame, FRAME_GAS)
        memoryStart = <usize>load<u32>(frame, FRAME_MEMORY)
        memoryLength = <u64>load<u32>(frame, FRAME_MEMORY_LENGTH)
      }
    }
    pc++
  }
}
