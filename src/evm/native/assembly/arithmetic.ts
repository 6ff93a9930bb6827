/** Multiplication, division and powers of words; conventions as in word.ts. */
import { clear } from './bytes'
import { SCRATCH } from './layout'
import { below, copyWord, fitsU64, isZero, leadingZeros, negate, setU64, WORD } from './word'

/** Numerator of a division, or the product of MULMOD: 8 limbs and an additional one. */
const NUMERATOR: usize = SCRATCH
const QUOTIENT: usize = SCRATCH + 0x60
const DIVISOR: usize = SCRATCH + 0xc0
const SHIFTED: usize = SCRATCH + 0x100
const BASE: usize = SCRATCH + 0x140

function highProduct(a: u64, b: u64): u64 {
  const aLow = a & 0xffffffff
  const aHigh = a >> 32
  const bLow = b & 0xffffffff
  const bHigh = b >> 32
  const middle = aHigh * bLow + ((aLow * bLow) >> 32)
  return aHigh * bHigh + (middle >> 32) + ((aLow * bHigh + (middle & 0xffffffff)) >> 32)
}

export function mul(a: usize, b: usize): void {
  const a0 = load<u64>(a)
  const b0 = load<u64>(b)
  const a1 = load<u64>(a, 8)
  const b1 = load<u64>(b, 8)
  const a2 = load<u64>(a, 16)
  const b2 = load<u64>(b, 16)
  const a3 = load<u64>(a, 24)
  const b3 = load<u64>(b, 24)
  store<u64>(b, a0 * b0)
  let r1 = highProduct(a0, b0)
  if ((a1 | a2 | a3 | b1 | b2 | b3) === 0) {
    store<u64>(b, r1, 8)
    store<u64>(b, 0, 16)
    store<u64>(b, 0, 24)
    return
  }
  let t = a0 * b1
  r1 += t
  let r2 = highProduct(a0, b1) + u64(r1 < t)
  t = a1 * b0
  r1 += t
  t = highProduct(a1, b0) + u64(r1 < t)
  r2 += t
  let r3 = u64(r2 < t)
  store<u64>(b, r1, 8)
  t = a0 * b2
  r2 += t
  r3 += u64(r2 < t) + highProduct(a0, b2)
  t = a1 * b1
  r2 += t
  r3 += u64(r2 < t) + highProduct(a1, b1)
  t = a2 * b0
  r2 += t
  r3 += u64(r2 < t) + highProduct(a2, b0)
  store<u64>(b, r2, 16)
  store<u64>(b, r3 + a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0, 24)
}

/** Squares `a` in place; each mixed product is counted twice. */
function square(a: usize): void {
  const a0 = load<u64>(a)
  const a1 = load<u64>(a, 8)
  const a2 = load<u64>(a, 16)
  store<u64>(a, a0 * a0)
  const low01 = a0 * a1
  const high01 = highProduct(a0, a1)
  const r1 = highProduct(a0, a0) + (low01 << 1)
  store<u64>(a, r1, 8)
  const low02 = a0 * a2
  const low11 = a1 * a1
  const twice01 = (high01 << 1) | (low01 >> 63)
  let r2 = twice01 + u64(r1 < low01 << 1)
  let r3 = (high01 >> 63) + u64(r2 < twice01) + ((highProduct(a0, a2) << 1) | (low02 >> 63)) + highProduct(a1, a1)
  r2 += low02 << 1
  r3 += u64(r2 < low02 << 1)
  r2 += low11
  r3 += u64(r2 < low11)
  store<u64>(a, r2, 16)
  store<u64>(a, r3 + ((a0 * load<u64>(a, 24) + a1 * a2) << 1), 24)
}

/** Number of limbs in use. */
function limbs(a: usize, most: i32): i32 {
  let count = most
  while (count > 0 && load<u64>(a + ((count - 1) << 3)) === 0) count--
  return count
}

/**
 * Divides NUMERATOR (`count` limbs, with space for one more) by the nonzero word at `divisor`: quotient in QUOTIENT
 * (`count` limbs), remainder in NUMERATOR. Knuth, The Art of Computer Programming, volume 2, 4.3.1, algorithm D, with
 * limbs of 64 bits.
 */
function divide(count: i32, divisor: usize): void {
  const dividendLimbs = limbs(NUMERATOR, count)
  const divisorLimbs = limbs(divisor, 4)
  clear(QUOTIENT, count << 3)
  if (dividendLimbs < divisorLimbs) return
  const shift = clz<u64>(load<u64>(divisor + ((divisorLimbs - 1) << 3)))
  shiftLeft(SHIFTED, divisor, divisorLimbs, shift)
  store<u64>(NUMERATOR + (dividendLimbs << 3), shiftLeft(NUMERATOR, NUMERATOR, dividendLimbs, shift))
  const top = load<u64>(SHIFTED + ((divisorLimbs - 1) << 3))
  const inverse = reciprocal(top)
  if (divisorLimbs === 1) divideByLimb(dividendLimbs, top, inverse)
  else divideByLimbs(dividendLimbs, divisorLimbs, top, inverse)
  for (let i = 0; i < divisorLimbs; i++) {
    const at = NUMERATOR + (i << 3)
    store<u64>(at, (load<u64>(at) >> shift) | ((load<u64>(at, 8) << 1) << (63 - shift)))
  }
}

function divideByLimb(dividendLimbs: i32, divisor: u64, inverse: u64): void {
  remainder = load<u64>(NUMERATOR + (dividendLimbs << 3))
  store<u64>(NUMERATOR + (dividendLimbs << 3), 0)
  for (let i = dividendLimbs - 1; i >= 0; i--) {
    store<u64>(QUOTIENT + (i << 3), divideTwo(remainder, load<u64>(NUMERATOR + (i << 3)), divisor, inverse))
    store<u64>(NUMERATOR + (i << 3), 0)
  }
  store<u64>(NUMERATOR, remainder)
}

