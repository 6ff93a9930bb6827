/**
 * The measured calls of precompiles: ordinary ones, and ones that are known to be expensive for their gas. Uses web
 * standards only, because a page runs it as well.
 */
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'

const KIB = 1024
/** The proof of a blob's polynomial, from go-ethereum's test vectors. */
const KZG =
  '01e798154708fe7789429634053cbf9f99b619f9f084048927333fce637f549b564c0a11a0f704f4fc3e8acfe0f8245f0ad1347b378fbf96e206da11a5d3630624d25032e67a7e6a4910df5834b8fe70e6bcfeeac0352434196bdf4b2485d5a18f59a8d2a1a625a17f3fea0fe5eb8c896db3764f3185481bc22f91b4aaffcca25f26936857bc3a7c2539ea8ec3a952b7873033e038326e87ed3e1276fd140253fa08e9fc25fb2d9a98527fc22a2c9612fbeafdad446cbc7bcdbdcd780af2c16a'

function concat(...parts) {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const part of parts) {
    bytes.set(part, offset)
    offset += part.length
  }
  return bytes
}

function fromHex(hex) {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}

const word = (value, length = 32) => fromHex(value.toString(16).padStart(2 * length, '0'))
const repeat = (count, make) => concat(...Array.from({ length: count }, (_, i) => make(i)))

/** Reproducible pseudo-random bytes, the first and the last one odd. */
function noise(length, seed = 1) {
  const bytes = new Uint8Array(length)
  let state = seed
  for (let i = 0; i < length; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    bytes[i] = state >>> 24
  }
  if (length > 0) bytes[0] |= 0x81
  if (length > 0) bytes[length - 1] |= 1
  return bytes
}

/** A scalar with as many bits as the order, different for each index. */
const scalarOf = (order, i) => (BigInt(`0x${'9e3779b97f4a7c15'.repeat(4)}`) * BigInt(2 * i + 1)) % order

function bn() {
  const { G1, G2 } = bn254
  const order = bn254.fields.Fr.ORDER
  const g1 = (i) => {
    const { x, y } = G1.Point.BASE.multiply(scalarOf(order, i)).toAffine()
    return concat(word(x), word(y))
  }
  const g2 = (i) => {
    const { x, y } = G2.Point.BASE.multiply(scalarOf(order, i)).toAffine()
    return concat(word(x.c1), word(x.c0), word(y.c1), word(y.c0))
  }
  const pairs = (count) => ['BN254_PAIRING', `${count} pairs`, repeat(count, (i) => concat(g1(i), g2(i)))]
  return [
    ['BN254_ADD', '', concat(g1(1), g1(2))],
    ['BN254_MUL', '', concat(g1(1), word(order - 1n - scalarOf(order, 7)))],
    ['BN254_MUL', 'scalar 2^256 - 1', concat(g1(1), new Uint8Array(32).fill(255))],
    pairs(1),
    pairs(2),
    pairs(8),
  ]
}

function bls() {
  const { G1, G2 } = bls12_381
  const order = bls12_381.fields.Fr.ORDER
  const g1 = (i) => {
    const { x, y } = G1.Point.BASE.multiply(scalarOf(order, i)).toAffine()
    return concat(word(x, 64), word(y, 64))
  }
  const g2 = (i) => {
    const { x, y } = G2.Point.BASE.multiply(scalarOf(order, i)).toAffine()
    return concat(word(x.c0, 64), word(x.c1, 64), word(y.c0, 64), word(y.c1, 64))
  }
  const element = (seed) => concat(new Uint8Array(16), word(BigInt(scalarOf(2n ** 380n, seed)), 48))
  const ones = new Uint8Array(32).fill(255)
  const msm = (name, point, count) => [name, `${count} points`, repeat(count, (i) => concat(point(i), ones))]
  const pairs = (count) => ['BLS12_PAIRING_CHECK', `${count} pairs`, repeat(count, (i) => concat(g1(i), g2(i)))]
  const sizes = [1, 2, 16, 128]
  return [
    ['BLS12_G1ADD', '', concat(g1(1), g1(2))],
    ...sizes.map((count) => msm('BLS12_G1MSM', g1, count)),
    ['BLS12_G2ADD', '', concat(g2(1), g2(2))],
    ...sizes.map((count) => msm('BLS12_G2MSM', g2, count)),
    ...[1, 2, 8].map(pairs),
    ['BLS12_MAP_FP_TO_G1', '', element(3)],
    ['BLS12_MAP_FP2_TO_G2', '', concat(element(5), element(9))],
  ]
}

