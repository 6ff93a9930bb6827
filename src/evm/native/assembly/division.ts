/**
 * Division of numbers of up to 8 limbs by a word. Values that depend on the divisor alone are kept, since code often
 * repeats a divisor.
 */
import { SCRATCH } from './layout'
import { highProduct } from './multiplication'
import { copyWord, equalWords } from './word'

/** Numerator of a division: 8 limbs and an additional one. */
export const NUMERATOR: usize = SCRATCH
export const QUOTIENT: usize = SCRATCH + 0x60

/** Number of limbs in use. */
function limbs(a: usize, most: i32): i32 {
  let count = most
  while (count > 0 && load<u64>(a + ((count - 1) << 3)) === 0) count--
  return count
}

/**
 * 16 slots for divisors, chosen by the lowest limb: the divisor (a word, 0 in an unused slot), the divisor with its
 * top bit shifted to the top of its highest limb (a word), the reciprocal of the upper limbs of that (u64), the shift
 * (u64) and the number of limbs (i32).
 */
const KNOWN: usize = SCRATCH + 0x1000
const SLOT_SHIFT: usize = 7
const SHIFTED = 32
const RECIPROCAL = 64
const SHIFT = 72
const LIMBS = 80
/** An odd number with well mixed bits. */
// biome-ignore lint/correctness/noPrecisionLoss: this is u64
const FACTOR: u64 = 0x9e3779b97f4a7c15

/** The slot of the divisor. */
function slotOf(divisor: usize): usize {
  const slot = KNOWN + ((<usize>((load<u64>(divisor) * FACTOR) >> 60)) << SLOT_SHIFT)
  if (!equalWords(divisor, slot)) prepare(slot, divisor)
  return slot
}

function prepare(slot: usize, divisor: usize): void {
  copyWord(slot, divisor)
  const count = limbs(divisor, 4)
  const last = (count - 1) << 3
  const shift = clz<u64>(load<u64>(divisor + last))
  shiftLeft(slot + SHIFTED, divisor, count, shift)
  const top = load<u64>(slot + last, SHIFTED)
  const inverse = count === 1 ? reciprocal(top) : reciprocalOfTwo(top, load<u64>(slot + last - 8, SHIFTED))
  store<u64>(slot, inverse, RECIPROCAL)
  store<u64>(slot, shift, SHIFT)
  store<i32>(slot, count, LIMBS)
}

/**
 * Divides NUMERATOR (`count` limbs, with space for one more) by the nonzero word at `divisor`: quotient in QUOTIENT,
 * remainder in NUMERATOR. Only the limbs of the quotient that may be nonzero are written. Knuth, The Art of Computer
 * Programming, volume 2, 4.3.1, algorithm D, with limbs of 64 bits.
 */
export function divide(count: i32, divisor: usize): void {
  const slot = slotOf(divisor)
  const length = limbs(NUMERATOR, count)
  const divisorLimbs = load<i32>(slot, LIMBS)
  if (length < divisorLimbs) return
  const shift = load<u64>(slot, SHIFT)
  const above = shift === 0 ? 0 : shiftLeft(NUMERATOR, NUMERATOR, length, shift)
  store<u64>(NUMERATOR + (length << 3), above)
  if (divisorLimbs === 1) divideByLimb(slot, length)
  else divideByLimbs(slot + SHIFTED, load<u64>(slot, RECIPROCAL), divisorLimbs - 2, length)
  for (let i = divisorLimbs; i <= 4; i++) store<u64>(NUMERATOR + (i << 3), 0)
  if (shift === 0) return
  for (let i = 0; i < divisorLimbs; i++) {
    const at = NUMERATOR + (i << 3)
    store<u64>(at, (load<u64>(at) >> shift) | (load<u64>(at, 8) << (64 - shift)))
  }
}

function divideByLimb(slot: usize, length: i32): void {
  const divisor = load<u64>(slot, SHIFTED)
  const factor = load<u64>(slot, RECIPROCAL)
  remainder = load<u64>(NUMERATOR + (length << 3))
  for (let i = length - 1; i >= 0; i--) {
    store<u64>(QUOTIENT + (i << 3), divideTwo(remainder, load<u64>(NUMERATOR + (i << 3)), divisor, factor))
  }
  store<u64>(NUMERATOR, remainder)
}

/**
 * @param divisor of `lower` + 2 limbs, with its top bit set
 * @param factor the reciprocal of its upper two limbs
 */
function divideByLimbs(divisor: usize, factor: u64, lower: i32, length: i32): void {
  const d1 = load<u64>(divisor + (lower << 3), 8)
  const d0 = load<u64>(divisor + (lower << 3))
  let position = length - lower - 2
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
      const carry = subtractProduct(at, divisor, lower, q)
      const borrow = u64(r0 < carry)
      r0 -= carry
      if (r1 < borrow && !isLargest) {
        q--
        const carried = addBack(at, divisor, lower)
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

/** Subtracts q times the lowest `count` limbs (1 or 2) of the divisor from those at `at`; returns what the next limb loses. */
function subtractProduct(at: usize, divisor: usize, count: i32, q: u64): u64 {
  const d0 = load<u64>(divisor)
  const low0 = q * d0
  const n0 = load<u64>(at)
  store<u64>(at, n0 - low0)
  const carry = highProduct(q, d0) + u64(n0 < low0)
  if (count === 1) return carry
  const d1 = load<u64>(divisor, 8)
  const low1 = q * d1
  const loss = low1 + carry
  const n1 = load<u64>(at, 8)
  store<u64>(at, n1 - loss, 8)
  return highProduct(q, d1) + u64(loss < low1) + u64(n1 < loss)
}

/** Adds the lowest `count` limbs of the divisor to those at `at`; returns the carry. */
function addBack(at: usize, divisor: usize, count: i32): u64 {
  let carry: u64 = 0
  for (let i = 0; i < count; i++) {
    const old = load<u64>(at + (i << 3))
    const sum = old + load<u64>(divisor + (i << 3))
    const full = sum + carry
    carry = u64(sum < old) | u64(full < sum)
    store<u64>(at + (i << 3), full)
  }
  return carry
}
