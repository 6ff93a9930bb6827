/** Opcodes that work on the frame header, because they access tables, the host or ranges of memory. */
import {
  balance,
  balanceAnswered,
  blockHash,
  codeAnswered,
  codeHash,
  codeSize,
  codeSizeAnswered,
  externalCodeCopy,
  log,
  logAnswered,
  selfBalance,
  selfDestruct,
  selfDestructAnswered,
  wordAnswered,
} from './account'
import { memoryEnd, reach } from './arena'
import { byteLength, exp } from './arithmetic'
import { call, callAnswered, directAnswered, refusalSeen } from './call'
import { create, createAnswered } from './create'
import { endFrame, frameBytes, leaveFrame, valueMoved } from './frame'
import { outOfGas } from './gas'
import {
  CALL_CALL,
  CALL_CALLCODE,
  CALL_DELEGATECALL,
  CALL_STATICCALL,
  CREATE_CREATE,
  CREATE_CREATE2,
  END_REVERT,
  END_SUCCESS,
  EXIT_BALANCE,
  EXIT_BLOCK_HASH,
  EXIT_CALL,
  EXIT_CALL_DIRECT,
  EXIT_CODE,
  EXIT_CODE_HASH,
  EXIT_CODE_SIZE,
  EXIT_CREATE,
  EXIT_DONE,
  EXIT_ENTER,
  EXIT_FRAME_END,
  EXIT_LOG,
  EXIT_NO_MEMORY,
  EXIT_REFUSED,
  EXIT_SELFDESTRUCT,
  EXIT_STORAGE,
  FRAME_GAS,
  FRAME_PC,
  FRAME_SP,
  HALT_INVALID_OPCODE,
  REQUEST_DATA_LENGTH,
  RULE_EXP_BYTE,
  STATE_FRAME,
} from './layout'
import { callDataCopy, charge, codeCopy, keccakOpcode, memoryAt, memoryCopy, rangeEnd, returnDataCopy } from './memory'
import { reserveTables } from './reservation'
import { CONTINUE, SWITCHED } from './status'
import { sload, sstore, storageLoaded, tstore } from './storage'

/** Runs one opcode of the running frame, after its static cost has been charged and the stack height checked. */
export function execute(op: u32): i32 {
  const frame = <usize>load<u32>(STATE_FRAME)
  switch (op) {
    case 0x0a:
      return expOpcode(frame)
    case 0x20:
      return keccakOpcode(frame)
    case 0x37:
      return callDataCopy(frame)
    case 0x39:
      return codeCopy(frame)
    case 0x3e:
      return returnDataCopy(frame)
    case 0x40:
      return blockHash(frame)
    case 0x47:
      return selfBalance(frame)
    case 0x5e:
      return memoryCopy(frame)
    case 0xf3:
      return finish(frame, END_SUCCESS)
    case 0xfd:
      return finish(frame, END_REVERT)
    default:
      // reserveTables() may move the frames, so the frame is read again.
      return reserveTables() ? executeWithTables(<usize>load<u32>(STATE_FRAME), op) : EXIT_NO_MEMORY
  }
}

function executeWithTables(frame: usize, op: u32): i32 {
  switch (op) {
    case 0x31:
      return balance(frame)
    case 0x3b:
      return codeSize(frame)
    case 0x3c:
      return externalCodeCopy(frame)
    case 0x3f:
      return codeHash(frame)
    case 0x54:
      return sload(frame)
    case 0x55:
      return sstore(frame)
    case 0x5d:
      return tstore(frame)
    case 0xa0:
    case 0xa1:
    case 0xa2:
    case 0xa3:
    case 0xa4:
      return log(frame, op - 0xa0)
    case 0xf0:
      return create(frame, CREATE_CREATE)
    case 0xf1:
      return call(frame, CALL_CALL)
    case 0xf2:
      return call(frame, CALL_CALLCODE)
    case 0xf4:
      return call(frame, CALL_DELEGATECALL)
    case 0xf5:
      return create(frame, CREATE_CREATE2)
    case 0xfa:
      return call(frame, CALL_STATICCALL)
    case 0xff:
      return selfDestruct(frame)
    default:
      return -HALT_INVALID_OPCODE
  }
}

/** Continues the opcode whose request the host has answered. After EXIT_NO_MEMORY, STATE_PENDING is unchanged. */
export function answered(pending: u32): i32 {
  if (!reserveTables()) return EXIT_NO_MEMORY
  const frame = <usize>load<u32>(STATE_FRAME)
  const isNewFrame = pending === EXIT_CALL || pending === EXIT_CREATE
  if (isNewFrame) {
    const room = frameBytes(pending === EXIT_CREATE ? load<u32>(REQUEST_DATA_LENGTH) : 0)
    if (!reach(<u64>memoryEnd(frame) + room)) return EXIT_NO_MEMORY
  }
  switch (pending) {
    case EXIT_DONE:
      return EXIT_DONE
    case EXIT_FRAME_END:
      return leaveFrame()
    case EXIT_ENTER:
      valueMoved(frame)
      return SWITCHED
    case EXIT_CALL:
      return callAnswered(frame)
    case EXIT_CALL_DIRECT:
      return directAnswered(frame)
    case EXIT_CREATE:
      return createAnswered(frame)
    case EXIT_REFUSED:
      return refusalSeen(frame)
    case EXIT_SELFDESTRUCT:
      return selfDestructAnswered(frame)
    case EXIT_STORAGE:
      storageLoaded(frame)
      return SWITCHED
    case EXIT_BALANCE:
      balanceAnswered(frame)
      break
    case EXIT_CODE_HASH:
    case EXIT_BLOCK_HASH:
      wordAnswered(frame)
      break
    case EXIT_CODE_SIZE:
      codeSizeAnswered(frame)
      break
    case EXIT_CODE:
      codeAnswered(frame)
      break
    case EXIT_LOG:
      logAnswered(frame)
      break
    default:
      return SWITCHED
  }
  store<u32>(frame, load<u32>(frame, FRAME_PC) + 1, FRAME_PC)
  return SWITCHED
}

function expOpcode(frame: usize): i32 {
  const sp = <usize>load<u32>(frame, FRAME_SP)
  const exponent = sp - 64
  const gas = load<i64>(frame, FRAME_GAS) - byteLength(exponent) * <i64>load<u32>(RULE_EXP_BYTE)
  if (gas < 0) return outOfGas(gas)
  store<i64>(frame, gas, FRAME_GAS)
  exp(sp - 32, exponent)
  store<u32>(frame, sp - 32, FRAME_SP)
  return CONTINUE
}

/** RETURN and REVERT. */
function finish(frame: usize, end: u32): i32 {
  const sp = <usize>load<u32>(frame, FRAME_SP)
  const status = charge(frame, rangeEnd(sp - 32, sp - 64), 0, 0)
  if (status !== CONTINUE) return status
  const length = load<u32>(sp - 64)
  return endFrame(end, length === 0 ? 0 : memoryAt(frame, sp - 32), length)
}
