/**
 * Error texts of failed calls in go-ethereum's wording, which clients match.
 * @module
 */
import type { HaltReason } from '../../evm/haltReason.ts'
import type { CallEnd, HaltLocation, RefusalReason } from '../../evm/hooks.ts'
import { gethHaltText } from '../structLog/gethHalts.ts'
import { GETH_OPCODE_NAMES } from '../structLog/opcodes.ts'

export const EXECUTION_REVERTED = 'execution reverted'
export const UNPAID_CODE = 'contract creation code storage out of gas'

const REFUSALS: Readonly<Record<RefusalReason, string>> = {
  DEPTH: 'max call depth exceeded',
  INSUFFICIENT_BALANCE: 'insufficient balance for transfer',
  NONCE_OVERFLOW: 'nonce uint64 overflow',
}

const HALTS: Readonly<Record<HaltReason, string>> = {
  INSUFFICIENT_GAS: 'out of gas',
  INSUFFICIENT_STACK_ITEMS: 'stack underflow',
  TOO_MANY_STACK_ITEMS: 'stack limit reached 1024 (1023)',
  INVALID_JUMP_DESTINATION: 'invalid jump destination',
  INVALID_OPERATION: 'invalid opcode',
  INVALID_RETURN_DATA_BUFFER_ACCESS: 'return data out of bounds',
  OUT_OF_BOUNDS: 'return data out of bounds',
  ILLEGAL_STATE_CHANGE: 'write protection',
  CODE_TOO_LARGE: 'out of gas: max initcode size exceeded',
  INVALID_CODE: 'invalid code: must not begin with 0xef',
  PRECOMPILE_ERROR: 'precompiled failed',
  ADDRESS_COLLISION: 'contract address collision',
  INSUFFICIENT_BALANCE: REFUSALS.INSUFFICIENT_BALANCE,
  NONCE_OVERFLOW: REFUSALS.NONCE_OVERFLOW,
}

/** Texts for the same reasons when the code deposit fails after the init code has run. */
const DEPOSIT_HALTS: Partial<Record<HaltReason, string>> = {
  INSUFFICIENT_GAS: UNPAID_CODE,
  CODE_TOO_LARGE: 'max code size exceeded',
}

/** Data about a call that ended. */
export interface EndedCall {
  /** Gas before the last SSTORE. */
  readonly storeGas: number
  /** Init code size of the last creation, bytes. */
  readonly initCodeSize: number
  /** EIP-2200 */
  readonly guardsReentrancy: boolean
}

/** @returns undefined for a successful call */
export function errorText(call: EndedCall, end: CallEnd): string | undefined {
  switch (end.outcome) {
    case 'success':
      return undefined
    case 'revert':
      return EXECUTION_REVERTED
    case 'refused':
      return REFUSALS[end.refusal ?? 'DEPTH']
    case 'halt':
      return haltText(call, end)
  }
}

function haltText(call: EndedCall, { halt = 'INVALID_OPERATION', haltPlace, atDeposit }: CallEnd): string {
  if (atDeposit) return DEPOSIT_HALTS[halt] ?? HALTS[halt]
  return (haltPlace === undefined ? undefined : placeText(call, halt, haltPlace)) ?? HALTS[halt]
}

function placeText(
  { storeGas, initCodeSize, guardsReentrancy }: EndedCall,
  halt: HaltReason,
  location: HaltLocation,
): string | undefined {
  if (halt === 'INVALID_OPERATION') return `invalid opcode: ${GETH_OPCODE_NAMES[location.opcode]}`
  // Nothing runs in the frame after an opcode that halted. If it is an SSTORE or a creation, it is therefore the last
  // one.
  return gethHaltText(halt, { ...location, gas: storeGas, initCodeSize }, guardsReentrancy)
}
