/**
 * 256-bit words: four u64 in memory, least significant first. Functions of two operands take `a`, the top of the stack,
 * and `b`, the word below, and leave the result in `b`.
 *
 * 128-bit vectors are used to reverse bytes and to store. They are never loaded from the stack, because a load that is
 * wider than the preceding store must wait for that store.
 */

export const WORD: usize = 32

export function isZero(a: usize): bool {
  return (load<u64>(a) | load<u64>(a, 8) | load<u64>(a, 16) | load<u64>(a, 24)) === 0
}

/** True when the word is below 2^64. */
export function fitsU64(a: usize): bool {
  return (load<u64>(a, 8) | load<u64>(a, 16) | load<u64>(a, 24)) === 0
}

/** The word, or the maximum u64 if it exceeds that. */
export function clampU64(a: usize): u64 {
  return fitsU64(a) ? load<u64>(a) : u64.MAX_VALUE
}

export function setU64(out: usize, value: u64): void {
  store<u64>(out, value)
  store<u64>(out, 0, 8)
  v128.store(out, i64x2.splat(0), 16)
}

export function copyWord(out: usize, a: usize): void {
  const w0 = load<u64>(a)
  const w1 = load<u64>(a, 8)
  const w2 = load<u64>(a, 16)
  const w3 = load<u64>(a, 24)
  store<u64>(out, w0)
  store<u64>(out, w1, 8)
  store<u64>(out, w2, 16)
  store<u64>(out, w3, 24)
}

