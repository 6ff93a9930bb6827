/**
 * The interpreter loop. The registers of the running frame are local variables. Opcodes that need more than stack,
 * code, memory in use and gas work on the frame header (slow.ts), after the registers have been saved there.
 */
import { addmod, div, mod, mulmod, sdiv, smod } from './arithmetic'
import { payBlock, restOfBlock, warmUp } from './blocks'
import { isJumpDestination } from './code'
import { badJump, endFrame, haltFrame, save } from './frame'
import { haltReason } from './halts'
import { blobHash, callDataLoad, pushEnvironment, swap } from './immediate'
import {
  END_SUCCESS,
  EXIT_PAUSED,
  EXIT_STEP,
  FRAME_BITMAP,
  FRAME_CODE,
  FRAME_CODE_LENGTH,
  FRAME_GAS,
  FRAME_MEMORY,
  FRAME_MEMORY_LENGTH,
  FRAME_PC,
  FRAME_SP,
  FRAME_STACK,
  STATE_FRAME,
} from './layout'
import { charge, FARTHEST, TOO_FAR } from './memory'
import { mul } from './multiplication'
import { JUMPDEST } from './opcodeNumbers'
import { staticCost, TABLE, TABLE_MINIMUM, TABLE_SPAN } from './opcodes'
import { pauseMark } from './pause'
import { isStepDone, setStepDone, settle } from './settle'
import { execute } from './slow'
import { CONTINUE, SWITCHED, UNPAID } from './status'
import { countStep, steppedHaltReason } from './step'
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

/*
 * The variants of the loop. It is compiled once for each, so that no message pays for checks that it does not need.
 * isBoolean and isFloat distinguish them at compile time.
 */

type Checked = i32
type Stepping = bool
type Blocks = f32

/** Checks gas and stack before each opcode. Returns SWITCHED or EXIT_*. */
export function interpretChecked(): i32 {
  return interpret<Checked>()
}

/** Like interpretChecked, but counts steps and exits with EXIT_STEP before those that the host selects. Returns SWITCHED or EXIT_*. */
export function interpretStepping(): i32 {
  return interpret<Stepping>()
}

/**
 * Checks gas and stack before each block (blocks.ts). Returns SWITCHED, EXIT_*, or UNPAID before a block that cannot be
 * paid for.
 */
export function interpretByBlocks(): i32 {
  return interpret<Blocks>()
}

