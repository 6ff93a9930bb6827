/**
 * Non-adjacent forms.
 * @module
 */

/**
 * Odd digits from -(2^(window - 1) - 1) to 2^(window - 1) - 1 with zeros between them, least significant first.
 * @param window bits of a digit, at least 2
 */
export function signedDigits(scalar: bigint, window: number): Int8Array {
  const sign = scalar < 0n ? -1 : 1
  const bits = (scalar < 0n ? -scalar : scalar).toString(2)
  const bitAt = (i: number): number => (bits.charCodeAt(bits.length - 1 - i) === 49 ? 1 : 0)
  const digits = new Int8Array(bits.length + 1)
  let carry = 0
  let i = 0
  while (i <= bits.length) {
    if (bitAt(i) === carry) {
      i++
      continue
    }
    let word = carry
    for (let j = 0; j < window; j++) {
      word += bitAt(i + j) * 2 ** j
    }
    carry = word >> (window - 1)
    digits[i] = sign * (word - 2 ** window * carry)
    i += window
  }
  return digits
}
