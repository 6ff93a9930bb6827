/** Keccak-256 with the original padding. */
import { clear } from './bytes'
import { SCRATCH } from './layout'
import { copyWord } from './word'

/**
 * The state between permutations and after every second round; lane 5y + x. After the other rounds, the lanes are in
 * OTHER.
 */
export const LANES: usize = SCRATCH + 0x200
const OTHER: usize = SCRATCH + 0x300
const RATE: usize = 136

// biome-ignore-start lint/correctness/noPrecisionLoss: these are u64
const ROUND_CONSTANTS = memory.data<u64>([
  0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000, 0x000000000000808b,
  0x0000000080000001, 0x8000000080008081, 0x8000000000008009, 0x000000000000008a, 0x0000000000000088,
  0x0000000080008009, 0x000000008000000a, 0x000000008000808b, 0x800000000000008b, 0x8000000000008089,
  0x8000000000008003, 0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
  0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
])
// biome-ignore-end lint/correctness/noPrecisionLoss: these are u64
const END_OF_CONSTANTS: usize = ROUND_CONSTANTS + 192

/** Writes 32 bytes to `out`, which may overlap the data. */
export function keccak256(data: usize, length: usize, out: usize): void {
  clear(LANES, 200)
  store<u64>(LANES, -1, 8)
  store<u64>(LANES, -1, 16)
  store<u64>(LANES, -1, 64)
  store<u64>(LANES, -1, 96)
  store<u64>(LANES, -1, 136)
  store<u64>(LANES, -1, 160)
  while (length >= RATE) {
    for (let i: usize = 0; i < RATE; i += 8) store<u64>(LANES + i, load<u64>(LANES + i) ^ load<u64>(data + i))
    permute()
    data += RATE
    length -= RATE
  }
  let i: usize = 0
  for (; i + 8 <= length; i += 8) store<u64>(LANES + i, load<u64>(LANES + i) ^ load<u64>(data + i))
  for (; i < length; i++) store<u8>(LANES + i, load<u8>(LANES + i) ^ load<u8>(data + i))
  store<u8>(LANES + length, load<u8>(LANES + length) ^ 1)
  store<u8>(LANES, load<u8>(LANES, RATE - 1) ^ 0x80, RATE - 1)
  permute()
  store<u64>(LANES, ~load<u64>(LANES, 8), 8)
  store<u64>(LANES, ~load<u64>(LANES, 16), 16)
  copyWord(out, LANES)
}

/**
 * Keccak-f[1600]. Lanes 1, 2, 8, 12, 17 and 20 are always stored complemented, which saves most complements of chi (The
 * Keccak implementation overview, 2.2).
 *
 * The lanes alternate between the memory areas LANES and OTHER. 25 locals would exceed the registers, whereas loads and
 * stores make the compiler keep the order of the planes, which needs few values at a time.
 */