function divideByLimbs(dividendLimbs: i32, divisorLimbs: i32, top: u64, inverse: u64): void {
  const next = load<u64>(SHIFTED + ((divisorLimbs - 2) << 3))
  for (let j = dividendLimbs - divisorLimbs; j >= 0; j--) {
    const at = NUMERATOR + (j << 3)
    const head = at + (divisorLimbs << 3)
    let q = estimate(load<u64>(head), load<u64>(head - 8), load<u64>(head - 16), top, next, inverse)
    if (q === 0) continue
    if (!subtractProduct(at, divisorLimbs, q)) {
      q--
      addBack(at, divisorLimbs)
    }
    store<u64>(QUOTIENT + (j << 3), q)
  }
}

/** Estimates a digit of the quotient from the upper limbs; at most 1 too large. */
function estimate(u2: u64, u1: u64, u0: u64, top: u64, next: u64, inverse: u64): u64 {
  let q: u64 = u64.MAX_VALUE
  let rest = u1 + top
  if (u2 < top) {
    q = divideTwo(u2, u1, top, inverse)
    rest = remainder
  } else if (rest < top) return q
  while (true) {
    const high = highProduct(q, next)
    if (high < rest || (high === rest && q * next <= u0)) return q
    q--
    rest += top
    if (rest < top) return q
  }
}

/** The second result of divideTwo. */
let remainder: u64 = 0

/**
 * Divides (high, low) by a divisor with its top bit set; requires high < divisor. Möller and Granlund, Improved
 * division by invariant integers, algorithm 4.
 */
function divideTwo(high: u64, low: u64, divisor: u64, inverse: u64): u64 {
  const product = inverse * high
  const fraction = product + low
  let q = highProduct(inverse, high) + high + u64(fraction < product) + 1
  let r = low - q * divisor
  if (r > fraction) {
    q--
    r += divisor
  }
  if (r >= divisor) {
    q++
    r -= divisor
  }
  remainder = r
  return q
}

/** floor((2^128 - 1) / divisor) - 2^64, for a divisor with its top bit set; computed in two digits of 32 bits. */
function reciprocal(divisor: u64): u64 {
  const high = divisor >> 32
  const low = divisor & 0xffffffff
  const numerator = ~divisor
  const q1 = halfDigit(numerator, 0xffffffff, high, low)
  const rest = (numerator << 32) + 0xffffffff - q1 * divisor
  return (q1 << 32) + halfDigit(rest, 0xffffffff, high, low)
}

function halfDigit(numerator: u64, below: u64, high: u64, low: u64): u64 {
  let q = numerator / high
  let rest = numerator - q * high
  while (q >> 32 !== 0 || q * low > ((rest << 32) | below)) {
    q--
    rest += high
    if (rest >> 32 !== 0) break
  }
  return q
}

/** Shifts `count` limbs from `a` to `out` (which may be `a`) by less than 64 bits; returns the bits shifted out. */
function shiftLeft(out: usize, a: usize, count: i32, shift: u64): u64 {
  let carry: u64 = 0
  for (let i = 0; i < count; i++) {
    const limb = load<u64>(a + (i << 3))
    store<u64>(out + (i << 3), (limb << shift) | carry)
    carry = (limb >> 1) >> (63 - shift)
  }
  return carry
}

/** Subtracts q * SHIFTED from the limbs at `at`; false when q was too large. */
function subtractProduct(at: usize, count: i32, q: u64): bool {
  let carry: u64 = 0
  for (let i = 0; i < count; i++) {
    const limb = load<u64>(SHIFTED + (i << 3))
    const low = q * limb
    const product = low + carry
    const old = load<u64>(at + (i << 3))
    carry = highProduct(q, limb) + u64(product < low) + u64(old < product)
    store<u64>(at + (i << 3), old - product)
  }
  const last = at + (count << 3)
  const old = load<u64>(last)
  store<u64>(last, old - carry)
  return old >= carry
}

function addBack(at: usize, count: i32): void {
  let carry: u64 = 0
  for (let i = 0; i < count; i++) {
    const old = load<u64>(at + (i << 3))
    const sum = old + load<u64>(SHIFTED + (i << 3))
    const full = sum + carry
    carry = u64(sum < old) | u64(full < sum)
    store<u64>(at + (i << 3), full)
  }
  const last = at + (count << 3)
  store<u64>(last, load<u64>(last) + carry)
}

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
  for (let i: usize = 0; i < WORD; i += 8) {
    const x = load<u64>(a + i)
    const sum = x + load<u64>(b + i)
    const full = sum + carry
    carry = u64(sum < x) | u64(full < sum)
    store<u64>(NUMERATOR + i, full)
  }
  if (carry === 0) {
    copyWord(BASE, NUMERATOR)
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
  clear(NUMERATOR, 72)
  for (let i: usize = 0; i < WORD; i += 8) {
    const x = load<u64>(a + i)
    if (x === 0) continue
    let carry: u64 = 0
    for (let j: usize = 0; j < WORD; j += 8) {
      const y = load<u64>(b + j)
      const low = x * y
      const first = low + carry
      const old = load<u64>(NUMERATOR + i + j)
      const sum = first + old
      carry = highProduct(x, y) + u64(first < low) + u64(sum < first)
      store<u64>(NUMERATOR + i + j, sum)
    }
    store<u64>(NUMERATOR + i + WORD, carry)
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
