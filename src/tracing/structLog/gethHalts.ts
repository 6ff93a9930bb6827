import type { ForkRules } from '../../config/forks.ts'
import type { HaltReason } from '../../evm/haltReason.ts'
import { GAS_UNDEFINED } from '../../evm/native/assembly/layout.ts'
import { staticGas } from '../../evm/native/gasTable.ts'
import { isCreate, WORDS_TAKEN } from './opcodes.ts'

const STACK_LIMIT = 1024
/** EIP-2200: SSTORE needs more gas than a stipend. */
const REENTRANCY_GUARD_GAS = 2300
const EXP = 0x0a
const SSTORE = 0x55
const LOG0 = 0xa0
const LOG4 = 0xa4
const SELFDESTRUCT = 0xff
const WARMTH_EIP = 2929
/** Opcodes priced by warmth, except SLOAD and SSTORE: BALANCE, EXTCODE*, calls. */
const WARM_OPCODES = [0x31, 0x3b, 0x3c, 0x3f, 0xf1, 0xf2, 0xf4, 0xfa]
const WARM_ACCESS_GAS = 100
const SELFDESTRUCT_GAS = 5000

/** A failed opcode with the state before it ran. */
export interface FailedStep {
  readonly opcode: number
  readonly gas: number
  readonly stackSize: number
  /** Init code size of a creation, bytes. */
  readonly initCodeSize: number
}

/**
 * The error that go-ethereum's struct logger reports for an opcode that could not begin. It logs before the opcode
 * runs, so later failures (bad jumps, undefined opcodes, REVERT) do not appear.
 */
export function gethHaltText(halt: HaltReason, step: FailedStep, guardsReentrancy: boolean): string | undefined {
  const { opcode, stackSize } = step
  switch (halt) {
    case 'INSUFFICIENT_GAS':
      return guardsReentrancy && isBelowSentry(step) ? 'out of gas: not enough gas for reentrancy sentry' : 'out of gas'
    case 'INSUFFICIENT_STACK_ITEMS':
      return `stack underflow (${stackSize} <=> ${WORDS_TAKEN[opcode]})`
    case 'TOO_MANY_STACK_ITEMS':
      return `stack limit reached ${stackSize} (${STACK_LIMIT - 1})`
    case 'CODE_TOO_LARGE':
      return isCreate(opcode) ? `out of gas: max initcode size exceeded: size ${step.initCodeSize}` : undefined
    default:
      return undefined
  }
}

/**
 * The cost that go-ethereum's struct logger reports for an opcode that could not begin: only the constant part when it
 * fails before the rest is known.
 * @param cost as reported by the EVM
 * @param constantGas {@link gethConstantGas}
 */
export function gethHaltCost(
  halt: HaltReason,
  { opcode, gas }: Pick<FailedStep, 'opcode' | 'gas'>,
  cost: number,
  constantGas: Uint16Array,
  guardsReentrancy: boolean,
): number {
  const constant = constantGas[opcode] as number
  switch (halt) {
    case 'INSUFFICIENT_STACK_ITEMS':
    case 'TOO_MANY_STACK_ITEMS':
    case 'CODE_TOO_LARGE':
      return constant
    case 'INSUFFICIENT_GAS':
      return gas < constant || (guardsReentrancy && isBelowSentry({ opcode, gas })) ? constant : cost
    default:
      return cost
  }
}

function isBelowSentry({ opcode, gas }: Pick<FailedStep, 'opcode' | 'gas'>): boolean {
  return opcode === SSTORE && gas <= REENTRANCY_GUARD_GAS
}

/** @returns 256 costs that go-ethereum charges before reading operands; 0 for opcodes that the fork lacks */
export function gethConstantGas({ eips }: Pick<ForkRules, 'eips'>): Uint16Array {
  const table = staticGas({ eips }).map((gas) => (gas === GAS_UNDEFINED ? 0 : gas))
  table[EXP] = 0
  table.fill(0, LOG0, LOG4 + 1)
  const isByWarmth = eips.has(WARMTH_EIP)
  table[SELFDESTRUCT] = isByWarmth ? SELFDESTRUCT_GAS : 0
  if (isByWarmth) for (const opcode of WARM_OPCODES) table[opcode] = WARM_ACCESS_GAS
  return table
}

/**
 * The size of a creation's init code, bytes.
 * @param stack see FrameView
 */
export function initCodeSizeOf(stack: Uint8Array, stackSize: number): number {
  if (stackSize < 3) return 0
  let size = 0
  // No gas limit suffices for a larger size, so the low 48 bits are enough.
  for (let i = 5, at = 32 * (stackSize - 3); i >= 0; i--) size = size * 256 + (stack[at + i] as number)
  return size
}