function signatures() {
  const hash = noise(32)
  const key = noise(32, 5)
  const signature = secp256k1.sign(hash, key, { prehash: false, format: 'recovered' })
  const p256Signature = p256.sign(hash, key, { prehash: false })
  return [
    ['ECREC', '', concat(hash, word(27 + signature[0]), signature.subarray(1))],
    ['P256VERIFY', '', concat(hash, p256Signature, p256.getPublicKey(key, false).subarray(1))],
  ]
}

function modexpInput(base, exponent, modulus) {
  return concat(word(base.length), word(exponent.length), word(modulus.length), base, exponent, modulus)
}

/** Lengths of base, exponent and modulus; all bits of the exponent are set. */
function modexpCase(rules, [base, exponent, modulus], { even = false } = {}) {
  const last = noise(modulus, 11)
  if (even) last[modulus - 1] = modulus === 1 ? 254 : 0
  else if (modulus === 1) last[0] = 251
  const input = modexpInput(base === 1 ? Uint8Array.of(7) : noise(base, 7), new Uint8Array(exponent).fill(255), last)
  return ['MODEXP', `${rules}: ${base}, ${exponent}, ${even ? 'even ' : ''}${modulus} bytes`, input, rules]
}

/** Shapes that are cheap or expensive under one of the rules; the last ones are from EIP-7883 and its tests. */
function modexp() {
  const cases = []
  for (const rules of ['EIP-198', 'EIP-2565']) {
    for (const length of [1, 2, 3, 4, 6, 7, 8, 9, 16, 32, 64, 256, 1024]) {
      cases.push(modexpCase(rules, [length, length < 4 ? 20_000 : length < 64 ? 2048 : 64, length]))
    }
    cases.push(modexpCase(rules, [8, 2048, 8], { even: true }))
  }
  const shapes = [
    [1, 1, 1],
    [1, 32, 1],
    [1, 1024, 1],
    [8, 112, 7],
    [8, 1024, 8],
    [16, 320, 16],
    [24, 168, 24],
    [32, 40, 32],
    [32, 256, 32],
    [32, 1024, 32],
    [33, 1024, 33],
    [40, 25, 38],
    [64, 512, 64],
    [128, 1024, 128],
    [192, 3, 128],
    [256, 3, 256],
    [256, 1024, 256],
    [280, 3, 96],
    [512, 256, 512],
    [1024, 1, 1024],
    [1024, 32, 1024],
  ]
  for (const shape of shapes) cases.push(modexpCase('EIP-7883', shape))
  for (const shape of [
    [8, 1024, 8],
    [32, 256, 32],
    [256, 1024, 256],
    [1024, 32, 1024],
  ]) {
    cases.push(modexpCase('EIP-7883', shape, { even: true }))
  }
  cases.push([
    'MODEXP',
    'EIP-7883: 1024, 3, 1024 bytes, base 1',
    modexpInput(word(1, 1024), noise(3), noise(1024)),
    'EIP-7883',
  ])
  return cases
}

function hashes() {
  return ['SHA256', 'RIPEMD160', 'ID'].flatMap((name) =>
    [32, KIB * KIB].map((length) => [name, length === 32 ? '32 B' : '1 MiB', noise(length)]),
  )
}

function blake2f() {
  return [12, 100_000].map((rounds) => {
    const input = noise(213)
    input.set(word(rounds, 4))
    input[212] = 1
    return ['BLAKE2F', `${rounds} rounds`, input]
  })
}

/** A fork with the rules. */
const FORKS = { 'EIP-198': 'byzantium', 'EIP-2565': 'berlin', 'EIP-7883': 'osaka' }

/** @returns cases {precompile, label, input, fork}; the fork determines the price */
export function precompileCases() {
  const all = [
    ...signatures(),
    ...hashes(),
    ...modexp(),
    ...bn(),
    ...blake2f(),
    ['KZG_POINT_EVALUATION', '', fromHex(KZG)],
    ...bls(),
  ]
  return all.map(([precompile, label, input, rules = 'EIP-7883']) => ({ precompile, label, input, fork: FORKS[rules] }))
}