export function permute(): void {
  // Parities of the columns. Theta of the next round needs them, so every round accumulates them from its output lanes.
  let c0 =
    load<u64>(LANES) ^ load<u64>(LANES, 40) ^ load<u64>(LANES, 80) ^ load<u64>(LANES, 120) ^ load<u64>(LANES, 160)
  let c1 =
    load<u64>(LANES, 8) ^ load<u64>(LANES, 48) ^ load<u64>(LANES, 88) ^ load<u64>(LANES, 128) ^ load<u64>(LANES, 168)
  let c2 =
    load<u64>(LANES, 16) ^ load<u64>(LANES, 56) ^ load<u64>(LANES, 96) ^ load<u64>(LANES, 136) ^ load<u64>(LANES, 176)
  let c3 =
    load<u64>(LANES, 24) ^ load<u64>(LANES, 64) ^ load<u64>(LANES, 104) ^ load<u64>(LANES, 144) ^ load<u64>(LANES, 184)
  let c4 =
    load<u64>(LANES, 32) ^ load<u64>(LANES, 72) ^ load<u64>(LANES, 112) ^ load<u64>(LANES, 152) ^ load<u64>(LANES, 192)
  for (let constant = ROUND_CONSTANTS; constant < END_OF_CONSTANTS; constant += 16) {
    {
      // theta: the values to add to the lanes of each column
      const d0 = c4 ^ rotl<u64>(c1, 1)
      const d1 = c0 ^ rotl<u64>(c2, 1)
      const d2 = c1 ^ rotl<u64>(c3, 1)
      const d3 = c2 ^ rotl<u64>(c4, 1)
      const d4 = c3 ^ rotl<u64>(c0, 1)
      // theta, rho, pi and chi, plane by plane; iota on the first lane
      const t0 = load<u64>(LANES) ^ d0
      const t1 = rotl<u64>(load<u64>(LANES, 48) ^ d1, 44)
      const t2 = rotl<u64>(load<u64>(LANES, 96) ^ d2, 43)
      const t3 = rotl<u64>(load<u64>(LANES, 144) ^ d3, 21)
      const t4 = rotl<u64>(load<u64>(LANES, 192) ^ d4, 14)
      c0 = put(OTHER, t0 ^ (t1 | t2) ^ load<u64>(constant))
      c1 = put(OTHER + 8, t1 ^ (~t2 | t3))
      c2 = put(OTHER + 16, t2 ^ (t3 & t4))
      c3 = put(OTHER + 24, t3 ^ (t4 | t0))
      c4 = put(OTHER + 32, t4 ^ (t0 & t1))
      const t5 = rotl<u64>(load<u64>(LANES, 24) ^ d3, 28)
      const t6 = rotl<u64>(load<u64>(LANES, 72) ^ d4, 20)
      const t7 = rotl<u64>(load<u64>(LANES, 80) ^ d0, 3)
      const t8 = rotl<u64>(load<u64>(LANES, 128) ^ d1, 45)
      const t9 = rotl<u64>(load<u64>(LANES, 176) ^ d2, 61)
      c0 ^= put(OTHER + 40, t5 ^ (t6 | t7))
      c1 ^= put(OTHER + 48, t6 ^ (t7 & t8))
      c2 ^= put(OTHER + 56, t7 ^ (t8 | ~t9))
      c3 ^= put(OTHER + 64, t8 ^ (t9 | t5))
      c4 ^= put(OTHER + 72, t9 ^ (t5 & t6))
      const t10 = rotl<u64>(load<u64>(LANES, 8) ^ d1, 1)
      const t11 = rotl<u64>(load<u64>(LANES, 56) ^ d2, 6)
      const t12 = rotl<u64>(load<u64>(LANES, 104) ^ d3, 25)
      const t13 = rotl<u64>(load<u64>(LANES, 152) ^ d4, 8)
      const t14 = rotl<u64>(load<u64>(LANES, 160) ^ d0, 18)
      c0 ^= put(OTHER + 80, t10 ^ (t11 | t12))
      c1 ^= put(OTHER + 88, t11 ^ (t12 & t13))
      c2 ^= put(OTHER + 96, t12 ^ (~t13 & t14))
      c3 ^= put(OTHER + 104, ~t13 ^ (t14 | t10))
      c4 ^= put(OTHER + 112, t14 ^ (t10 & t11))
      const t15 = rotl<u64>(load<u64>(LANES, 32) ^ d4, 27)
      const t16 = rotl<u64>(load<u64>(LANES, 40) ^ d0, 36)
      const t17 = rotl<u64>(load<u64>(LANES, 88) ^ d1, 10)
      const t18 = rotl<u64>(load<u64>(LANES, 136) ^ d2, 15)
      const t19 = rotl<u64>(load<u64>(LANES, 184) ^ d3, 56)
      c0 ^= put(OTHER + 120, t15 ^ (t16 & t17))
      c1 ^= put(OTHER + 128, t16 ^ (t17 | t18))
      c2 ^= put(OTHER + 136, t17 ^ (~t18 | t19))
      c3 ^= put(OTHER + 144, ~t18 ^ (t19 & t15))
      c4 ^= put(OTHER + 152, t19 ^ (t15 | t16))
      const t20 = rotl<u64>(load<u64>(LANES, 16) ^ d2, 62)
      const t21 = rotl<u64>(load<u64>(LANES, 64) ^ d3, 55)
      const t22 = rotl<u64>(load<u64>(LANES, 112) ^ d4, 39)
      const t23 = rotl<u64>(load<u64>(LANES, 120) ^ d0, 41)
      const t24 = rotl<u64>(load<u64>(LANES, 168) ^ d1, 2)
      c0 ^= put(OTHER + 160, t20 ^ (~t21 & t22))
      c1 ^= put(OTHER + 168, ~t21 ^ (t22 | t23))
      c2 ^= put(OTHER + 176, t22 ^ (t23 & t24))
      c3 ^= put(OTHER + 184, t23 ^ (t24 | t20))
      c4 ^= put(OTHER + 192, t24 ^ (t20 & t21))
    }
    {
      const d0 = c4 ^ rotl<u64>(c1, 1)
      const d1 = c0 ^ rotl<u64>(c2, 1)
      const d2 = c1 ^ rotl<u64>(c3, 1)
      const d3 = c2 ^ rotl<u64>(c4, 1)
      const d4 = c3 ^ rotl<u64>(c0, 1)
      const t0 = load<u64>(OTHER) ^ d0
      const t1 = rotl<u64>(load<u64>(OTHER, 48) ^ d1, 44)
      const t2 = rotl<u64>(load<u64>(OTHER, 96) ^ d2, 43)
      const t3 = rotl<u64>(load<u64>(OTHER, 144) ^ d3, 21)
      const t4 = rotl<u64>(load<u64>(OTHER, 192) ^ d4, 14)
      c0 = put(LANES, t0 ^ (t1 | t2) ^ load<u64>(constant, 8))
      c1 = put(LANES + 8, t1 ^ (~t2 | t3))
      c2 = put(LANES + 16, t2 ^ (t3 & t4))
      c3 = put(LANES + 24, t3 ^ (t4 | t0))
      c4 = put(LANES + 32, t4 ^ (t0 & t1))
      const t5 = rotl<u64>(load<u64>(OTHER, 24) ^ d3, 28)
      const t6 = rotl<u64>(load<u64>(OTHER, 72) ^ d4, 20)
      const t7 = rotl<u64>(load<u64>(OTHER, 80) ^ d0, 3)
      const t8 = rotl<u64>(load<u64>(OTHER, 128) ^ d1, 45)
      const t9 = rotl<u64>(load<u64>(OTHER, 176) ^ d2, 61)
      c0 ^= put(LANES + 40, t5 ^ (t6 | t7))
      c1 ^= put(LANES + 48, t6 ^ (t7 & t8))
      c2 ^= put(LANES + 56, t7 ^ (t8 | ~t9))
      c3 ^= put(LANES + 64, t8 ^ (t9 | t5))
      c4 ^= put(LANES + 72, t9 ^ (t5 & t6))
      const t10 = rotl<u64>(load<u64>(OTHER, 8) ^ d1, 1)
      const t11 = rotl<u64>(load<u64>(OTHER, 56) ^ d2, 6)
      const t12 = rotl<u64>(load<u64>(OTHER, 104) ^ d3, 25)
      const t13 = rotl<u64>(load<u64>(OTHER, 152) ^ d4, 8)
      const t14 = rotl<u64>(load<u64>(OTHER, 160) ^ d0, 18)
      c0 ^= put(LANES + 80, t10 ^ (t11 | t12))
      c1 ^= put(LANES + 88, t11 ^ (t12 & t13))
      c2 ^= put(LANES + 96, t12 ^ (~t13 & t14))
      c3 ^= put(LANES + 104, ~t13 ^ (t14 | t10))
      c4 ^= put(LANES + 112, t14 ^ (t10 & t11))
      const t15 = rotl<u64>(load<u64>(OTHER, 32) ^ d4, 27)
      const t16 = rotl<u64>(load<u64>(OTHER, 40) ^ d0, 36)
      const t17 = rotl<u64>(load<u64>(OTHER, 88) ^ d1, 10)
      const t18 = rotl<u64>(load<u64>(OTHER, 136) ^ d2, 15)
      const t19 = rotl<u64>(load<u64>(OTHER, 184) ^ d3, 56)
      c0 ^= put(LANES + 120, t15 ^ (t16 & t17))
      c1 ^= put(LANES + 128, t16 ^ (t17 | t18))
      c2 ^= put(LANES + 136, t17 ^ (~t18 | t19))
      c3 ^= put(LANES + 144, ~t18 ^ (t19 & t15))
      c4 ^= put(LANES + 152, t19 ^ (t15 | t16))
      const t20 = rotl<u64>(load<u64>(OTHER, 16) ^ d2, 62)
      const t21 = rotl<u64>(load<u64>(OTHER, 64) ^ d3, 55)
      const t22 = rotl<u64>(load<u64>(OTHER, 112) ^ d4, 39)
      const t23 = rotl<u64>(load<u64>(OTHER, 120) ^ d0, 41)
      const t24 = rotl<u64>(load<u64>(OTHER, 168) ^ d1, 2)
      c0 ^= put(LANES + 160, t20 ^ (~t21 & t22))
      c1 ^= put(LANES + 168, ~t21 ^ (t22 | t23))
      c2 ^= put(LANES + 176, t22 ^ (t23 & t24))
      c3 ^= put(LANES + 184, t23 ^ (t24 | t20))
      c4 ^= put(LANES + 192, t24 ^ (t20 & t21))
    }
  }
}

function put(at: usize, lane: u64): u64 {
  store<u64>(at, lane)
  return lane
}
