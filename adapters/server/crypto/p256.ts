/**
 * Verification of secp256r1 signatures with the elliptic-curve Diffie-Hellman of OpenSSL, because `verify` of
 * node:crypto hashes its input.
 *
 * The point e/s G + r/s Q equals r/s (e/r G + Q). The inner product with G is computed as a public key. The outer
 * product is computed as a shared secret, that is, as an x coordinate, which is the value to compare with r. Only one
 * addition remains to be done here.
 * @see EIP-7951; SEC 1, section 4.1.4
 * @module
 */
import { createECDH, type ECDH } from 'node:crypto'
import { bytesToBigInt, EMPTY_BYTES } from '../../../src/base/primitives/bytes.ts'
import { primeField } from '../../../src/base/primitives/curves/field.ts'
import { booleanWord, writeBigInt } from '../../../src/evm/precompiles/input.ts'

const FIELD = primeField(0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn)
const SCALARS = primeField(0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n)
const B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn

interface Point {
  readonly x: bigint
  readonly y: bigint
}

/** @throws when the host does not support the curve */
export function createP256Verify(): (input: Uint8Array) => Uint8Array {
  const ecdh = createECDH('prime256v1')
  return (input) => (input.length === 160 && holds(ecdh, input) ? booleanWord(true) : EMPTY_BYTES)
}

function holds(ecdh: ECDH, input: Uint8Array): boolean {
  const part = (i: number): bigint => bytesToBigInt(input.subarray(32 * i, 32 * i + 32))
  const order = SCALARS.modulus
  const r = part(1)
  const s = part(2)
  const key = { x: part(3), y: part(4) }
  if (r === 0n || r >= order || s === 0n || s >= order) return false
  if (key.x >= FIELD.modulus || key.y >= FIELD.modulus || !isOnCurve(key)) return false
  const inverse = SCALARS.inv(SCALARS.mul(r, s))
  const inner = SCALARS.mul(part(0) % order, SCALARS.mul(inverse, s))
  const point = inner === 0n ? key : add(timesGenerator(ecdh, inner), key)
  if (point === undefined) return false
  ecdh.setPrivateKey(scalarBytes(SCALARS.mul(SCALARS.sqr(r), inverse)))
  return bytesToBigInt(ecdh.computeSecret(pointBytes(point))) % order === r
}

function isOnCurve({ x, y }: Point): boolean {
  return FIELD.sqr(y) === FIELD.add(FIELD.mul(FIELD.sub(FIELD.sqr(x), 3n), x), B)
}

/** @returns undefined for infinity */
function add(a: Point, b: Point): Point | undefined {
  let rise = FIELD.sub(b.y, a.y)
  let run = FIELD.sub(b.x, a.x)
  if (run === 0n) {
    // No point of the curve has y = 0.
    if (rise !== 0n) return undefined
    rise = FIELD.mul(3n, FIELD.sub(FIELD.sqr(a.x), 1n))
    run = FIELD.add(a.y, a.y)
  }
  const slope = FIELD.mul(rise, FIELD.inv(run))
  const x = FIELD.sub(FIELD.sub(FIELD.sqr(slope), a.x), b.x)
  return { x, y: FIELD.sub(FIELD.mul(slope, FIELD.sub(a.x, x)), a.y) }
}

/** @param scalar from 1 to the order - 1 */
function timesGenerator(ecdh: ECDH, scalar: bigint): Point {
  ecdh.setPrivateKey(scalarBytes(scalar))
  const bytes = ecdh.getPublicKey()
  return { x: bytesToBigInt(bytes.subarray(1, 33)), y: bytesToBigInt(bytes.subarray(33)) }
}

function scalarBytes(scalar: bigint): Uint8Array {
  const bytes = new Uint8Array(32)
  writeBigInt(bytes, 0, scalar, 32)
  return bytes
}

function pointBytes({ x, y }: Point): Uint8Array {
  const bytes = new Uint8Array(65)
  bytes[0] = 4
  writeBigInt(bytes, 1, x, 32)
  writeBigInt(bytes, 33, y, 32)
  return bytes
}
