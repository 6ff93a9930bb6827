/** Division, modular arithmetic and powers of words; conventions as in word.ts. */
import { clear } from './bytes'
import { divide, NUMERATOR, QUOTIENT } from './division'
import { SCRATCH } from './layout'
import { addProduct, mul, square } from './multiplication'
import { below, copyWord, fitsU64, isZero, leadingZeros, negate, setU64, WORD } from './word'

const DIVISOR: usize = SCRATCH + 0xc0
const BASE: usize = SCRATCH + 0x140

/** Bit index when the word is a power of two, else -1. */
function exponentOfTwo(a: usize): i32 {
  const bits = popcnt(load<u64>(a)) + popcnt(load<u64>(a, 8)) + popcnt(load<u64>(a, 16)) + popcnt(load<u64>(a, 24))
  return bits === 1 ? 255 - <i32>leadingZeros(a) : -1
}

function setNumerator(a: usize): void {
  copyWord(NUMERATOR, a)
  store<u64>(NUMERATOR, 0, 32)
}

/** a / b, result in b. */
export function div(a: usize, b: usize): void {
  if (fitsU64(b)) {
    const divisor = load<u64>(b)
    if (divisor === 0) return
    if (fitsU64(a)) {
      store<u64>(b, load<u64>(a) / divisor)
      return
    }
  }
  if (below(a, b)) {
    setU64(b, 0)
    return
  }
  const exponent = exponentOfTwo(b)
  if (exponent >= 0) {
    shiftedDown(b, a, exponent)
    return
  }
  setNumerator(a)
  clear(QUOTIENT, WORD)
  divide(4, b)
  copyWord(b, QUOTIENT)
}

/** out = a >> bits, 0 ≤ bits < 256. */
function shiftedDown(out: usize, a: usize, bits: i32): void {
  const from = a + ((bits >> 6) << 3)
  const end = a + WORD
  const shift = <u64>(bits & 63)
  for (let i: usize = 0; i < WORD; i += 8) {
    const low = from + i < end ? load<u64>(from + i) : 0
    const high = from + i + 8 < end ? load<u64>(from + i + 8) : 0
    store<u64>(out + i, (low >> shift) | ((high << 1) << (63 - shift)))
  }
}

/** a mod b, result in b. */
export function mod(a: usize, b: usize): void {
  if (fitsU64(b)) {
    const divisor = load<u64>(b)
    if (divisor === 0) return
    if (fitsU64(a)) {
      store<u64>(b, load<u64>(a) % divisor)
      return
    }
  }
  if (below(a, b)) {
    copyWord(b, a)
    return
  }
  const exponent = exponentOfTwo(b)
  if (exponent >= 0) {
    for (let i = 0; i < 4; i++) {
      const rest = exponent - (i << 6)
      const mask: u64 = rest >= 64 ? u64.MAX_VALUE : rest <= 0 ? 0 : ((<u64>1) << (<u64>rest)) - 1
      store<u64>(b + (i << 3), load<u64>(a + (i << 3)) & mask)
    }
    return
  }
  setNumerator(a)
  divide(4, b)
  copyWord(b, NUMERATOR)
}

/** Writes the absolute value of `a` to `out`; true when `a` is negative. */
function absolute(out: usize, a: usize): bool {
  const negative = load<i64>(a, 24) < 0
  copyWord(out, a)
  if (negative) negate(out)
  return negative
}

export function sdiv(a: usize, b: usize): void {
  const negativeA = absolute(BASE, a)
  const negativeB = absolute(DIVISOR, b)
  div(BASE, DIVISOR)
  if (negativeA !== negativeB) negate(DIVISOR)
  copyWord(b, DIVISOR)
}

/** The remainder has the sign of a. */
export function smod(a: usize, b: usize): void {
  const negativeA = absolute(BASE, a)
  absolute(DIVISOR, b)
  mod(BASE, DIVISOR)
  if (negativeA) negate(DIVISOR)
  copyWord(b, DIVISOR)
}

/** (a + b) mod m, result in m. */
export function addmod(a: usize, b: usize, m: usize): void {
  let carry: u64 = 0
  let borrow: u64 = 0
  for (let i: usize = 0; i < WORD; i += 8) {
    const x = load<u64>(a + i)
    const sum = x + load<u64>(b + i)
    const full = sum + carry
    carry = u64(sum < x) | u64(full < sum)
    store<u64>(NUMERATOR + i, full)
    const limb = load<u64>(m + i)
    const difference = full - limb
    store<u64>(BASE + i, difference - borrow)
    borrow = u64(full < limb) | u64(difference < borrow)
  }
  // Most operands are below m, so that their sum is below 2 m.
  if (carry < borrow) {
    copyWord(m, NUMERATOR)
    return
  }
  if (carry === borrow) {
    mod(BASE, m)
    return
  }
  if (isZero(m)) return
  store<u64>(NUMERATOR, carry, 32)
  store<u64>(NUMERATOR, 0, 40)
  divide(5, m)
  copyWord(m, NUMERATOR)
}

/** a * b mod m, result in m. */
export function mulmod(a: usize, b: usize, m: usize): void {
  if (isZero(m)) return
  clear(NUMERATOR, WORD)
  for (let i: usize = 0; i < WORD; i += 8) {
    const x = load<u64>(a + i)
    store<u64>(NUMERATOR + i + WORD, x === 0 ? 0 : addProduct(NUMERATOR + i, x, b))
  }
  divide(8, m)
  copyWord(m, NUMERATOR)
}

/** a to the power of e, result in e. */
export function exp(a: usize, e: usize): void {
  const exponent = QUOTIENT
  copyWord(exponent, e)
  const bits = 256 - <i32>leadingZeros(e)
  const twos = exponentOfTwo(a)
  if (twos >= 0) {
    powerOfTwo(e, twos)
    return
  }
  setU64(e, 1)
  copyWord(BASE, a)
  for (let i = 0; i < bits; i++) {
    if ((load<u8>(exponent + (i >> 3)) >> <u8>(i & 7)) & 1) mul(BASE, e)
    if (i + 1 < bits) square(BASE)
    // Powers of an even number from the 256th on are 0.
    if (isZero(BASE)) {
      const upper = i + 1
      if (hasBitFrom(exponent, upper, bits)) setU64(e, 0)
      return
    }
  }
}

function hasBitFrom(a: usize, from: i32, to: i32): bool {
  for (let i = from; i < to; i++) if ((load<u8>(a + (i >> 3)) >> <u8>(i & 7)) & 1) return true
  return false
}

/** 2^(twos * e), result in e */
function powerOfTwo(e: usize, twos: i32): void {
  const exponent = fitsU64(e) && load<u64>(e) < 256 ? load<u64>(e) * <u64>twos : twos === 0 ? 0 : 256
  setU64(e, 0)
  if (exponent < 256) store<u64>(e + ((<usize>(exponent >> 6)) << 3), (<u64>1) << (exponent & 63))
}

/** Number of bytes without leading zeros. */
export function byteLength(a: usize): i64 {
  return (263 - <i64>leadingZeros(a)) >> 3
}