/** Runs the frame until the frame changes or the host is needed. */
function interpret<Pace>(): i32 {
  let frame = <usize>load<u32>(STATE_FRAME)
  let code = <usize>load<u32>(frame, FRAME_CODE)
  let pc = code + load<u32>(frame, FRAME_PC)
  let sp = <usize>load<u32>(frame, FRAME_SP)
  let gas = load<i64>(frame, FRAME_GAS)
  let memoryStart = <usize>load<u32>(frame, FRAME_MEMORY)
  let memoryLength = <u64>load<u32>(frame, FRAME_MEMORY_LENGTH)
  // Below the mark, the checked loop takes over and finds the place to pause.
  const least = max<i64>(pauseMark, 0)
  if (isFloat<Pace>()) {
    const left = payBlock(frame, pc, sp, gas)
    if (left < least) return UNPAID
    gas = left
  }
  while (true) {
    const op = <u32>load<u8>(pc)
    if (isBoolean<Pace>()) {
      if (!isStepDone && countStep(frame, <u32>(pc - code), op)) {
        setStepDone(true)
        save(frame, pc - code, sp, gas)
        return EXIT_STEP
      }
      setStepDone(false)
    }
    if (!isFloat<Pace>()) {
      const entry = TABLE + (op << 3)
      gas -= <i64>load<u32>(entry)
      const height = <u32>(sp - frame) - FRAME_STACK
      if (gas < 0 || height - <u32>load<u16>(entry, TABLE_MINIMUM) > <u32>load<u16>(entry, TABLE_SPAN)) {
        save(frame, pc - code, sp, gas)
        return settle(haltFrame(isBoolean<Pace>() ? steppedHaltReason(frame, op) : haltReason(frame, op)), 0)
      }
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
      case 0x30:
      case 0x32:
      case 0x33:
      case 0x34:
      case 0x36:
      case 0x38:
      case 0x3a:
      case 0x3d:
      case 0x41:
      case 0x42:
      case 0x43:
      case 0x44:
      case 0x45:
      case 0x46:
      case 0x48:
      case 0x4a: {
        pushEnvironment(op, frame, sp)
        sp += 32
        break
      }
      case 0x35: {
        callDataLoad(frame, sp - 32)
        break
      }
      case 0x49: {
        blobHash(sp - 32)
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
          save(frame, pc - code, sp, gas)
          const status = charge(frame, offset === FARTHEST ? TOO_FAR : end, 0, 0)
          if (status !== CONTINUE) {
            if (isFloat<Pace>()) return save(frame, pc - code, sp, gas + restOfBlock(pc))
            return settle(status, staticCost(op))
          }
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
          if (isZero(sp)) {
            if (isFloat<Pace>()) {
              const left = payBlock(frame, pc + 1, sp, gas)
              if (left < least) return save(frame, pc + 1 - code, sp, gas)
              gas = left
            }
            break
          }
        }
        if (!isJumpDestination(load<u32>(frame, FRAME_BITMAP), <u64>load<u32>(frame, FRAME_CODE_LENGTH), target)) {
          return settle(badJump(frame, pc - code, op === 0x57 ? sp + 64 : sp + 32, gas), 0)
        }
        pc = code + <usize>target
        if (isFloat<Pace>()) {
          const left = payBlock(frame, pc, sp, gas)
          if (left < least) return save(frame, pc - code, sp, gas)
          gas = left
          break
        }
        if (isBoolean<Pace>()) continue
        if (warmUp() && code < frame) {
          save(frame, pc - code, sp, gas)
          return SWITCHED
        }
        // Executes the JUMPDEST right away, unless it would pause or halt.
        const left = gas - <i64>staticCost(JUMPDEST)
        if (left < least) continue
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
        if (isFloat<Pace>()) {
          const left = payBlock(frame, pc + 1, sp, gas)
          if (left < least) return save(frame, pc + 1 - code, sp, gas)
          gas = left
        }
        break
      }
      case 0x5b: {
        if (isFloat<Pace>() || gas >= pauseMark) break
        // The JUMPDEST runs again after the pause, with a new budget.
        save(frame, pc - code, sp, gas + <i64>staticCost(op))
        setStepDone(true)
        return EXIT_PAUSED
      }
      case 0x54:
      case 0x55:
      case 0x5c:
      // biome-ignore lint/suspicious/noFallthroughSwitchClause: the slow path handles everything else.
      case 0x5d: {
        const left = storageInUse(op, frame, sp, gas)
        if (left >= 0) {
          gas = left
          if (op & 1) sp -= 64
          if (isFloat<Pace>()) {
            const after = payBlock(frame, pc + 1, sp, gas)
            if (after < least) return save(frame, pc + 1 - code, sp, gas)
            gas = after
          }
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
        save(frame, pc - code, sp, gas)
        const status = execute(op)
        if (status !== CONTINUE) return settle(status, staticCost(op))
        frame = <usize>load<u32>(STATE_FRAME)
        code = <usize>load<u32>(frame, FRAME_CODE)
        pc = code + load<u32>(frame, FRAME_PC)
        sp = <usize>load<u32>(frame, FRAME_SP)
        gas = load<i64>(frame, FRAME_GAS)
        memoryStart = <usize>load<u32>(frame, FRAME_MEMORY)
        memoryLength = <u64>load<u32>(frame, FRAME_MEMORY_LENGTH)
        if (isFloat<Pace>()) {
          const left = payBlock(frame, pc + 1, sp, gas)
          if (left < least) return save(frame, pc + 1 - code, sp, gas)
          gas = left
        }
      }
    }
    pc++
  }
}
