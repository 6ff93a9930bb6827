/**
 * Determines why an opcode failed its first check. The interpreter checks static gas and stack height together. When
 * that check fails, the reason depends on the order of the individual checks: static violation, stack underflow and
 * bounds precede the gas check for opcodes whose cost depends on their operands, and follow it for all others.
 */
import { chargeLog } from './account'
import {
  FRAME_FLAGS,
  FRAME_GAS,
  FRAME_IS_STATIC,
  FRAME_SP,
  FRAME_STACK,
  GAS_UNDEFINED,
  HALT_INVALID_OPCODE,
  HALT_OUT_OF_GAS,
  HALT_RETURN_DATA_BOUNDS,
  HALT_STACK_OVERFLOW,
  HALT_STACK_UNDERFLOW,
  HALT_STATIC_STATE_CHANGE,
  RULE_GAS_TABLE,
} from './layout'
import { outsideReturnData } from './memory'
import {
  BALANCE,
  CALL,
  CALLDATACOPY,
  CODECOPY,
  CREATE,
  CREATE2,
  EXP,
  EXTCODECOPY,
  EXTCODEHASH,
  EXTCODESIZE,
  KECCAK256,
  LOG0,
  LOG4,
  MCOPY,
  MLOAD,
  RETURNDATACOPY,
  SELFDESTRUCT,
  SSTORE,
  TSTORE,
} from './opcodeNumbers'
import { takenBy } from './opcodes'
import { isZero } from './word'

/** HALT_* for the opcode. The header holds the stack and the gas after the static cost, which may be negative. */
export function haltReason(frame: usize, op: u32): u32 {
  if (load<u16>(RULE_GAS_TABLE + (op << 1)) === GAS_UNDEFINED) return HALT_INVALID_OPCODE
  const sp = <usize>load<u32>(frame, FRAME_SP)
  const isStatic = (load<u32>(frame, FRAME_FLAGS) & FRAME_IS_STATIC) !== 0
  const isLow = <u32>(sp - frame - FRAME_STACK) >> 5 < takenBy(op)
  const isPoor = load<i64>(frame, FRAME_GAS) < 0
  if (!dependsOnOperands(op)) {
    if (isPoor) return HALT_OUT_OF_GAS
    if (op === TSTORE && isStatic) return HALT_STATIC_STATE_CHANGE
    return isLow ? HALT_STACK_UNDERFLOW : HALT_STACK_OVERFLOW
  }
  const isLog = op >= LOG0 && op <= LOG4
  if (isStatic && (op === SSTORE || op === SELFDESTRUCT || isLog)) return HALT_STATIC_STATE_CHANGE
  if (isLog) return logReason(frame, sp, isPoor)
  if (isLow) return HALT_STACK_UNDERFLOW
  if (isStatic && (op === CREATE || op === CREATE2 || (op === CALL && !isZero(sp - 96))))
    return HALT_STATIC_STATE_CHANGE
  if (op === RETURNDATACOPY && outsideReturnData(frame)) return HALT_RETURN_DATA_BOUNDS
  return HALT_OUT_OF_GAS
}

/** The gas of a log is charged before its topics are checked. */
function logReason(frame: usize, sp: usize, isPoor: bool): u32 {
  if (sp - frame - FRAME_STACK < 64) return HALT_STACK_UNDERFLOW
  return isPoor || chargeLog(frame) !== 0 ? HALT_OUT_OF_GAS : HALT_STACK_UNDERFLOW
}

/** Whether the opcode has costs besides the static one. */
export function dependsOnOperands(op: u32): bool {
  if (op >= 0xa0) return true
  if (op >= MLOAD && op <= SSTORE) return true
  return (
    op === EXP ||
    op === KECCAK256 ||
    op === BALANCE ||
    op === CALLDATACOPY ||
    op === CODECOPY ||
    op === EXTCODESIZE ||
    op === EXTCODECOPY ||
    op === RETURNDATACOPY ||
    op === EXTCODEHASH ||
    op === MCOPY
  )
}