function reversed(bytes: v128): v128 {
  return v128.shuffle<u8>(bytes, bytes, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
}

/** Converts 32 big-endian bytes to a word; `out` may be `bytes`. */
export function fromBytes(out: usize, bytes: usize): void {
  const high = v128.load(bytes)
  const low = v128.load(bytes, 16)
  v128.store(out, reversed(low))
  v128.store(out, reversed(high), 16)
}

/** Converts a word to 32 big-endian bytes; `out` may be `a`. */
export function toBytes(out: usize, a: usize): void {
  const low = i64x2.replace_lane(i64x2.splat(load<i64>(a)), 1, load<i64>(a, 8))
  const high = i64x2.replace_lane(i64x2.splat(load<i64>(a, 16)), 1, load<i64>(a, 24))
  v128.store(out, reversed(high))
  v128.store(out, reversed(low), 16)
}

/** 32 bytes of 0xff followed by 32 zero bytes: the mask of the low n bytes begins n bytes before the zeros. */
const LOW_BYTES = memory.data<u64>([-1, -1, -1, -1, 0, 0, 0, 0])

/** Converts the big-endian number of up to 32 bytes that ends at `end`; also reads the preceding bytes. */
export function fromEnd(out: usize, end: usize, bytes: usize): void {
  const mask = LOW_BYTES + WORD - bytes
  v128.store(out, v128.and(reversed(v128.load(end - 16)), v128.load(mask)))
  v128.store(out, v128.and(reversed(v128.load(end - 32)), v128.load(mask, 16)), 16)
}

/** Converts 20 big-endian bytes to a word; also reads the 12 preceding bytes. */
export function fromAddress(out: usize, address: usize): void {
  fromEnd(out, address + 20, 20)
}

/** Converts the low 160 bits of a word to 20 big-endian bytes. */
export function toAddress(out: usize, a: usize): void {
  store<u32>(out, bswap<u32>(<u32>load<u64>(a, 16)))
  store<u64>(out, bswap<u64>(load<u64>(a, 8)), 4)
  store<u64>(out, bswap<u64>(load<u64>(a)), 12)
}

export function equalWords(a: usize, b: usize): bool {
  return (
    ((load<u64>(a) ^ load<u64>(b)) |
      (load<u64>(a, 8) ^ load<u64>(b, 8)) |
      (load<u64>(a, 16) ^ load<u64>(b, 16)) |
      (load<u64>(a, 24) ^ load<u64>(b, 24))) ===
    0
  )
}

/** a < b, unsigned */
export function below(a: usize, b: usize): bool {
  const a3 = load<u64>(a, 24)
  const b3 = load<u64>(b, 24)
  if (a3 !== b3) return a3 < b3
  const a2 = load<u64>(a, 16)
  const b2 = load<u64>(b, 16)
  if (a2 !== b2) return a2 < b2
  const a1 = load<u64>(a, 8)
  const b1 = load<u64>(b, 8)
  if (a1 !== b1) return a1 < b1
  return load<u64>(a) < load<u64>(b)
}

/** a < b, two's complement */
export function belowSigned(a: usize, b: usize): bool {
  const a3 = load<i64>(a, 24)
  const b3 = load<i64>(b, 24)
  return a3 !== b3 ? a3 < b3 : below(a, b)
}

export function add(a: usize, b: usize): void {
  const a0 = load<u64>(a)
  const s0 = a0 + load<u64>(b)
  let carry = u64(s0 < a0)
  store<u64>(b, s0)
  const a1 = load<u64>(a, 8)
  const t1 = a1 + load<u64>(b, 8)
  const s1 = t1 + carry
  carry = u64(t1 < a1) | u64(s1 < t1)
  store<u64>(b, s1, 8)
  const a2 = load<u64>(a, 16)
  const t2 = a2 + load<u64>(b, 16)
  const s2 = t2 + carry
  carry = u64(t2 < a2) | u64(s2 < t2)
  store<u64>(b, s2, 16)
  store<u64>(b, load<u64>(a, 24) + load<u64>(b, 24) + carry, 24)
}

export function sub(a: usize, b: usize): void {
  const a0 = load<u64>(a)
  const b0 = load<u64>(b)
  let borrow = u64(a0 < b0)
  store<u64>(b, a0 - b0)
  const a1 = load<u64>(a, 8)
  const b1 = load<u64>(b, 8)
  const t1 = a1 - b1
  store<u64>(b, t1 - borrow, 8)
  borrow = u64(a1 < b1) | u64(t1 < borrow)
  const a2 = load<u64>(a, 16)
  const b2 = load<u64>(b, 16)
  const t2 = a2 - b2
  store<u64>(b, t2 - borrow, 16)
  borrow = u64(a2 < b2) | u64(t2 < borrow)
  store<u64>(b, load<u64>(a, 24) - load<u64>(b, 24) - borrow, 24)
}

export function and(a: usize, b: usize): void {
  store<u64>(b, load<u64>(a) & load<u64>(b))
  store<u64>(b, load<u64>(a, 8) & load<u64>(b, 8), 8)
  store<u64>(b, load<u64>(a, 16) & load<u64>(b, 16), 16)
  store<u64>(b, load<u64>(a, 24) & load<u64>(b, 24), 24)
}

export function or(a: usize, b: usize): void {
  store<u64>(b, load<u64>(a) | load<u64>(b))
  store<u64>(b, load<u64>(a, 8) | load<u64>(b, 8), 8)
  store<u64>(b, load<u64>(a, 16) | load<u64>(b, 16), 16)
  store<u64>(b, load<u64>(a, 24) | load<u64>(b, 24), 24)
}

export function xor(a: usize, b: usize): void {
  store<u64>(b, load<u64>(a) ^ load<u64>(b))
  store<u64>(b, load<u64>(a, 8) ^ load<u64>(b, 8), 8)
  store<u64>(b, load<u64>(a, 16) ^ load<u64>(b, 16), 16)
  store<u64>(b, load<u64>(a, 24) ^ load<u64>(b, 24), 24)
}

export function not(a: usize): void {
  store<u64>(a, ~load<u64>(a))
  store<u64>(a, ~load<u64>(a, 8), 8)
  store<u64>(a, ~load<u64>(a, 16), 16)
  store<u64>(a, ~load<u64>(a, 24), 24)
}

/** b << a */
export function shl(a: usize, b: usize): void {
  const shift = clampU64(a)
  if (shift > 255) {
    setU64(b, 0)
    return
  }
  let w0 = load<u64>(b)
  let w1 = load<u64>(b, 8)
  let w2 = load<u64>(b, 16)
  let w3 = load<u64>(b, 24)
  if (shift & 128) {
    w3 = w1
    w2 = w0
    w1 = 0
    w0 = 0
  }
  if (shift & 64) {
    w3 = w2
    w2 = w1
    w1 = w0
    w0 = 0
  }
  const bits = shift & 63
  // Two steps, since a shift by 64 equals a shift by 0.
  const rest = 63 - bits
  store<u64>(b, w0 << bits)
  store<u64>(b, (w1 << bits) | ((w0 >> 1) >> rest), 8)
  store<u64>(b, (w2 << bits) | ((w1 >> 1) >> rest), 16)
  store<u64>(b, (w3 << bits) | ((w2 >> 1) >> rest), 24)
}

/** b >> a; `fill` is shifted in from above: 0 or all ones. */
function shiftRight(a: usize, b: usize, fill: u64): void {
  const shift = clampU64(a)
  if (shift > 255) {
    store<u64>(b, fill)
    store<u64>(b, fill, 8)
    store<u64>(b, fill, 16)
    store<u64>(b, fill, 24)
    return
  }
  let w0 = load<u64>(b)
  let w1 = load<u64>(b, 8)
  let w2 = load<u64>(b, 16)
  let w3 = load<u64>(b, 24)
  if (shift & 128) {
    w0 = w2
    w1 = w3
    w2 = fill
    w3 = fill
  }
  if (shift & 64) {
    w0 = w1
    w1 = w2
    w2 = w3
    w3 = fill
  }
  const bits = shift & 63
  const rest = 63 - bits
  store<u64>(b, (w0 >> bits) | ((w1 << 1) << rest))
  store<u64>(b, (w1 >> bits) | ((w2 << 1) << rest), 8)
  store<u64>(b, (w2 >> bits) | ((w3 << 1) << rest), 16)
  store<u64>(b, (w3 >> bits) | ((fill << 1) << rest), 24)
}

export function shr(a: usize, b: usize): void {
  shiftRight(a, b, 0)
}

export function sar(a: usize, b: usize): void {
  shiftRight(a, b, <u64>(load<i64>(b, 24) >> 63))
}

/** Byte `a` of `b`; 0 is the most significant. */
export function byteAt(a: usize, b: usize): void {
  const index = clampU64(a)
  setU64(b, index > 31 ? 0 : <u64>load<u8>(b + (31 - <usize>index)))
}

/** Sign-extends `b`; its sign is the top bit of byte `a`, counted from the right. */
export function signExtend(a: usize, b: usize): void {
  const index = clampU64(a)
  if (index > 30) return
  const limb = <usize>(index >> 3)
  const bits = 56 - ((index & 7) << 3)
  const extended = (load<i64>(b + (limb << 3)) << bits) >> bits
  store<i64>(b + (limb << 3), extended)
  const sign = extended >> 63
  for (let i = limb + 1; i < 4; i++) store<i64>(b + (i << 3), sign)
}

/** Number of leading zero bits, 256 for 0. */
export function leadingZeros(a: usize): u64 {
  const w3 = load<u64>(a, 24)
  if (w3 !== 0) return clz<u64>(w3)
  const w2 = load<u64>(a, 16)
  if (w2 !== 0) return 64 + clz<u64>(w2)
  const w1 = load<u64>(a, 8)
  if (w1 !== 0) return 128 + clz<u64>(w1)
  return 192 + clz<u64>(load<u64>(a))
}

/** Two's complement negation. */
export function negate(a: usize): void {
  const w0 = ~load<u64>(a) + 1
  let carry = u64(w0 === 0)
  store<u64>(a, w0)
  const w1 = ~load<u64>(a, 8) + carry
  carry &= u64(w1 === 0)
  store<u64>(a, w1, 8)
  const w2 = ~load<u64>(a, 16) + carry
  carry &= u64(w2 === 0)
  store<u64>(a, w2, 16)
  store<u64>(a, ~load<u64>(a, 24) + carry, 24)
}
