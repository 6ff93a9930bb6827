/** The point groups of the precompiles, based on noble's curves: encoding, members and non-members. */
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bn254 } from '@noble/curves/bn254.js'
import { concat, toNumber, word, zeros } from './bytes.mjs'

/** Number of cached points; checking the order of a point takes milliseconds. */
const REMEMBERED = 20_000

export class Group {
  #parsed = new Map()

  /**
   * @param Point noble's class
   * @param modulus of the prime field
   * @param elementBytes of an element of the prime field
   * @param primes some small divisors of the cofactor
   */
  constructor({ Point, modulus, elementBytes, degree, isImaginaryFirst = false, primes }) {
    this.Point = Point
    this.elementBytes = elementBytes
    this.degree = degree
    this.isImaginaryFirst = isImaginaryFirst
    this.primes = primes
    this.order = Point.Fn.ORDER
    this.cofactor = Point.CURVE().h ?? 1n
    this.modulus = modulus
    this.bytes = 2 * degree * elementBytes
  }

  /** The numbers of a coordinate, in encoding order. */
  #parts(coordinate) {
    if (this.degree === 1) return [coordinate]
    const { c0, c1 } = coordinate
    return this.isImaginaryFirst ? [c1, c0] : [c0, c1]
  }

  #joined(parts) {
    if (this.degree === 1) return parts[0]
    return { c0: parts[this.isImaginaryFirst ? 1 : 0], c1: parts[this.isImaginaryFirst ? 0 : 1] }
  }

  encode(point) {
    if (point.is0()) return zeros(this.bytes)
    const { x, y } = point.toAffine()
    return concat(...[x, y].flatMap((part) => this.#parts(part)).map((value) => word(value, this.elementBytes)))
  }

  /** A point of the curve, of any order, and whether it is in the group; undefined when it is not on the curve. */
  decode(bytes) {
    const key = Buffer.from(bytes).toString('latin1')
    if (!this.#parsed.has(key)) {
      if (this.#parsed.size >= REMEMBERED) this.#parsed.clear()
      this.#parsed.set(key, this.#parse(bytes))
    }
    return this.#parsed.get(key)
  }

  #parse(bytes) {
    const { Point, elementBytes, degree } = this
    const { Fp } = Point
    if (bytes.every((byte) => byte === 0)) return { point: Point.ZERO, isMember: true }
    const values = []
    for (let at = 0; at < bytes.length; at += elementBytes) values.push(toNumber(bytes.subarray(at, at + elementBytes)))
    if (values.some((value) => value >= this.modulus)) return undefined
    const [x, y] = [this.#joined(values.slice(0, degree)), this.#joined(values.slice(degree))]
    if (!Fp.eql(Fp.sqr(y), this.rightSide(x))) return undefined
    const point = Point.fromAffine({ x, y })
    return { point, isMember: this.isMember(point) }
  }

  rightSide(x) {
    const { Fp, CURVE } = this.Point
    return Fp.add(Fp.mul(Fp.sqr(x), x), CURVE().b)
  }

  isMember(point) {
    return this.cofactor === 1n || timesAny(point, this.order).is0()
  }

  /** The point with the given x, if it exists. */
  lift(x) {
    const { Fp } = this.Point
    try {
      return this.Point.fromAffine({ x, y: Fp.sqrt(this.rightSide(x)) })
    } catch {
      return undefined
    }
  }

  /** @param values one per degree */
  element(values) {
    const { Fp } = this.Point
    return this.degree === 1 ? Fp.create(values[0]) : Fp.fromBigTuple(values)
  }

  /** scalar · point for a member and any scalar. */
  times(point, scalar) {
    return point.multiplyUnsafe(((scalar % this.order) + this.order) % this.order)
  }
}

/** Double-and-add, for scalars and points of any size and order. */
export function timesAny(point, scalar) {
  let sum = point.subtract(point)
  for (const bit of scalar.toString(2)) {
    sum = sum.double()
    if (bit === '1') sum = sum.add(point)
  }
  return sum
}

const BLS_G1_PRIMES = [3n, 11n, 10_177n, 859_267n, 52_437_899n]
const BLS_G2_PRIMES = [13n, 23n, 2713n, 11_953n, 262_069n]
const BN_G2_PRIMES = [10_069n, 5_864_401n]

const bn = { modulus: bn254.fields.Fp.ORDER, elementBytes: 32 }
const bls = { modulus: bls12_381.fields.Fp.ORDER, elementBytes: 64 }

export const groups = {
  bnG1: new Group({ ...bn, Point: bn254.G1.Point, degree: 1, primes: [] }),
  bnG2: new Group({ ...bn, Point: bn254.G2.Point, degree: 2, isImaginaryFirst: true, primes: BN_G2_PRIMES }),
  blsG1: new Group({ ...bls, Point: bls12_381.G1.Point, degree: 1, primes: BLS_G1_PRIMES }),
  blsG2: new Group({ ...bls, Point: bls12_381.G2.Point, degree: 2, primes: BLS_G2_PRIMES }),
}
