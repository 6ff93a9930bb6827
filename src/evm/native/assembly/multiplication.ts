/** Products of words; conventions as in word.ts. */

/** The upper 64 bits of a product. */
export function highProduct(a: u64, b: u64): u64 {
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
export function square(a: usize): void {
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

/** Adds x times the word at `b` to the four limbs at `at`; returns the next limb. */
export function addProduct(at: usize, x: u64, b: usize): u64 {
  let carry: u64 = 0
  let low: u64 = 0
  let first: u64 = 0
  let old: u64 = 0
  const y0 = load<u64>(b)
  low = x * y0
  first = low + carry
  old = load<u64>(at)
  store<u64>(at, first + old)
  carry = highProduct(x, y0) + u64(first < low) + u64(first + old < first)
  const y1 = load<u64>(b, 8)
  low = x * y1
  first = low + carry
  old = load<u64>(at, 8)
  store<u64>(at, first + old, 8)
  carry = highProduct(x, y1) + u64(first < low) + u64(first + old < first)
  const y2 = load<u64>(b, 16)
  low = x * y2
  first = low + carry
  old = load<u64>(at, 16)
  store<u64>(at, first + old, 16)
  carry = highProduct(x, y2) + u64(first < low) + u64(first + old < first)
  const y3 = load<u64>(b, 24)
  low = x * y3
  first = low + carry
  old = load<u64>(at, 24)
  store<u64>(at, first + old, 24)
  carry = highProduct(x, y3) + u64(first < low) + u64(first + old < first)
  return carry
}
