/** Used only by messages that are traced step by step. */
import { outOfGas } from './gas'
import { dependsOnOperands, haltReason } from './halts'
import {
  FRAME_CODE_LENGTH,
  FRAME_GAS,
  FRAME_POSITIONS,
  FRAME_POSITIONS_LENGTH,
  FRAME_SP,
  HALT_OUT_OF_GAS,
  STATE_STEP_BEGIN,
  STATE_STEP_COUNT,
  STATE_STEP_FROM,
  STATE_STEP_LENGTH,
  STEP_OPCODES,
} from './layout'
import { charge, FARTHEST, TOO_FAR } from './memory'
import { MLOAD, MSTORE8 } from './opcodeNumbers'
import { execute } from './slow'
import { clampU64 } from './word'

/** Counts a step. Returns whether it exits with EXIT_STEP. */
export function countStep(frame: usize, pc: u32, op: u32): bool {
  const isSelected = load<u8>(STEP_OPCODES + op) !== 0
  if (op === 0 && load<u32>(frame, FRAME_CODE_LENGTH) === 0) return isSelected
  const index = load<u64>(STATE_STEP_COUNT)
  store<u64>(STATE_STEP_COUNT, index + 1)
  if (index < load<u64>(STATE_STEP_BEGIN)) return false
  if (isSelected || index - load<u64>(STATE_STEP_FROM) < load<u64>(STATE_STEP_LENGTH)) return true
  const byte = pc >> 3
  return (
    byte < load<u32>(frame, FRAME_POSITIONS_LENGTH) &&
    ((load<u8>(<usize>load<u32>(frame, FRAME_POSITIONS) + byte) >> <u8>(pc & 7)) & 1) !== 0
  )
}

/**
 * Like haltReason. After running out of gas, STATE_GAS_AFTER holds the gas after the whole cost, as far as it is known
 * without the host.
 */
export function steppedHaltReason(frame: usize, op: u32): u32 {
  const halt = haltReason(frame, op)
  const gas = load<i64>(frame, FRAME_GAS)
  if (halt !== HALT_OUT_OF_GAS || gas >= 0) return halt
  outOfGas(gas)
  // With negative gas, the charge of the opcode always fails, and it precedes all effects.
  if (op >= MLOAD && op <= MSTORE8) chargeWord(frame, op)
  else if (dependsOnOperands(op)) execute(op)
  return halt
}

function chargeWord(frame: usize, op: u32): void {
  const offset = clampU64(<usize>load<u32>(frame, FRAME_SP) - 32)
  charge(frame, offset > FARTHEST ? TOO_FAR : offset + (op === MSTORE8 ? 1 : 32), 0, 0)
}
