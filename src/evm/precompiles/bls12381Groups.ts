/**
 * The groups G1 and G2 of BLS12-381: membership, products, pairing and maps from the fields.
 * @see EIP-2537; Scott, A note on group membership tests for G1, G2 and GT (2021); Budroni and Pintore, Efficient hash
 *   maps to G2 on BLS curves (2017); RFC 9380, section 8.8
 * @module
 */
import { type Affine, Curve, type Jacobian, type Term } from '../../base/primitives/curves/curve.ts'
import { type FieldPair, power } from '../../base/primitives/curves/field.ts'
import { rootOfRatio, rootOfRatio2, squareRoot } from '../../base/primitives/curves/squareRoots.ts'
import { ISOGENY_G1, ISOGENY_G2, type IsogenyPolynomials } from './isogenies.ts'
import { type MapParameters, mapToCurve } from './mapToCurve.ts'
import { Pairing, type PairingCurve } from './pairing.ts'

export const P: bigint =
  0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn
/** Order of both groups. */
export const ORDER: bigint = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n
/** The absolute value of the curve's parameter, which is negative. */
const SEED = 0xd201000000010000n
const SEED_SQUARED = SEED * SEED

/** (x, y) → (BETA · x, -y) multiplies a point of G1 by the square of the parameter. */
const BETA = 0x5f19672fdf76ce51ba69c6076a0f77eaddb3a93be6f89688de17d813620a00022e01fffffffefffen

const PAIRING: PairingCurve = {
  n: 1n,
  isTwistedByProduct: true,
  loop: SEED,
  hasFrobeniusLines: false,
  // Three times the usual exponent: (x - 1)² (x + p) (x² + p² - 1) + 3.
  // @see Hayashida, Hayasaka and Teruya (2020)
  hardPart(tower, f) {
    const powerOfX = (a: typeof f): typeof f => tower.conjugate(tower.cyclotomicPower(a, SEED))
    const lessOne = (a: typeof f): typeof f => tower.mul(powerOfX(a), tower.conjugate(a))
    const a = lessOne(lessOne(f))
    const b = tower.mul(powerOfX(a), tower.powerOfP(a))
    const squares = tower.mul(powerOfX(powerOfX(b)), tower.powerOfP(tower.powerOfP(b)))
    const c = tower.mul(squares, tower.conjugate(b))
    return tower.mul(c, tower.mul(tower.cyclotomicSqr(f), f))
  },
}

export class Bls12381Groups<F, T> {
  readonly fields: FieldPair<F, T>
  readonly g1: Curve<F>
  readonly g2: Curve<T>
  readonly pairing: Pairing<F, T>
  readonly #beta: F
  /** Factors for x and y of the Frobenius endomorphism of G2, which multiplies by the parameter. */
  readonly #psi: Affine<T>
  readonly #mapToG1: MapParameters<F>
  readonly #mapToG2: MapParameters<T>

  constructor(fields: FieldPair<F, T>) {
    const { fp, fp2 } = fields
    this.fields = fields
    this.g1 = new Curve(fp, fp.of(4n))
    this.g2 = new Curve(fp2, fp2.of({ c0: 4n, c1: 4n }))
    this.pairing = new Pairing(fields, PAIRING)
    this.#beta = fp.of(BETA)
    const twist = fp2.inv(fp2.of({ c0: 1n, c1: 1n }))
    this.#psi = { x: power(fp2, twist, (P - 1n) / 3n), y: power(fp2, twist, (P - 1n) / 2n) }
    this.#mapToG1 = mapParametersOfG1(fields)
    this.#mapToG2 = mapParametersOfG2(fields)
  }

