/**
 * Modular exponentiation.
 *
 * Uses numbers for a small modulus, and fixed windows of four bits over BigInt otherwise. Measured from 1 to 1024
 * bytes, Montgomery form is slower than native division, because each of its three products allocates an integer.
 * @see EIP-198
 * @module
 */
import { MAX_MODEXP_OPERAND_BYTES } from '../../base/limits/limits.ts'
import {
  bigIntToBytesPadded,
  bytesToBigInt,
  bytesToHex,
  EMPTY_BYTES,
  trimLeadingZeros,
} from '../../base/primitives/bytes.ts'
import { paddedSlice } from './input.ts'
import { MODEXP_HEADER_BYTES, modexpLengths } from './modexpGas.ts'
import { interruptible, type PrecompileSteps, type RunPrecompile } from './runPrecompile.ts'
import { MAX_SMALL_MODULUS, smallPower } from './smallModexp.ts'

/** Up to this length, an exponent does not justify a table. */
const BINARY_EXPONENT_BYTES = 4
/** Below this, a product takes about as long as a quotient, regardless of the length. */
const SHORT_MODULUS = 1n << 136n
/** From this length on, parsing hex is faster than shifting. */
const HEX_BYTES = 64

/**
 * Work of one step, in products of bytes: some milliseconds. A product counts as many as two bytes at least, because
 * short ones take about the same time.
 */
const STEP_WORK = 2 ** 24
const LEAST_WORK = 2 ** 12

/** Missing input counts as zeros. The caller has charged gas for the lengths that the input declares. */
export const modexp: RunPrecompile = interruptible(function* (input): PrecompileSteps {
  const lengths = modexpLengths(input)
  if (lengths.modulus === 0n) return EMPTY_BYTES
  if (lengths.base > MAX_MODEXP_OPERAND_BYTES || lengths.modulus > MAX_MODEXP_OPERAND_BYTES) return undefined
  const baseLength = Number(lengths.base)
  const modulusLength = Number(lengths.modulus)
  const exponentLength = Number(lengths.exponent)
  const exponentAt = MODEXP_HEADER_BYTES + baseLength
  const modulus = toBigInt(paddedSlice(input, exponentAt + exponentLength, modulusLength))
  if (modulus <= 1n) return new Uint8Array(modulusLength)
  const base = toBigInt(paddedSlice(input, MODEXP_HEADER_BYTES, baseLength)) % modulus
  const exponent = trimLeadingZeros(input.subarray(exponentAt, exponentAt + exponentLength))
  const result = directPower(base, exponent, modulus) ?? (yield* longPower(base, exponent, modulus, modulusLength))
  return bigIntToBytesPadded(result, modulusLength)
})

/**
 * @param base below the modulus
 * @param exponent big-endian and complete, since the modulus follows it in the input; without leading zeros
 * @param modulus above 1
 * @returns undefined when the power may take long
 */
function directPower(base: bigint, exponent: Uint8Array, modulus: bigint): bigint | undefined {
  if (exponent.length === 0) return 1n
  if (base <= 1n) return base
  return modulus <= MAX_SMALL_MODULUS ? BigInt(smallPower(Number(base), exponent, Number(modulus))) : undefined
}

type Power = Generator<undefined, bigint, undefined>

function longPower(base: bigint, exponent: Uint8Array, modulus: bigint, modulusLength: number): Power {
  const stepProducts = Math.ceil(STEP_WORK / Math.max(modulusLength ** 2, LEAST_WORK))
  return exponent.length <= BINARY_EXPONENT_BYTES
    ? binaryPower(base, exponent, modulus, stepProducts)
    : windowedPower(base, exponent, modulus, stepProducts)
}

function* binaryPower(base: bigint, exponent: Uint8Array, modulus: bigint, stepProducts: number): Power {
  let result = 1n
  let products = 0
  for (const byte of exponent) {
    for (let bit = 7; bit >= 0; bit--) {
      if (result !== 1n) result = (result * result) % modulus
      if ((byte >> bit) & 1) result = (result * base) % modulus
      products += 2
      if (products >= stepProducts) {
        yield
        products = 0
      }
    }
  }
  return result
}

function* windowedPower(base: bigint, exponent: Uint8Array, modulus: bigint, stepProducts: number): Power {
  const powers = [1n, base]
  for (let i = 2; i < 16; i++) powers.push(((powers[i - 1] as bigint) * base) % modulus)
  const next = modulus < SHORT_MODULUS ? shortStep : longStep
  let result = 1n
  let products = 0
  for (const byte of exponent) {
    result = next(result, powers[byte >> 4] as bigint, modulus)
    result = next(result, powers[byte & 15] as bigint, modulus)
    products += 10
    if (products >= stepProducts) {
      yield
      products = 0
    }
  }
  return result
}

/**
 * result^16 · factor. Dividing less often pays off while the time depends on the number of operations, not on the
 * length.
 */
function shortStep(result: bigint, factor: bigint, modulus: bigint): bigint {
  const square = result * result
  const fourth = (square * square) % modulus
  const eighth = fourth * fourth
  return (eighth * eighth * factor) % modulus
}

function longStep(result: bigint, factor: bigint, modulus: bigint): bigint {
  let power = result
  if (power > 1n) for (let i = 0; i < 4; i++) power = (power * power) % modulus
  return factor === 1n ? power : (power * factor) % modulus
}

function toBigInt(bytes: Uint8Array): bigint {
  return bytes.length < HEX_BYTES ? bytesToBigInt(bytes) : BigInt(bytesToHex(bytes))
}
