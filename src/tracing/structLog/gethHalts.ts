import type { HaltReason } from '../../evm/engine.ts'
import { WORDS_TAKEN } from './opcodes.ts'

const STACK_LIMIT = 1024
/** EIP-2200: SSTORE needs more gas than a stipend. */
const REENTRANCY_GUARD_GAS = 2300
const SSTORE = 0x55

/**
 * What go-ethereum's struct logger says of an opcode that it could not begin. It logs before the opcode runs, so that
 * what goes wrong later (bad jumps, undefined opcodes, REVERT) is not in it.
 */
export function gethHaltText(
  halt: HaltReason,
  step: { readonly opcode: number; readonly gas: number; readonly stackSize: number },
  guardsReentrancy: boolean,
): string | undefined {
  const { opcode, gas, stackSize } = step
  switch (halt) {
    case 'INSUFFICIENT_GAS':
      return guardsReentrancy && opcode === SSTORE && gas <= REENTRANCY_GUARD_GAS
        ? 'out of gas: not enough gas for reentrancy sentry'
        : 'out of gas'
    case 'INSUFFICIENT_STACK_ITEMS':
      return `stack underflow (${stackSize} <=> ${WORDS_TAKEN[opcode]})`
    case 'TOO_MANY_STACK_ITEMS':
      return `stack limit reached ${stackSize} (${STACK_LIMIT - 1})`
    default:
      return undefined
  }
}
