/** Calls of the precompiles over pairing-friendly curves. */

import { concat, word } from './bytes.mjs'
import { groups } from './groups.mjs'
import { pointEvaluation } from './kzgCases.mjs'
import { exceptionalInputs } from './mapInputs.mjs'
import { damaged, element, scalar } from './numbers.mjs'
import { pointsOf } from './points.mjs'

const shuffled = (choices, items) => {
  const rest = [...items]
  return items.map(() => rest.splice(choices.below(rest.length), 1)[0])
}

const sized = (group) => ({ unit: group.elementBytes, modulus: group.modulus })

function sum(name) {
  return (choices) => {
    const points = pointsOf(name)
    const { group } = points
    const a = points.any(choices)
    const b = choices.weighted([
      [5, () => points.any(choices)],
      [2, () => a],
      [2, () => a.negate()],
      [1, () => group.Point.ZERO],
      [1, () => a.double().negate()],
    ])()
    return damaged(choices, concat(group.encode(a), group.encode(b)), { ...sized(group), percent: 20 })
  }
}

/** Values at which the code splits scalars: powers of the curves' parameters and eigenvalues. */
const BLS_X = 0xd201000000010000n
const BLS_SPLITS = [BLS_X, BLS_X ** 2n, BLS_X ** 3n, BLS_X ** 2n - 1n, BLS_X ** 2n * (BLS_X ** 2n - 1n)]
const BN_SPLITS = [
  0xb3c4d79d41a917585bfc41088d8daaa78b17ea66b99c90ddn,
  4965661367192848881n,
  147946756881789319010696353538189108491n,
]

function product(choices) {
  const points = pointsOf('bnG1')
  const { group } = points
  const input = concat(group.encode(points.any(choices)), word(scalar(choices, group.order, BN_SPLITS)))
  return damaged(choices, input, { ...sized(group), percent: 20 })
}

function sumOfProducts(name, most) {
  return (choices) => {
    const points = pointsOf(name)
    const { group } = points
    const count = choices.weighted([
      [8, () => choices.between(1, 3)],
      [4, () => choices.between(4, 8)],
      [1, () => choices.between(9, 40)],
      [0.1, () => choices.between(126, most)],
    ])()
    const few = choices.chance(30) ? [points.member(choices).point, points.member(choices).point] : undefined
    const terms = Array.from({ length: count }, () => [
      few === undefined ? points.member(choices).point : choices.pick(few),
      scalar(choices, group.order, BLS_SPLITS),
    ])
    // Some of them cancel out.
    if (choices.chance(25)) {
      const [point, k] = choices.pick(terms)
      terms.push(choices.chance(50) ? [point.negate(), k] : [point, group.order - (k % group.order)])
    }
    if (choices.chance(8)) choices.pick(terms)[0] = points.outsider(choices)
    const input = concat(...shuffled(choices, terms).map(([point, k]) => concat(group.encode(point), word(k))))
    return damaged(choices, input, { ...sized(group), percent: 10 })
  }
}

/** Pairs whose product of pairings is usually 1. */
function pairing([nameA, nameB]) {
  return (choices) => {
    const [a, b] = [pointsOf(nameA), pointsOf(nameB)]
    const { group } = a
    const count = choices.weighted([
      [1, () => 0],
      [4, () => 1],
      [3, () => 2],
      [2, () => 3],
      [0.2, () => choices.between(14, 18)],
    ])()
    const pairs = Array.from({ length: count }, () => [a.member(choices), b.member(choices)])
    if (choices.chance(75) && count > 0) {
      const total = pairs.reduce((rest, [p, q]) => rest + p.k * q.k, 0n)
      // The last pair cancels the others, using its own point of the second group.
      const last = b.members[choices.below(b.members.length)]
      const inverse = group.Point.Fn.inv(last.k)
      const k = group.Point.Fn.create(-total * inverse + (choices.chance(25) ? 1n : 0n))
      const isShort = count === 1 && choices.chance(50)
      if (isShort) pairs.push([{ point: pairs[0][0].point.negate() }, pairs[0][1]])
      else pairs.push([{ point: group.times(group.Point.BASE, k) }, last])
    }
    if (choices.chance(10)) pairs.push([a.member(choices), { point: b.group.Point.ZERO }])
    if (choices.chance(6) && pairs.length > 0) choices.pick(pairs)[1] = { point: b.outsider(choices) }
    if (choices.chance(4) && pairs.length > 0) choices.pick(pairs)[0] = { point: a.outsider(choices) }
    const parts = shuffled(choices, pairs).map(([p, q]) => concat(group.encode(p.point), b.group.encode(q.point)))
    return damaged(choices, concat(...parts), { ...sized(group), percent: 8 })
  }
}

function mapInput(name) {
  const group = groups[name]
  return (choices) => {
    if (choices.chance(10)) return choices.pick(exceptionalInputs(name))
    const parts = Array.from({ length: group.degree }, () => {
      const value = element(choices, group.modulus, group.elementBytes)
      return word(choices.chance(90) ? value % group.modulus : value, group.elementBytes)
    })
    return damaged(choices, concat(...parts), { ...sized(group), percent: 10 })
  }
}

/** Input generators by precompile name. */
export const curveCases = {
  BN254_ADD: sum('bnG1'),
  BN254_MUL: product,
  BN254_PAIRING: pairing(['bnG1', 'bnG2']),
  KZG_POINT_EVALUATION: pointEvaluation,
  BLS12_G1ADD: sum('blsG1'),
  BLS12_G1MSM: sumOfProducts('blsG1', 131),
  BLS12_G2ADD: sum('blsG2'),
  BLS12_G2MSM: sumOfProducts('blsG2', 131),
  BLS12_PAIRING_CHECK: pairing(['blsG1', 'blsG2']),
  BLS12_MAP_FP_TO_G1: mapInput('blsG1'),
  BLS12_MAP_FP2_TO_G2: mapInput('blsG2'),
}
