/** Code of contracts for traces: opcodes are numbers, a bigint is a PUSH of its value. */
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import { assemble } from '../../evm/native/assemblyHarness.ts'

export type Program = readonly (number | bigint)[]

export const CALL = 0xf1
export const CALLCODE = 0xf2
export const DELEGATECALL = 0xf4
export const STATICCALL = 0xfa
export const POP = 0x50
export const SSTORE = 0x55
export const REVERT = 0xfd
export const SELFDESTRUCT = 0xff

/** Writes bytes to memory from 0 on. */
export function put(hex: string): Program {
  const program: (number | bigint)[] = []
  const digits = hex.slice(2)
  for (let at = 0; at < digits.length; at += 64) {
    program.push(BigInt(`0x${digits.slice(at, at + 64).padEnd(64, '0')}`), BigInt(at / 2), 0x52)
  }
  return program
}

export interface CallOptions {
  readonly kind?: number
  readonly gas?: bigint
  readonly value?: bigint
  readonly input?: string
}

export function callTo(to: string, options: CallOptions = {}): Program {
  const { kind = CALL, gas = 100_000n, value = 0n, input = '0x' } = options
  const values = kind === CALL || kind === CALLCODE ? [value] : []
  return [...put(input), 0n, 0n, BigInt(input.length / 2 - 1), 0n, ...values, BigInt(to), gas, kind, POP]
}

/** @param salt for CREATE2 */
export function createFrom(init: Program, { value = 0n, salt }: { value?: bigint; salt?: bigint } = {}): Program {
  const hex = bytesToHex(assemble(...init))
  const salts = salt === undefined ? [] : [salt]
  return [...put(hex), ...salts, BigInt(hex.length / 2 - 1), 0n, value, salt === undefined ? 0xf0 : 0xf5, POP]
}

export function revertWith(hex: string): Program {
  return [...put(hex), BigInt(hex.length / 2 - 1), 0n, REVERT]
}

export function returnBytes(hex: string): Program {
  return [...put(hex), BigInt(hex.length / 2 - 1), 0n, 0xf3]
}

/** A contract's address by a short number. */
export function at(number: number): string {
  return `0x${number.toString(16).padStart(40, '0')}`
}

export function code(...parts: readonly (Program | number | bigint)[]): { readonly code: Uint8Array } {
  return { code: assemble(...parts.flat()) }
}
