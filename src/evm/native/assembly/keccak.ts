/** Keccak-256 with the original padding. */
import { clear } from './bytes'
import { SCRATCH } from './layout'
import { copyWord } from './word'

const LANES: usize = SCRATCH + 0x200
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
const ROUND_BYTES: usize = 192

/** 32 bytes at `out`, which may lie in the data. */
export function keccak256(data: usize, length: usize, out: usize): void {
  clear(LANES, 200)
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
  copyWord(out, LANES)
}

/**
 * Keccak-f[1600] on LANES, which stand in locals meanwhile; lane s(5y + x). Six of them stand complemented, which spares chi most
 * of its complements (The Keccak implementation overview, 2.2).
 */
function permute(): void {
  let s0 = load<u64>(LANES, 0)
  let s1 = ~load<u64>(LANES, 8)
  let s2 = ~load<u64>(LANES, 16)
  let s3 = load<u64>(LANES, 24)
  let s4 = load<u64>(LANES, 32)
  let s5 = load<u64>(LANES, 40)
  let s6 = load<u64>(LANES, 48)
  let s7 = load<u64>(LANES, 56)
  let s8 = ~load<u64>(LANES, 64)
  let s9 = load<u64>(LANES, 72)
  let s10 = load<u64>(LANES, 80)
  let s11 = load<u64>(LANES, 88)
  let s12 = ~load<u64>(LANES, 96)
  let s13 = load<u64>(LANES, 104)
  let s14 = load<u64>(LANES, 112)
  let s15 = load<u64>(LANES, 120)
  let s16 = load<u64>(LANES, 128)
  let s17 = ~load<u64>(LANES, 136)
  let s18 = load<u64>(LANES, 144)
  let s19 = load<u64>(LANES, 152)
  let s20 = ~load<u64>(LANES, 160)
  let s21 = load<u64>(LANES, 168)
  let s22 = load<u64>(LANES, 176)
  let s23 = load<u64>(LANES, 184)
  let s24 = load<u64>(LANES, 192)
  for (let round: usize = 0; round < ROUND_BYTES; round += 8) {
    // theta
    const c0 = s0 ^ s5 ^ s10 ^ s15 ^ s20
    const c1 = s1 ^ s6 ^ s11 ^ s16 ^ s21
    const c2 = s2 ^ s7 ^ s12 ^ s17 ^ s22
    const c3 = s3 ^ s8 ^ s13 ^ s18 ^ s23
    const c4 = s4 ^ s9 ^ s14 ^ s19 ^ s24
    const d0 = c4 ^ rotl<u64>(c1, 1)
    const d1 = c0 ^ rotl<u64>(c2, 1)
    const d2 = c1 ^ rotl<u64>(c3, 1)
    const d3 = c2 ^ rotl<u64>(c4, 1)
    const d4 = c3 ^ rotl<u64>(c0, 1)
    // rho and pi
    const t0 = s0 ^ d0
    const t1 = rotl<u64>(s6 ^ d1, 44)
    const t2 = rotl<u64>(s12 ^ d2, 43)
    const t3 = rotl<u64>(s18 ^ d3, 21)
    const t4 = rotl<u64>(s24 ^ d4, 14)
    const t5 = rotl<u64>(s3 ^ d3, 28)
    const t6 = rotl<u64>(s9 ^ d4, 20)
    const t7 = rotl<u64>(s10 ^ d0, 3)
    const t8 = rotl<u64>(s16 ^ d1, 45)
    const t9 = rotl<u64>(s22 ^ d2, 61)
    const t10 = rotl<u64>(s1 ^ d1, 1)
    const t11 = rotl<u64>(s7 ^ d2, 6)
    const t12 = rotl<u64>(s13 ^ d3, 25)
    const t13 = rotl<u64>(s19 ^ d4, 8)
    const t14 = rotl<u64>(s20 ^ d0, 18)
    const t15 = rotl<u64>(s4 ^ d4, 27)
    const t16 = rotl<u64>(s5 ^ d0, 36)
    const t17 = rotl<u64>(s11 ^ d1, 10)
    const t18 = rotl<u64>(s17 ^ d2, 15)
    const t19 = rotl<u64>(s23 ^ d3, 56)
    const t20 = rotl<u64>(s2 ^ d2, 62)
    const t21 = rotl<u64>(s8 ^ d3, 55)
    const t22 = rotl<u64>(s14 ^ d4, 39)
    const t23 = rotl<u64>(s15 ^ d0, 41)
    const t24 = rotl<u64>(s21 ^ d1, 2)
    // chi and iota
    s0 = t0 ^ (t1 | t2) ^ load<u64>(ROUND_CONSTANTS + round)
    s1 = t1 ^ (~t2 | t3)
    s2 = t2 ^ (t3 & t4)
    s3 = t3 ^ (t4 | t0)
    s4 = t4 ^ (t0 & t1)
    s5 = t5 ^ (t6 | t7)
    s6 = t6 ^ (t7 & t8)
    s7 = t7 ^ (t8 | ~t9)
    s8 = t8 ^ (t9 | t5)
    s9 = t9 ^ (t5 & t6)
    s10 = t10 ^ (t11 | t12)
    s11 = t11 ^ (t12 & t13)
    s12 = t12 ^ (~t13 & t14)
    s13 = ~t13 ^ (t14 | t10)
    s14 = t14 ^ (t10 & t11)
    s15 = t15 ^ (t16 & t17)
    s16 = t16 ^ (t17 | t18)
    s17 = t17 ^ (~t18 | t19)
    s18 = ~t18 ^ (t19 & t15)
    s19 = t19 ^ (t15 | t16)
    s20 = t20 ^ (~t21 & t22)
    s21 = ~t21 ^ (t22 | t23)
    s22 = t22 ^ (t23 & t24)
    s23 = t23 ^ (t24 | t20)
    s24 = t24 ^ (t20 & t21)
  }
  store<u64>(LANES, s0, 0)
  store<u64>(LANES, ~s1, 8)
  store<u64>(LANES, ~s2, 16)
  store<u64>(LANES, s3, 24)
  store<u64>(LANES, s4, 32)
  store<u64>(LANES, s5, 40)
  store<u64>(LANES, s6, 48)
  store<u64>(LANES, s7, 56)
  store<u64>(LANES, ~s8, 64)
  store<u64>(LANES, s9, 72)
  store<u64>(LANES, s10, 80)
  store<u64>(LANES, s11, 88)
  store<u64>(LANES, ~s12, 96)
  store<u64>(LANES, s13, 104)
  store<u64>(LANES, s14, 112)
  store<u64>(LANES, s15, 120)
  store<u64>(LANES, s16, 128)
  store<u64>(LANES, ~s17, 136)
  store<u64>(LANES, s18, 144)
  store<u64>(LANES, s19, 152)
  store<u64>(LANES, ~s20, 160)
  store<u64>(LANES, s21, 168)
  store<u64>(LANES, s22, 176)
  store<u64>(LANES, s23, 184)
  store<u64>(LANES, s24, 192)
}
