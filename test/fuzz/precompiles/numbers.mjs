/** Numbers that provoke errors in arithmetic. */
import { fromHex, toNumber, word } from './bytes.mjs'

export const randomBytes = (choices, length) => fromHex(choices.digits(length))

/** Below 2^(8 · length). */
export const randomNumber = (choices, length) => toNumber(randomBytes(choices, length))

/** Near a power of two, with runs of ones and zeros. */
function nearPower(choices, bits) {
  const number = 2n ** BigInt(choices.below(bits)) + BigInt(choices.between(-2, 2))
  const mixed = choices.chance(30) ? number + 2n ** BigInt(choices.below(bits)) : number
  return mixed < 0n ? 0n : mixed
}

/** Often below the modulus, sometimes equal or above; always below 2^(8 · length). */
export function element(choices, modulus, length) {
  const limit = 2n ** BigInt(8 * length)
  const number = choices.weighted([
    [4, () => randomNumber(choices, length) % modulus],
    [2, () => choices.pick([0n, 1n, 2n, modulus - 1n, modulus - 2n, modulus / 2n, modulus / 2n + 1n])],
    [2, () => nearPower(choices, modulus.toString(2).length)],
    [
      1,
      () => choices.pick([modulus, modulus + 1n, 2n * modulus, limit - 1n, limit / 2n, randomNumber(choices, length)]),
    ],
  ])()
  return number % limit
}

/** @param special further values at which the code may split scalars */
export function scalar(choices, order, special = []) {
  const number = choices.weighted([
    [4, () => randomNumber(choices, 32)],
    [2, () => choices.pick([0n, 1n, 2n, 3n, order - 1n, order, order + 1n, 2n * order, order - 2n, (order + 1n) / 2n])],
    [1, () => choices.pick([2n ** 255n, 2n ** 256n - 1n, 2n ** 128n, 2n ** 127n - 1n])],
    [1, () => nearPower(choices, 256)],
    [1, () => BigInt(choices.below(70_000))],
    [
      special.length,
      () => choices.pick(special) * BigInt(choices.pick([1, 1, 1, 2, 3])) + BigInt(choices.between(-1, 1)),
    ],
  ])()
  return ((number % 2n ** 256n) + 2n ** 256n) % 2n ** 256n
}

/**
 * The input, or a damaged copy.
 * @param unit bytes of a number in it
 */
export function damaged(choices, input, { unit, modulus, percent = 12 }) {
  if (!choices.chance(percent)) return input
  const bytes = input.slice()
  const at = unit * choices.below(Math.max(1, Math.floor(input.length / unit)))
  return choices.weighted([
    [1, () => input.subarray(0, Math.max(0, input.length - 1))],
    [1, () => Uint8Array.of(...input, choices.pick([0, 0, 1]))],
    [1, () => input.subarray(0, choices.below(input.length + 1))],
    [1, () => input.subarray(0, 0)],
    [1, () => Uint8Array.of(...input, ...new Uint8Array(choices.between(1, 2 * unit)))],
    [1, () => randomBytes(choices, input.length)],
    [
      3,
      () => {
        if (bytes.length > 0) bytes[choices.below(bytes.length)] ^= 1 << choices.below(8)
        return bytes
      },
    ],
    [
      3,
      () => {
        if (bytes.length >= unit) bytes.set(word(element(choices, modulus, unit), unit), at)
        return bytes
      },
    ],
    [
      3,
      () => {
        const part = bytes.subarray(at, at + unit)
        if (part.length === unit) part.set(word(toNumber(part) + modulus, unit))
        return bytes
      },
    ],
  ])()
}
