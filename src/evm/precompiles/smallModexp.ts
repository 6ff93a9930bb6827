/**
 * Modular exponentiation with a modulus small enough for numbers. With a short modulus, little gas buys a long
 * exponent, so the exponent is reduced first.
 * @module
 */

/** Up to this modulus, products of two residues and their rounded quotients are exact in numbers. */
export const MAX_SMALL_MODULUS: number = 2 ** 26

/** From this length on, an exponent exceeds the binary logarithm of any small modulus. */
const LONG_EXPONENT_BYTES = 5

/**
 * @param base below the modulus
 * @param exponent big-endian; the first byte is not zero
 * @param modulus from 2 to MAX_SMALL_MODULUS
 */
export function smallPower(base: number, exponent: Uint8Array, modulus: number): number {
  // Factoring tries divisors up to the square root of the modulus.
  const isLong = exponent.length >= LONG_EXPONENT_BYTES && 8 * exponent.length > Math.sqrt(modulus)
  return isLong ? reducedPower(base, exponent, modulus) : power(base, exponent, modulus)
}

/** For exponents above the binary logarithm of the modulus: b^e = b^(e mod φ + φ). */
function reducedPower(base: number, exponent: Uint8Array, modulus: number): number {
  const phi = totient(modulus)
  let rest = 0
  for (const byte of exponent) rest = remainder(256 * rest + byte, phi)
  return numberPower(base, rest + phi, modulus)
}

function power(base: number, exponent: Uint8Array, modulus: number): number {
  let result = 1
  for (const byte of exponent) {
    for (let bit = 7; bit >= 0; bit--) {
      result = times(result, result, modulus)
      if ((byte >> bit) & 1) result = times(result, base, modulus)
    }
  }
  return result
}

function numberPower(base: number, exponent: number, modulus: number): number {
  let result = 1
  let square = base
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = times(result, square, modulus)
    square = times(square, square, modulus)
  }
  return result
}

/** Euler's totient function. */
function totient(value: number): number {
  let result = value
  let rest = value
  for (let factor = 2; factor * factor <= rest; factor++) {
    if (rest % factor !== 0) continue
    result -= result / factor
    while (rest % factor === 0) rest /= factor
  }
  return rest > 1 ? result - result / rest : result
}

function times(a: number, b: number, modulus: number): number {
  return remainder(a * b, modulus)
}

/** Faster than the operator, which becomes a call for values above 32 bits. */
function remainder(value: number, modulus: number): number {
  return value - Math.floor(value / modulus) * modulus
}
