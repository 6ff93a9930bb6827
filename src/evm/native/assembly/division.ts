/**
 * Division of numbers of up to 8 limbs by a word. What depends on the divisor alone is kept until another one comes,
 * since code often repeats it.
 */
import { SCRATCH } from './layout'
import { highProduct } from './multiplication'
import { copyWord, equalWords } from './word'

/** Numerator of a division: 8 limbs and an additional one. */
export const NUMERATOR: usize = SCRATCH
export const QUOTIENT: usize = SCRATCH + 0x60
const SHIFTED: usize = SCRATCH + 0x100

/** Number of limbs in use. */
function limbs(a: usize, most: i32): i32 {
  let count = most
  while (count > 0 && load<u64>(a + ((count - 1) << 3)) === 0) count--
  return count
}

/** The divisor of the last division; 0 before the first one. */
const KNOWN: usize = SCRATCH + 0x180
/** Number of its limbs, and the shift that sets its top bit; SHIFTED is the shifted divisor. */
let divisorLimbs: i32 = 0
let divisorShift: u64 = 0
/** The upper two limbs of SHIFTED, and their reciprocal; `next` is 0 for a single limb. */
let top: u64 = 0
let next: u64 = 0
let inverse: u64 = 0

function prepare(divisor: usize): void {
  copyWord(KNOWN, divisor)
  divisorLimbs = limbs(divisor, 4)
  divisorShift = clz<u64>(load<u64>(divisor + ((divisorLimbs - 1) << 3)))
  shiftLeft(SHIFTED, divisor, divisorLimbs, divisorShift)
  top = load<u64>(SHIFTED + ((divisorLimbs - 1) << 3))
  next = divisorLimbs === 1 ? 0 : load<u64>(SHIFTED + ((divisorLimbs - 2) << 3))
  inverse = divisorLimbs === 1 ? reciprocal(top) : reciprocalOfTwo(top, next)
}

/**
 * Divides NUMERATOR (`count` limbs, with space for one more) by the nonzero word at `divisor`: quotient in QUOTIENT,
 * remainder in NUMERATOR. Only the limbs of the quotient that may be nonzero are written. Knuth, The Art of Computer
 * Programming, volume 2, 4.3.1, algorithm D, with limbs of 64 bits.
 */
export function divide(count: i32, divisor: usize): void {
  if (!equalWords(divisor, KNOWN)) prepare(divisor)
  const length = limbs(NUMERATOR, count)
  if (length < divisorLimbs) return
  const shift = divisorShift
  const above = shift === 0 ? 0 : shiftLeft(NUMERATOR, NUMERATOR, length, shift)
  store<u64>(NUMERATOR + (length << 3), above)
  if (divisorLimbs === 1) divideByLimb(length)
  else divideByLimbs(length)
  for (let i = divisorLimbs; i <= 4; i++) store<u64>(NUMERATOR + (i << 3), 0)
  if (shift === 0) return
  for (let i = 0; i < divisorLimbs; i++) {
    const at = NUMERATOR + (i << 3)
    store<u64>(at, (load<u64>(at) >> shift) | (load<u64>(at, 8) << (64 - shift)))
  }
}

function divideByLimb(length: i32): void {
  remainder = load<u64>(NUMERATOR + (length << 3))
  for (let i = length - 1; i >= 0; i--) {
    store<u64>(QUOTIENT + (i << 3), divideTwo(remainder, load<u64>(NUMERATOR + (i << 3)), top, inverse))
  }
  store<u64>(NUMERATOR, remainder)
}

