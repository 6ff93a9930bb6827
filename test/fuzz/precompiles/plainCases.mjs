/** Calls of the precompiles over numbers, hashes and the curves of signatures. */
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { concat, word } from './bytes.mjs'
import { damaged, element, randomBytes, randomNumber, scalar } from './numbers.mjs'
import { liftX } from './oracles.mjs'

function hashed(choices) {
  const length = choices.weighted([
    [4, () => choices.below(300)],
    [3, () => 64 * choices.between(1, 8) + choices.between(-9, 1)],
    [1, () => choices.below(20_000)],
  ])()
  return choices.chance(10) ? new Uint8Array(length) : randomBytes(choices, length)
}

function blake2f(choices) {
  const rounds = choices.weighted([
    [5, () => choices.below(25)],
    [1, () => choices.below(3000)],
  ])()
  const words = () => (choices.chance(30) ? choices.pick(['00', 'ff', '80', '7f']).repeat(8) : choices.digits(8))
  const state = Array.from({ length: 26 }, words).join('')
  const flag = choices.pick([0, 0, 1, 1, 1, 2, 255])
  const input = concat(word(rounds, 4), Buffer.from(state, 'hex'), Uint8Array.of(flag))
  return damaged(choices, input, { unit: 8, modulus: 1n, percent: 5 })
}

/** Boundaries between the algorithms for powers. */
const MODULI = [
  0n,
  1n,
  2n,
  3n,
  4n,
  6n,
  255n,
  256n,
  2n ** 16n,
  2n ** 26n,
  67_108_859n,
  67_108_837n,
  8191n ** 2n,
  2n ** 136n,
]

function modulusOf(choices, length) {
  return choices.weighted([
    [4, () => randomNumber(choices, length)],
    [2, () => randomNumber(choices, length) | 1n],
    [2, () => choices.pick(MODULI) + BigInt(choices.between(0, 2) - 1)],
    [2, () => 2n ** BigInt(choices.below(8 * length + 1)) + BigInt(choices.between(-1, 1))],
    [1, () => randomNumber(choices, Math.min(length, 4))],
    [1, () => 2n ** BigInt(choices.below(14)) * 3n ** BigInt(choices.below(9)) * 7n ** BigInt(choices.below(4))],
    [1, () => randomNumber(choices, length) << BigInt(choices.below(8 * length + 1))],
  ])()
}

function exponentOf(choices, length) {
  return choices.weighted([
    [4, () => randomNumber(choices, length)],
    [2, () => BigInt(choices.below(70_000))],
    [1, () => choices.pick([0n, 0n, 1n, 2n, 3n])],
    [1, () => 2n ** BigInt(8 * length) - 1n],
    [1, () => 2n ** BigInt(choices.below(8 * length + 1))],
    [1, () => randomNumber(choices, Math.min(length, choices.between(1, 6)))],
  ])()
}

function modexp(choices) {
  const length = () =>
    choices.weighted([
      [6, () => choices.below(40)],
      [4, () => choices.below(101)],
      [1, () => choices.below(300)],
    ])()
  const [baseLength, exponentLength, modulusLength] = [length(), length(), length()]
  const modulus = modulusOf(choices, Math.max(1, modulusLength))
  const size = 2n ** BigInt(8 * modulusLength)
  const base = choices.weighted([
    [4, () => randomNumber(choices, baseLength)],
    [2, () => modulus + BigInt(choices.between(-2, 2))],
    [1, () => choices.pick([0n, 1n, 2n])],
    [1, () => 2n ** BigInt(choices.below(8 * baseLength + 1))],
  ])()
  const fits = (value, bytes) => (value < 0n ? 0n : value) % 2n ** BigInt(8 * bytes)
  const parts = [
    word(fits(base, baseLength), baseLength),
    word(fits(exponentOf(choices, exponentLength), exponentLength), exponentLength),
    word(fits(modulus % (size + 1n), modulusLength), modulusLength),
  ]
  const header = parts.map((part) => word(part.length))
  if (choices.chance(4)) header[choices.pick([1, 2])] = word(choices.pick([0, 1, 7, 101, 1024]))
  // Only valid when no other input follows.
  if (choices.chance(2)) header[1] = word(choices.pick([2n ** 32n, 2n ** 53n, 2n ** 64n - 1n, 2n ** 256n - 1n]))
  if (choices.chance(2)) [header[0], header[2]] = [word(choices.pick([2n ** 32n, 2n ** 255n])), word(0)]
  const input = concat(...header, ...parts)
  return choices.chance(15) ? input.subarray(0, choices.below(input.length + 1)) : input
}

