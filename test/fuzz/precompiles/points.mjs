/** Points of the groups, and points that only look like them. */

import { Choices } from '../random.mjs'
import { groups, timesAny } from './groups.mjs'
import { element, randomNumber } from './numbers.mjs'

const MEMBERS = 24
const OUTSIDERS = 10

const stock = new Map()

/** The points of a group, identical for all seeds. */
export function pointsOf(name) {
  if (!stock.has(name)) stock.set(name, new Points(groups[name], new Choices(name.length, name.charCodeAt(1))))
  return stock.get(name)
}

/** A cached supply of points of a group: multiples of the generator with their scalars, and points of other orders. */
class Points {
  constructor(group, choices) {
    this.group = group
    const { Point, order } = group
    const scalars = [1n, 2n, 3n, 5n, 16n, order - 1n, order - 2n, (order + 1n) / 2n]
    while (scalars.length < MEMBERS) scalars.push(randomNumber(choices, 40) % order)
    this.members = scalars.map((k) => ({ k, point: group.times(Point.BASE, k) }))
    this.others = this.#others(choices)
  }

  /** A member with its scalar. */
  member(choices) {
    return choices.chance(10) ? { k: 0n, point: this.group.Point.ZERO } : choices.pick(this.members)
  }

  /** A point of the curve outside the group, if there is one. */
  outsider(choices) {
    return this.others.length === 0 ? this.any(choices) : choices.pick(this.others)
  }

  /** A point of the curve of any order. */
  any(choices) {
    if (this.others.length > 0 && choices.chance(25)) return choices.pick(this.others)
    return this.member(choices).point
  }

  #others(choices) {
    const { group } = this
    const found = []
    // With coordinates at the boundaries, from zero on.
    for (let x = 0n; x < 4n; x++) {
      for (const values of [
        [x, 0n],
        [0n, x],
        [group.modulus - x, 1n],
        [1n, group.modulus - x],
      ]) {
        const point = group.lift(group.element(values.map((value) => value % group.modulus)))
        if (point !== undefined && !point.is0()) found.push(point)
      }
    }
    if (group.cofactor === 1n) return found
    while (found.length < OUTSIDERS) found.push(this.#random(choices))
    for (const prime of group.primes) {
      const small = this.#ofOrder(choices, prime)
      found.push(small, small.negate(), small.add(choices.pick(this.members).point))
    }
    // A point whose order divides the cofactor.
    found.push(timesAny(found[0], group.order))
    return found.filter((point) => !point.is0())
  }

  #random(choices) {
    const { group } = this
    for (;;) {
      const point = group.lift(
        group.element([0, 1].map(() => element(choices, group.modulus, group.elementBytes) % group.modulus)),
      )
      if (point !== undefined && !point.is0()) return point
    }
  }

  #ofOrder(choices, prime) {
    const { order, cofactor } = this.group
    let rest = order * cofactor
    while (rest % prime === 0n) rest /= prime
    for (;;) {
      let point = timesAny(this.#random(choices), rest)
      if (point.is0()) continue
      for (let next = timesAny(point, prime); !next.is0(); next = timesAny(next, prime)) point = next
      return point
    }
  }
}
