/**
 * The groups G1 and G2 of BLS12-381: membership and products.
 * @see EIP-2537; Scott, A note on group membership tests for G1, G2 and GT (2021)
 * @module
 */
import { type Affine, Curve, type Term } from './curve.ts'
import { type Fp2, power, primeField, quadraticField } from './field.ts'

export const P: bigint =
  0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn
/** Order of both groups. */
export const ORDER: bigint = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n
/** The absolute value of the curve's parameter, which is negative. */
const SEED = 0xd201000000010000n
const SEED_SQUARED = SEED * SEED

export const fp: ReturnType<typeof primeField> = primeField(P)
const fp2 = quadraticField(fp)
export const g1: Curve<bigint> = new Curve(fp, 4n)
export const g2: Curve<Fp2> = new Curve(fp2, { c0: 4n, c1: 4n })

/** (x, y) → (BETA · x, -y) multiplies a point of G1 by the square of the parameter. */
const BETA = 0x5f19672fdf76ce51ba69c6076a0f77eaddb3a93be6f89688de17d813620a00022e01fffffffefffen

/** Factors of the endomorphism of G2 that comes from Frobenius, for x and y; it multiplies by the parameter. */
const TWIST = fp2.inv({ c0: 1n, c1: 1n })
const PSI_X = power(fp2, TWIST, (P - 1n) / 3n)
const PSI_Y = power(fp2, TWIST, (P - 1n) / 2n)

/** Whether a point of the curve has the order of G1. */
export function isInG1(point: Affine<bigint>): boolean {
  const multiple = g1.toAffine(g1.sum([{ point, scalar: SEED }]))
  return multiple !== undefined && g1.equal(g1.sum([{ point: multiple, scalar: SEED }]), timesSeedSquared(point))
}

/** Whether a point of the twist has the order of G2. */
export function isInG2(point: Affine<Fp2>): boolean {
  return g2.equal(g2.sum([{ point, scalar: SEED }]), g2.negate(psi(point)))
}

/** A product in G1 as two with scalars of half the length. */
export function splitG1(point: Affine<bigint>, scalar: bigint): Term<bigint>[] {
  return [
    { point, scalar: scalar % SEED_SQUARED },
    { point: timesSeedSquared(point), scalar: scalar / SEED_SQUARED },
  ]
}

/** A product in G2 as four with scalars of a quarter of the length. */
export function splitG2(point: Affine<Fp2>, scalar: bigint): Term<Fp2>[] {
  const terms: Term<Fp2>[] = []
  let multiple = point
  for (let rest = scalar; rest > 0n; rest /= SEED) {
    terms.push({ point: multiple, scalar: rest % SEED })
    multiple = g2.negate(psi(multiple))
  }
  return terms
}

function timesSeedSquared({ x, y }: Affine<bigint>): Affine<bigint> {
  return { x: fp.mul(x, BETA), y: fp.neg(y) }
}

function psi({ x, y }: Affine<Fp2>): Affine<Fp2> {
  return { x: fp2.mul(conjugate(x), PSI_X), y: fp2.mul(conjugate(y), PSI_Y) }
}

function conjugate({ c0, c1 }: Fp2): Fp2 {
  return { c0, c1: fp.neg(c1) }
}