  /** Whether a point of the curve has the order of G1. */
  isInG1(point: Affine<F>): boolean {
    const { g1 } = this
    const multiple = g1.timesSparse(g1.timesSparse(g1.toJacobian(point), SEED), SEED)
    return g1.equal(multiple, this.#timesSeedSquared(point))
  }

  /** Whether a point of the twist has the order of G2. */
  isInG2(point: Affine<T>): boolean {
    const { g2 } = this
    const { x, y } = this.#psiOf(g2.toJacobian(point))
    return g2.equal(g2.timesSparse(g2.toJacobian(point), SEED), g2.negate({ x, y }))
  }

  /** Splits a product in G1 into two whose scalars have half the length. */
  splitG1(point: Affine<F>, scalar: bigint): Term<F>[] {
    return [
      { point, scalar: scalar % SEED_SQUARED },
      { point: this.#timesSeedSquared(point), scalar: scalar / SEED_SQUARED },
    ]
  }

  /** Splits a product in G2 into four whose scalars have a quarter of the length. */
  splitG2(point: Affine<T>, scalar: bigint): Term<T>[] {
    const { g2 } = this
    const terms: Term<T>[] = []
    let multiple = point
    for (let rest = scalar; rest > 0n; rest /= SEED) {
      terms.push({ point: multiple, scalar: rest % SEED })
      const { x, y } = this.#psiOf(g2.toJacobian(multiple))
      multiple = g2.negate({ x, y })
    }
    return terms
  }

  mapToG1(element: F): Jacobian<F> {
    const { g1 } = this
    const point = mapToCurve(this.#mapToG1, element)
    return g1.add(g1.timesSparse(point, SEED), point)
  }

  /** Clears the cofactor by x² - x - 1 + (x - 1) ψ + 2 ψ². */
  mapToG2(element: T): Jacobian<T> {
    const { g2 } = this
    const timesX = (point: Jacobian<T>): Jacobian<T> => g2.negateJacobian(g2.timesSparse(point, SEED))
    const point = mapToCurve(this.#mapToG2, element)
    const product = timesX(point)
    const image = this.#psiOf(point)
    const twice = this.#psiOf(this.#psiOf(g2.double(point)))
    const mixed = g2.add(timesX(g2.add(product, image)), twice)
    return g2.add(mixed, g2.negateJacobian(g2.add(g2.add(product, image), point)))
  }

  #timesSeedSquared({ x, y }: Affine<F>): Affine<F> {
    const { fp } = this.fields
    return { x: fp.mul(x, this.#beta), y: fp.neg(y) }
  }

  #psiOf({ x, y, z }: Jacobian<T>): Jacobian<T> {
    const { fp2 } = this.fields
    return {
      x: fp2.mul(fp2.conjugate(x), this.#psi.x),
      y: fp2.mul(fp2.conjugate(y), this.#psi.y),
      z: fp2.conjugate(z),
    }
  }
}

function mapParametersOfG1<F, T>({ fp }: FieldPair<F, T>): MapParameters<F> {
  const z = fp.of(11n)
  const rootOfMinusZ = squareRoot(fp, fp.neg(z)) as F
  return {
    field: fp,
    a: fp.of(0x144698a3b8e9433d693a02c96d4982b0ea985383ee66a8d8e8981aefd881ac98936f8da0e0f97f5cf428082d584c1dn),
    b: fp.of(0x12e2908d11688030018b12e8753eee3b2016c1f0f24f4070a0b9c14fcef35ef55a23215a316ceaa5d1cc48e98e172be0n),
    z,
    isogeny: isogenyOver(ISOGENY_G1, (value) => fp.of(value)),
    rootOfRatio: (u, v) => rootOfRatio(fp, rootOfMinusZ, u, v),
    isOdd: (value) => (fp.valueOf(value) & 1n) === 1n,
  }
}

function mapParametersOfG2<F, T>(fields: FieldPair<F, T>): MapParameters<T> {
  const { fp2 } = fields
  const z = fp2.of({ c0: P - 2n, c1: P - 1n })
  return {
    field: fp2,
    a: fp2.of({ c0: 0n, c1: 240n }),
    b: fp2.of({ c0: 1012n, c1: 1012n }),
    z,
    isogeny: isogenyOver(ISOGENY_G2, (value) => fp2.of(value)),
    rootOfRatio: (u, v) => rootOfRatio2(fields, z, u, v),
    isOdd(value) {
      const { c0, c1 } = fp2.valueOf(value)
      return ((c0 === 0n ? c1 : c0) & 1n) === 1n
    },
  }
}

function isogenyOver<V, T>(
  { xNum, xDen, yNum, yDen }: IsogenyPolynomials<V>,
  of: (value: V) => T,
): IsogenyPolynomials<T> {
  return { xNum: xNum.map(of), xDen: xDen.map(of), yNum: yNum.map(of), yDen: yDen.map(of) }
}
