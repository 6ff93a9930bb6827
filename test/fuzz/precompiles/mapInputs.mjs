/**
 * Elements for which the maps to G1 and G2 take exceptional paths.
 * @see RFC 9380, sections 6.6.2 and 8.8
 */
import { weierstrass } from '@noble/curves/abstract/weierstrass.js'
import { Choices } from '../random.mjs'
import { concat, word } from './bytes.mjs'
import { groups, timesAny } from './groups.mjs'
import { randomNumber } from './numbers.mjs'

/** The curves before the isogeny. */
const MAPS = {
  blsG1: {
    a: [0x144698a3b8e9433d693a02c96d4982b0ea985383ee66a8d8e8981aefd881ac98936f8da0e0f97f5cf428082d584c1dn],
    b: [0x12e2908d11688030018b12e8753eee3b2016c1f0f24f4070a0b9c14fcef35ef55a23215a316ceaa5d1cc48e98e172be0n],
    z: [11n],
  },
  blsG2: { a: [0n, 240n], b: [1012n, 1012n], z: [-2n, -1n] },
}
/** Number of preimages to find for points of each order. */
const POINTS = 6

const found = new Map()

/** @returns encoded elements */
export function exceptionalInputs(name) {
  if (!found.has(name)) found.set(name, new PreimageSearch(name).inputs())
  return found.get(name)
}

class PreimageSearch {
  #group
  #Fp
  #map
  #choices = new Choices(1, 1)

  constructor(name) {
    this.#group = groups[name]
    this.#Fp = this.#group.Point.Fp
    this.#map = Object.fromEntries(Object.entries(MAPS[name]).map(([key, values]) => [key, this.#element(values)]))
  }

  inputs() {
    const Fp = this.#Fp
    // The denominator is zero.
    const roots = [Fp.ZERO, ...this.#roots(Fp.neg(Fp.inv(this.#map.z)))]
    return [...roots, ...this.#smallOrders()].map((element) => this.#encode(element))
  }

  /** Preimages of points of small orders, which the isogeny or the cofactor maps to infinity. */
  #smallOrders() {
    const { a, b } = this.#map
    const { order, cofactor, primes } = this.#group
    const Fp = this.#Fp
    const base = this.#lift()
    const Point = weierstrass({ p: Fp.ORDER, n: order, h: cofactor, a, b, Gx: base.x, Gy: base.y }, { Fp })
    const elements = []
    for (const prime of primes) {
      let rest = order * cofactor
      while (rest % prime === 0n) rest /= prime
      for (let i = 0; i < POINTS; i++) {
        let point = timesAny(Point.fromAffine(this.#lift()), rest)
        while (!point.is0()) {
          elements.push(...this.#preimages(point.toAffine().x))
          point = timesAny(point, prime)
        }
      }
    }
    return elements.filter((element) => Fp.isValid(element))
  }

  /** x = -b / a (1 + 1 / (t² + t)) for t = z u². */
  #preimages(x) {
    const Fp = this.#Fp
    const { a, b, z } = this.#map
    const ratio = Fp.sub(Fp.neg(Fp.div(Fp.mul(x, a), b)), Fp.ONE)
    if (Fp.is0(ratio)) return []
    const discriminant = Fp.add(Fp.ONE, Fp.mul(this.#element([4n, 0n]), Fp.inv(ratio)))
    const half = Fp.inv(this.#element([2n, 0n]))
    return this.#roots(discriminant).flatMap((root) => this.#roots(Fp.div(Fp.mul(Fp.sub(root, Fp.ONE), half), z)))
  }

  #lift() {
    const Fp = this.#Fp
    const { a, b } = this.#map
    for (;;) {
      const x = this.#element([0, 1].map(() => randomNumber(this.#choices, 47)))
      const [y] = this.#roots(Fp.add(Fp.mul(Fp.add(Fp.sqr(x), a), x), b))
      if (y !== undefined) return { x, y }
    }
  }

  #roots(value) {
    const Fp = this.#Fp
    try {
      const root = Fp.sqrt(value)
      return [root, Fp.neg(root)]
    } catch {
      return []
    }
  }

  #element(values) {
    const { degree, modulus } = this.#group
    return this.#group.element(values.slice(0, degree).map((value) => ((value % modulus) + modulus) % modulus))
  }

  #encode(element) {
    const { elementBytes, degree } = this.#group
    const parts = degree === 1 ? [element] : [element.c0, element.c1]
    return concat(...parts.map((part) => word(part, elementBytes)))
  }
}