function divideByLimbs(length: i32): void {
  const lower = divisorLimbs - 2
  const d1 = top
  const d0 = next
  const factor = inverse
  let position = length - divisorLimbs
  let n2 = load<u64>(NUMERATOR + (length << 3))
  let n1 = load<u64>(NUMERATOR + ((length - 1) << 3))
  if (n2 === 0 && n1 < d1) {
    // The first digit is 0, as for every product of numbers below the divisor.
    n2 = n1
    n1 = load<u64>(NUMERATOR + ((length - 2) << 3))
    position--
  }
  for (; position >= 0; position--) {
    const at = NUMERATOR + (position << 3)
    const n0 = load<u64>(at + (lower << 3))
    // The digit from the upper two limbs of the divisor, and the upper two limbs of the rest, modulo 2^128.
    let q: u64
    let r1: u64
    let r0: u64
    const isLargest = n2 === d1 && n1 === d0
    if (isLargest) {
      q = u64.MAX_VALUE
      r0 = d0 + n0
      r1 = d1 + u64(r0 < d0)
    } else {
      // Möller and Granlund, algorithm 5.
      const product = factor * n2
      const fraction = product + n1
      q = highProduct(factor, n2) + n2 + u64(fraction < product)
      const low = d0 * q
      const high = highProduct(d0, q)
      const t0 = n0 - low
      r0 = t0 - d0
      r1 = n1 - q * d1 - high - u64(n0 < low) - d1 - u64(t0 < d0)
      q++
      if (r1 >= fraction) {
        q--
        r0 += d0
        r1 += d1 + u64(r0 < d0)
      }
      if (r1 > d1 || (r1 === d1 && r0 >= d0)) {
        q++
        r1 -= d1 + u64(r0 < d0)
        r0 -= d0
      }
    }
    if (lower !== 0) {
      const carry = subtractProduct(at, lower, q)
      const borrow = u64(r0 < carry)
      r0 -= carry
      if (r1 < borrow && !isLargest) {
        q--
        const carried = addBack(at, lower)
        r0 += carried
        r1 += d1 + u64(r0 < carried)
        r0 += d0
        r1 += u64(r0 < d0)
      }
      r1 -= borrow
    }
    store<u64>(QUOTIENT + (position << 3), q)
    n2 = r1
    n1 = r0
  }
  store<u64>(NUMERATOR + ((lower + 1) << 3), n2)
  store<u64>(NUMERATOR + (lower << 3), n1)
}

/** The second result of divideTwo. */
let remainder: u64 = 0

/**
 * Divides (high, low) by a divisor with its top bit set; requires high < divisor. Möller and Granlund, Improved
 * division by invariant integers, algorithm 4.
 */
function divideTwo(high: u64, low: u64, divisor: u64, factor: u64): u64 {
  const product = factor * high
  const fraction = product + low
  let q = highProduct(factor, high) + high + u64(fraction < product) + 1
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

/**
 * floor((2^192 - 1) / (high, low)) - 2^64, for a divisor of two limbs with its top bit set. Möller and Granlund,
 * algorithm 6.
 */
function reciprocalOfTwo(high: u64, low: u64): u64 {
  let v = reciprocal(high)
  let p = high * v + low
  if (p < low) {
    v--
    if (p >= high) {
      v--
      p -= high
    }
    p -= high
  }
  const carried = highProduct(v, low)
  const product = v * low
  p += carried
  if (p < carried) v -= p > high || (p === high && product >= low) ? 2 : 1
  return v
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

/** Subtracts q times the lowest `count` limbs (1 or 2) of SHIFTED from those at `at`; returns what the next limb loses. */
function subtractProduct(at: usize, count: i32, q: u64): u64 {
  const d0 = load<u64>(SHIFTED)
  const low0 = q * d0
  const n0 = load<u64>(at)
  store<u64>(at, n0 - low0)
  const carry = highProduct(q, d0) + u64(n0 < low0)
  if (count === 1) return carry
  const d1 = load<u64>(SHIFTED, 8)
  const low1 = q * d1
  const loss = low1 + carry
  const n1 = load<u64>(at, 8)
  store<u64>(at, n1 - loss, 8)
  return highProduct(q, d1) + u64(loss < low1) + u64(n1 < loss)
}

/** Adds the lowest `count` limbs of SHIFTED to those at `at`; returns the carry. */
function addBack(at: usize, count: i32): u64 {
  let carry: u64 = 0
  for (let i = 0; i < count; i++) {
    const old = load<u64>(at + (i << 3))
    const sum = old + load<u64>(SHIFTED + (i << 3))
    const full = sum + carry
    carry = u64(sum < old) | u64(full < sum)
    store<u64>(at + (i << 3), full)
  }
  return carry
}