const SMALL = [1n, 2n, 3n, 4n, 5n, 7n, 15n, 16n, 17n, 31n, 33n]

/** A secret scalar, often one with a precomputed table. */
function secret(choices, order) {
  const number = choices.chance(40) ? choices.pick(SMALL) : (scalar(choices, order) % (order - 1n)) + 1n
  return choices.chance(20) ? order - number : number
}

function hashOf(choices, order) {
  return choices.chance(70) ? randomNumber(choices, 32) : scalar(choices, order)
}

function ecrecover(choices) {
  const { BASE, Fn } = secp256k1.Point
  const order = Fn.ORDER
  const k = secret(choices, order)
  const { x, y } = BASE.multiplyUnsafe(k).toAffine()
  let e = hashOf(choices, order)
  const isOdd = (y & 1n) === 1n
  const r = choices.weighted([
    [8, () => x],
    [2, () => element(choices, secp256k1.Point.Fp.ORDER, 32)],
    [1, () => order + BigInt(choices.below(20))],
    [1, () => BigInt(choices.below(20))],
  ])()
  const s = choices.weighted([
    [6, () => randomNumber(choices, 32) % order],
    // The key is infinity, or the sum of equal points.
    [1, () => Fn.mul(Fn.create(e), Fn.inv(k))],
    [1, () => Fn.mul(Fn.create(-e), Fn.inv(k))],
    [2, () => scalar(choices, order)],
  ])()
  if (choices.chance(5)) e = Fn.mul(s % order, k)
  const v = choices.weighted([
    [10, () => (isOdd ? 28n : 27n)],
    [4, () => (isOdd ? 27n : 28n)],
    [1, () => choices.pick([0n, 1n, 26n, 29n, 30n, 27n + 256n, 2n ** 255n + 27n])],
  ])()
  const input = concat(word(e), word(v), word(r), word(s))
  return damaged(choices, input, { unit: 32, modulus: order, percent: 8 })
}

/** A valid P-256 signature. */
function signed(choices, e) {
  const { BASE, Fn } = p256.Point
  const [d, k] = [secret(choices, Fn.ORDER), secret(choices, Fn.ORDER)]
  const r = Fn.create(BASE.multiplyUnsafe(k).toAffine().x)
  // Both terms of the sum are then the same point.
  const hash = choices.chance(6) ? Fn.mul(r, d) : e
  return { e: hash, r, s: Fn.mul(Fn.create(hash + r * d), Fn.inv(k)), key: BASE.multiplyUnsafe(d).toAffine() }
}

/** A signature whose point has an x above the order, or only seems to. */
function wrapped(choices, e) {
  const { BASE, Fn, Fp, CURVE } = p256.Point
  const { a, b } = CURVE()
  const isReal = choices.chance(60)
  for (;;) {
    const small = BigInt(choices.below(1000))
    const x = isReal ? Fn.ORDER + small : small
    const point = liftX(p256.Point, x, Fp.create(x ** 3n + a * x + b), choices.chance(50))
    if (point === undefined) continue
    const r = isReal ? small : small + Fp.ORDER - Fn.ORDER
    if (r === 0n) continue
    const s = secret(choices, Fn.ORDER)
    const inverse = Fn.inv(r)
    const key = point.multiplyUnsafe(Fn.mul(s, inverse)).add(BASE.multiplyUnsafe(Fn.create(-e * inverse)))
    return { e, r, s, key: key.toAffine() }
  }
}

function p256Verify(choices) {
  const { Fn, Fp } = p256.Point
  const order = Fn.ORDER
  const made = (choices.chance(25) ? wrapped : signed)(choices, hashOf(choices, order))
  const { e, r } = made
  let { s, key } = made
  if (choices.chance(15)) s = order - s
  if (choices.chance(5)) key = { x: key.x, y: Fp.ORDER - key.y }
  if (choices.chance(3)) key = { x: 0n, y: 0n }
  // The sum is infinity.
  const infinite = choices.chance(4) ? secret(choices, order) : undefined
  if (infinite !== undefined) key = p256.Point.BASE.multiplyUnsafe(infinite).toAffine()
  const hash = infinite === undefined ? e : Fn.create(-r * infinite)
  const input = concat(...[hash, r, s, key.x, key.y].map((value) => word(value)))
  return damaged(choices, input, { unit: 32, modulus: choices.pick([order, Fp.ORDER]), percent: 12 })
}

/** Input generators by precompile name. */
export const plainCases = {
  ECREC: ecrecover,
  SHA256: hashed,
  RIPEMD160: hashed,
  ID: hashed,
  MODEXP: modexp,
  BLAKE2F: blake2f,
  P256VERIFY: p256Verify,
}
