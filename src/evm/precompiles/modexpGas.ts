/**
 * Gas cost of modular exponentiation, and the operand lengths in its input.
 * @see EIP-198, EIP-2565, EIP-7823, EIP-7883
 * @module
 */
import { bytesToBigInt } from '../../base/primitives/bytes.ts'
import { paddedSlice } from './input.ts'

/** Three words with the lengths precede base, exponent and modulus. */
export const MODEXP_HEADER_BYTES = 96

export interface ModexpLengths {
  readonly base: bigint
  readonly exponent: bigint
  readonly modulus: bigint
}

interface Pricing {
  complexity(longest: bigint): bigint
  /** For each byte of the exponent after the first 32. */
  readonly perExponentByte: bigint
  readonly divisor: bigint
  readonly minimum: bigint
}

const EIP_198: Pricing = {
  complexity(longest) {
    const square = longest * longest
    if (longest <= 64n) return square
    return longest <= 1024n ? square / 4n + 96n * longest - 3072n : square / 16n + 480n * longest - 199_680n
  },
  perExponentByte: 8n,
  divisor: 20n,
  minimum: 0n,
}

const EIP_2565: Pricing = {
  complexity: (longest) => square(words(longest)),
  perExponentByte: 8n,
  divisor: 3n,
  minimum: 200n,
}

const EIP_7883: Pricing = {
  complexity: (longest) => (longest <= 32n ? 16n : 2n * square(words(longest))),
  perExponentByte: 16n,
  divisor: 1n,
  minimum: 500n,
}

/** EIP-7823: longest base, exponent and modulus. */
const MAX_OPERAND_BYTES = 1024n

export function modexpGas(eips: ReadonlySet<number>): (input: Uint8Array) => bigint {
  const pricing = eips.has(7883) ? EIP_7883 : eips.has(2565) ? EIP_2565 : EIP_198
  return (input) => {
    const { base, exponent, modulus } = modexpLengths(input)
    const complexity = pricing.complexity(base > modulus ? base : modulus)
    const gas = (complexity * iterations(input, base, exponent, pricing.perExponentByte)) / pricing.divisor
    return gas > pricing.minimum ? gas : pricing.minimum
  }
}

export function modexpLengths(input: Uint8Array): ModexpLengths {
  return {
    base: bytesToBigInt(paddedSlice(input, 0, 32)),
    exponent: bytesToBigInt(paddedSlice(input, 32, 32)),
    modulus: bytesToBigInt(paddedSlice(input, 64, 32)),
  }
}

/** Whether EIP-7823 allows the lengths. */
export function isWithinModexpBounds({ base, exponent, modulus }: ModexpLengths): boolean {
  return base <= MAX_OPERAND_BYTES && exponent <= MAX_OPERAND_BYTES && modulus <= MAX_OPERAND_BYTES
}

/** The adjusted exponent length: the number of bits determined by the first 32 bytes and the length, at least 1. */
function iterations(input: Uint8Array, baseLength: bigint, length: bigint, perByte: bigint): bigint {
  const headLength = length < 32n ? Number(length) : 32
  const offset = BigInt(MODEXP_HEADER_BYTES) + baseLength
  const bits = offset < BigInt(input.length) ? bitLength(paddedSlice(input, Number(offset), headLength)) : 0
  const tail = length > 32n ? perByte * (length - 32n) : 0n
  const count = tail + BigInt(bits > 0 ? bits - 1 : 0)
  return count > 1n ? count : 1n
}

function bitLength(bytes: Uint8Array): number {
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i] !== 0) return 8 * (bytes.length - i) - (Math.clz32(bytes[i] as number) - 24)
  }
  return 0
}

const words = (bytes: bigint): bigint => (bytes + 7n) / 8n
const square = (value: bigint): bigint => value * value
