/** Expected results of precompiles, implemented from the EIPs over the curves and hashes of other libraries. */
import { Common, Hardfork, Mainnet } from '@ethereumjs/common'
import { getActivePrecompiles, paramsEVM } from '@ethereumjs/evm'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { ripemd160 } from '@noble/hashes/legacy.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { concat, padded, toHex, toNumber, word, zeros } from './bytes.mjs'
import { curveOracles } from './curveOracles.mjs'

const NOTHING = zeros(0)

/** Yellow Paper, appendix E. */
function ecrecover(input) {
  const data = padded(input, 0, 128)
  const part = (i) => toNumber(data.subarray(32 * i, 32 * i + 32))
  const [e, v, r, s] = [0, 1, 2, 3].map(part)
  const { Fp, Fn, BASE } = secp256k1.Point
  if ((v !== 27n && v !== 28n) || r === 0n || r >= Fn.ORDER || s === 0n || s >= Fn.ORDER) return NOTHING
  const point = liftX(secp256k1.Point, r, Fp.create(r ** 3n + 7n), v === 28n)
  if (point === undefined) return NOTHING
  const inverse = Fn.inv(r)
  const key = point.multiplyUnsafe(Fn.mul(s, inverse)).add(BASE.multiplyUnsafe(Fn.create(-e * inverse)))
  if (key.is0()) return NOTHING
  const { x, y } = key.toAffine()
  return concat(zeros(12), keccak_256(concat(word(x), word(y))).subarray(12))
}

/** The point with the given x and square of y. */
export function liftX(Point, x, square, isOdd) {
  const { Fp } = Point
  try {
    const root = Fp.sqrt(square)
    return Point.fromAffine({ x, y: (root & 1n) === (isOdd ? 1n : 0n) ? root : Fp.neg(root) })
  } catch {
    return undefined
  }
}

/** EIP-7951 */
function p256Verify(input) {
  if (input.length !== 160) return NOTHING
  const part = (i) => toNumber(input.subarray(32 * i, 32 * i + 32))
  const [e, r, s, x, y] = [0, 1, 2, 3, 4].map(part)
  const { Fp, Fn, BASE, CURVE, fromAffine } = p256.Point
  const { a, b } = CURVE()
  if (r === 0n || r >= Fn.ORDER || s === 0n || s >= Fn.ORDER || x >= Fp.ORDER || y >= Fp.ORDER) return NOTHING
  // The point (0, 0) is not on the curve; it would encode infinity.
  if ((y * y - x ** 3n - a * x - b) % Fp.ORDER !== 0n) return NOTHING
  const inverse = Fn.inv(s)
  const key = fromAffine.call(p256.Point, { x, y })
  const point = BASE.multiplyUnsafe(Fn.create(e * inverse)).add(key.multiplyUnsafe(Fn.create(r * inverse)))
  return !point.is0() && point.toAffine().x % Fn.ORDER === r ? word(1n) : NOTHING
}

/** EIP-198 */
function modexp(input) {
  const [baseLength, exponentLength, modulusLength] = [0, 32, 64].map((at) => toNumber(padded(input, at, 32)))
  if (modulusLength === 0n) return NOTHING
  const data = input.subarray(96)
  // The input continues with zeros, so distant offsets can be clamped.
  const take = (at, length) => padded(data, Math.min(Number(at), data.length), Number(length))
  const modulus = toNumber(take(baseLength + exponentLength, modulusLength))
  if (modulus === 0n) return zeros(Number(modulusLength))
  const base = toNumber(take(0n, baseLength))
  let result = 1n
  for (const bit of toNumber(take(baseLength, exponentLength)).toString(2)) {
    result = (result * result) % modulus
    if (bit === '1') result = (result * base) % modulus
  }
  return word(result % modulus, Number(modulusLength))
}

const common = new Common({ chain: Mainnet, hardfork: Hardfork.Istanbul, params: paramsEVM })
const blake2fOfLibrary = getActivePrecompiles(common).get(toHex(word(9n, 20)))

/** EIP-152 */
function blake2f(input) {
  const { exceptionError, returnValue } = blake2fOfLibrary({ data: input, gasLimit: 2n ** 63n, common })
  return exceptionError === undefined ? returnValue : undefined
}

/** By precompile name: the output for an input; undefined when the call fails. */
export const oracles = {
  ECREC: ecrecover,
  SHA256: (input) => sha256(input),
  RIPEMD160: (input) => concat(zeros(12), ripemd160(input)),
  ID: (input) => input,
  MODEXP: modexp,
  BLAKE2F: blake2f,
  P256VERIFY: p256Verify,
  ...curveOracles,
}
