/**
 * Modular inverses by Lehmer's variant of Euclid's algorithm: it derives many steps from the leading bits, using
 * numbers, and applies them to the whole integers at once. For 256 bits this is three times as fast as single steps.
 * @see Knuth, The Art of Computer Programming, volume 2, section 4.5.2, algorithm L
 * @module
 */

/** Leading bits that a step examines; sums and products of quotients are then exact. */
const LEADING_BITS = 52
/** The coefficients of a combined step stay below this bound. */
const MAX_COEFFICIENT = 2 ** 26

/** (high, low) → (a · high + b · low, c · high + d · low) */
interface Step {
  readonly a: number
  readonly b: number
  readonly c: number
  readonly d: number
}

/**
 * The inverse of a value modulo a prime; zero for zero.
 * @param value below the modulus
 */
export function invert(value: bigint, modulus: bigint): bigint {
  let [high, low] = [modulus, value]
  // high = u · value and low = v · value, modulo the modulus.
  let [u, v] = [0n, 1n]
  const single = (): void => {
    const quotient = high / low
    ;[high, low] = [low, high - quotient * low]
    ;[u, v] = [v, u - quotient * v]
  }
  while (low >> BigInt(LEADING_BITS) !== 0n) {
    const step = combinedStep(high, low)
    if (step === undefined) {
      single()
      continue
    }
    const [a, b, c, d] = [BigInt(step.a), BigInt(step.b), BigInt(step.c), BigInt(step.d)]
    ;[high, low] = [a * high + b * low, c * high + d * low]
    ;[u, v] = [a * u + b * v, c * u + d * v]
  }
  if (low !== 0n) single()
  let [x, y] = [Number(high), Number(low)]
  while (y > 0) {
    const quotient = Math.floor(x / y)
    ;[x, y] = [y, x - quotient * y]
    ;[u, v] = [v, u - BigInt(quotient) * v]
  }
  return u < 0n ? u + modulus : u
}

/**
 * The steps whose quotients follow from the leading bits with certainty; undefined if not even the first one is
 * certain.
 */
function combinedStep(high: bigint, low: bigint): Step | undefined {
  const shift = BigInt(Math.floor(Math.log2(Number(high))) - LEADING_BITS + 1)
  let [x, y] = [Number(high >> shift), Number(low >> shift)]
  let [a, b, c, d] = [1, 0, 0, 1]
  while (y + c !== 0 && y + d !== 0) {
    const quotient = Math.floor((x + a) / (y + c))
    if (quotient !== Math.floor((x + b) / (y + d))) break
    const nextC = a - quotient * c
    const nextD = b - quotient * d
    if (Math.abs(nextC) > MAX_COEFFICIENT || Math.abs(nextD) > MAX_COEFFICIENT) break
    ;[a, b, c, d] = [c, d, nextC, nextD]
    ;[x, y] = [y, x - quotient * y]
  }
  return b === 0 ? undefined : { a, b, c, d }
}
