/**
 * The compression function of BLAKE2b with a variable number of rounds.
 *
 * 64-bit words are pairs of 32-bit integers, low half first.
 * @see EIP-152; RFC 7693, section 3.2
 * @module
 */
import { finish, type PrecompileSteps, type RunPrecompile } from './runPrecompile.ts'

const INPUT_BYTES = 213
const ROWS = 10

/** Fractional parts of the square roots of the first eight primes. */
const IV: Int32Array = Int32Array.of(
  0xf3bcc908,
  0x6a09e667,
  0x84caa73b,
  0xbb67ae85,
  0xfe94f82b,
  0x3c6ef372,
  0x5f1d36f1,
  0xa54ff53a,
  0xade682d1,
  0x510e527f,
  0x2b3e6c1f,
  0x9b05688c,
  0xfb41bd6b,
  0x1f83d9ab,
  0x137e2179,
  0x5be0cd19,
)

/** Schedule of the message words: one row for each of ten rounds, one digit per step. */
const SCHEDULE = [
  '0123456789abcdef',
  'ea489fd61c02b753',
  'b8c052fdae367194',
  '7931dcbe265a40f8',
  '905724afe1bc683d',
  '2c6a0b834d75fe19',
  'c51fed4a0763928b',
  'db7ec13950f4862a',
  '6fe9b308c2d714a5',
  'a2847615fb9e3cd0',
]
/** Index of the message word for each step of ten rounds, 16 steps each. */
export const BLAKE2B_SCHEDULE: Uint8Array = Uint8Array.from(SCHEDULE.join(''), (digit) => Number.parseInt(digit, 16))
/** Offsets of the words' low halves. */
const SIGMA: Uint8Array = BLAKE2B_SCHEDULE.map((word) => 2 * word)

/** The rounds and their working memory, which is not reentrant. */
export interface Blake2bRounds {
  /** The working vector, 16 words. */
  readonly v: Int32Array
  /** The message, 16 words. */
  readonly m: Int32Array
  /** @param rounds below 2^32 */
  run(rounds: number): void
}

/**
 * Rounds of one step: about 2 ms in JavaScript. A multiple of the rows, so that each step starts with the first row.
 * Code of a baseline compiler is left between two steps.
 */
const ROUNDS_PER_STEP = 400 * ROWS

/**
 * @param input rounds (4 bytes, big-endian), then h, m and t as little-endian words, then the flag of the last block
 * @returns h, 64 bytes; undefined when the length or the flag is invalid
 */
export const blake2f: RunPrecompile = blake2fWith(() => {
  const v = new Int32Array(32)
  const m = new Int32Array(32)
  return { v, m, run: (rounds) => mix(v, m, rounds) }
})

/** Like {@link blake2f}, but with another implementation of the rounds. */
export function blake2fWith(rounds: () => Blake2bRounds): RunPrecompile {
  const inSteps = (input: Uint8Array): PrecompileSteps => blake2fSteps(rounds(), input)
  const run = (input: Uint8Array): Uint8Array | undefined => {
    const view = viewOf(input)
    if (view === undefined) return undefined
    const count = view.getUint32(0)
    if (count > ROUNDS_PER_STEP) return finish(inSteps(input))
    const own = rounds()
    begin(own, view)
    own.run(count)
    return outputOf(own, view)
  }
  return Object.assign(run, { inSteps })
}

function* blake2fSteps(rounds: Blake2bRounds, input: Uint8Array): PrecompileSteps {
  const view = viewOf(input)
  if (view === undefined) return undefined
  begin(rounds, view)
  const { v, m, run } = rounds
  let left = view.getUint32(0)
  for (; left > ROUNDS_PER_STEP; left -= ROUNDS_PER_STEP) {
    run(ROUNDS_PER_STEP)
    // Another call may use the memory.
    const saved = [v.slice(), m.slice()] as const
    yield
    v.set(saved[0])
    m.set(saved[1])
  }
  run(left)
  return outputOf(rounds, view)
}

/** @returns undefined when the length or the flag is invalid */
function viewOf(input: Uint8Array): DataView | undefined {
  if (input.length !== INPUT_BYTES || (input[INPUT_BYTES - 1] as number) > 1) return undefined
  return new DataView(input.buffer, input.byteOffset, INPUT_BYTES)
}

function begin({ v, m }: Blake2bRounds, view: DataView): void {
  for (let i = 0; i < 16; i++) {
    v[i] = view.getInt32(4 + 4 * i, true)
    v[i + 16] = IV[i] as number
  }
  for (let i = 0; i < 32; i++) m[i] = view.getInt32(68 + 4 * i, true)
  for (let i = 0; i < 4; i++) v[24 + i] = (v[24 + i] as number) ^ view.getInt32(196 + 4 * i, true)
  if (view.getUint8(INPUT_BYTES - 1) === 1) {
    v[28] = ~(v[28] as number)
    v[29] = ~(v[29] as number)
  }
}

