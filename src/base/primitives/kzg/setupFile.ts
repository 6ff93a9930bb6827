/**
 * Files with a trusted setup: the numbers of points of G1 and G2, then the points of G1 in Lagrange form, the points of G2
 * and, in newer files, the points of G1; compressed, in hexadecimal, separated by white space.
 * @see EIP-4844
 * @module
 */
import { G2_SETUP } from './g2Setup.ts'

const G1_POINTS = 4096
const G1_DIGITS = 96
const P = 0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn
const COMPRESSED = 1n << 383n
const LARGER_Y = 1n << 381n
const COORDINATE_DIGITS = 96

/**
 * Verification needs only the points of G2, which are built in, so only these are compared.
 * @returns why a file cannot be used; undefined if it holds the ceremony's setup
 */
export function trustedSetupFault(text: string): string | undefined {
  const [g1Count, g2Count, ...points] = text.trim().toLowerCase().split(/\s+/)
  if (g1Count !== String(G1_POINTS) || g2Count !== String(G2_SETUP.length)) {
    return `it must begin with the numbers of points, ${G1_POINTS} and ${G2_SETUP.length}`
  }
  const g1 = points.slice(0, G1_POINTS)
  const g2 = points.slice(G1_POINTS, G1_POINTS + G2_SETUP.length)
  const isWhole = g1.length === G1_POINTS && g2.length === G2_SETUP.length
  if (!isWhole || !g1.every((point) => new RegExp(`^(?:0x)?[0-9a-f]{${G1_DIGITS}}$`).test(point))) {
    return `it must hold ${G1_POINTS} points of G1 and ${G2_SETUP.length} of G2 in hexadecimal`
  }
  const at = G2_SETUP.findIndex((point, i) => compressed(point) !== g2[i]?.replace(/^0x/, ''))
  if (at < 0) return undefined
  return `point ${at} of G2 is not that of the KZG ceremony, the only setup that the node verifies with`
}

/** @param point `x0,x1 y0,y1` in hexadecimal */
function compressed(point: string): string {
  const [x0, x1, y0, y1] = point
    .replace(/^0x/, '')
    .split(/[ ,]/)
    .map((digits) => BigInt(`0x${digits}`)) as [bigint, bigint, bigint, bigint]
  const half = (P - 1n) / 2n
  const isLarger = y1 === 0n ? y0 > half : y1 > half
  const head = COMPRESSED | (isLarger ? LARGER_Y : 0n) | x1
  return hex(head) + hex(x0)
}

function hex(value: bigint): string {
  return value.toString(16).padStart(COORDINATE_DIGITS, '0')
}