function outputOf({ v }: Blake2bRounds, view: DataView): Uint8Array {
  const output = new Uint8Array(64)
  const words = new DataView(output.buffer)
  for (let i = 0; i < 16; i++) {
    const h = view.getInt32(4 + 4 * i, true)
    words.setInt32(4 * i, h ^ (v[i] as number) ^ (v[i + 16] as number), true)
  }
  return output
}

/** Offsets in `v` refer to the low halves. */
function mix(v: Int32Array, m: Int32Array, rounds: number): void {
  const sigma = SIGMA
  for (let i = 0, row = 0; i < rounds; i++, row = row === 16 * (ROWS - 1) ? 0 : row + 16) {
    g(v, m, 0, 8, 16, 24, sigma[row] as number, sigma[row + 1] as number)
    g(v, m, 2, 10, 18, 26, sigma[row + 2] as number, sigma[row + 3] as number)
    g(v, m, 4, 12, 20, 28, sigma[row + 4] as number, sigma[row + 5] as number)
    g(v, m, 6, 14, 22, 30, sigma[row + 6] as number, sigma[row + 7] as number)
    g(v, m, 0, 10, 20, 30, sigma[row + 8] as number, sigma[row + 9] as number)
    g(v, m, 2, 12, 22, 24, sigma[row + 10] as number, sigma[row + 11] as number)
    g(v, m, 4, 14, 16, 26, sigma[row + 12] as number, sigma[row + 13] as number)
    g(v, m, 6, 8, 18, 28, sigma[row + 14] as number, sigma[row + 15] as number)
  }
}

/** The mixing function. A sum below one of its operands indicates a carry. */
function g(v: Int32Array, m: Int32Array, a: number, b: number, c: number, d: number, x: number, y: number): void {
  let aLow = v[a] as number
  let aHigh = v[a + 1] as number
  let bLow = v[b] as number
  let bHigh = v[b + 1] as number
  let cLow = v[c] as number
  let cHigh = v[c + 1] as number
  let dLow = v[d] as number
  let dHigh = v[d + 1] as number
  // a += b + m[x]
  let sum = (aLow + bLow) | 0
  aHigh = (aHigh + bHigh + (sum >>> 0 < aLow >>> 0 ? 1 : 0)) | 0
  aLow = (sum + (m[x] as number)) | 0
  aHigh = (aHigh + (m[x + 1] as number) + (aLow >>> 0 < sum >>> 0 ? 1 : 0)) | 0
  // d = (d ^ a) >>> 32
  let low = dLow ^ aLow
  dLow = dHigh ^ aHigh
  dHigh = low
  // c += d
  sum = (cLow + dLow) | 0
  cHigh = (cHigh + dHigh + (sum >>> 0 < cLow >>> 0 ? 1 : 0)) | 0
  cLow = sum
  // b = (b ^ c) >>> 24
  low = bLow ^ cLow
  let high = bHigh ^ cHigh
  bLow = (low >>> 24) | (high << 8)
  bHigh = (high >>> 24) | (low << 8)
  // a += b + m[y]
  sum = (aLow + bLow) | 0
  aHigh = (aHigh + bHigh + (sum >>> 0 < aLow >>> 0 ? 1 : 0)) | 0
  aLow = (sum + (m[y] as number)) | 0
  aHigh = (aHigh + (m[y + 1] as number) + (aLow >>> 0 < sum >>> 0 ? 1 : 0)) | 0
  // d = (d ^ a) >>> 16
  low = dLow ^ aLow
  high = dHigh ^ aHigh
  dLow = (low >>> 16) | (high << 16)
  dHigh = (high >>> 16) | (low << 16)
  // c += d
  sum = (cLow + dLow) | 0
  cHigh = (cHigh + dHigh + (sum >>> 0 < cLow >>> 0 ? 1 : 0)) | 0
  cLow = sum
  // b = (b ^ c) >>> 63
  low = bLow ^ cLow
  high = bHigh ^ cHigh
  bLow = (high >>> 31) | (low << 1)
  bHigh = (low >>> 31) | (high << 1)
  v[a] = aLow
  v[a + 1] = aHigh
  v[b] = bLow
  v[b + 1] = bHigh
  v[c] = cLow
  v[c + 1] = cHigh
  v[d] = dLow
  v[d + 1] = dHigh
}
