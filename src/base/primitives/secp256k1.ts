/**
 * ECDSA over secp256k1, as transactions, seals and the ecrecover precompile need it.
 *
 * The portable implementation is noble's, except for recovery, which needs no secrecy. A host with a faster one
 * installs it once, before it builds a node. Recovery accepts every `r`, `s` in [1, n - 1]: the caller's rules decide
 * whether a high `s` is allowed. In a page, functions with private keys need `loadSigningCurve` first, and
 * recovery throws `ModuleNotLoaded` before `loadRecovery`.
 * @see SEC 1, section 4.1.6; RFC 6979; Yellow Paper, appendix F
 * @module
 */
import { bytesToBigInt, concatBytes, equalBytes, hexToBytes } from './bytes.ts'
import { NodeError } from './errors.ts'
import { keccak256 } from './keccak.ts'
import { recover } from './recovery.ts'
import { SECP256K1_ORDER } from './secp256k1Order.ts'
import { signingCurve } from './signingCurve.ts'

export interface RecoverableSignature {
  /** r ‖ s, 64 bytes, low s */
  readonly signature: Uint8Array
  readonly yParity: 0 | 1
}

/** The functions that a host may replace. Argument lengths have been checked; the caller owns the results. */
export interface Secp256k1 {
  /** @returns 64 bytes x ‖ y; undefined when no key could have made this signature */
  recoverPublicKey(hash: Uint8Array, signature: Uint8Array, yParity: 0 | 1): Uint8Array | undefined
  /** @returns 64 bytes x ‖ y; undefined when the key is not in [1, n - 1] */
  publicKeyOf(privateKey: Uint8Array): Uint8Array | undefined
  /**
   * Deterministic (RFC 6979), low s.
   * @returns undefined when the key is not in [1, n - 1]
   */
  signHash(hash: Uint8Array, privateKey: Uint8Array): RecoverableSignature | undefined
  /** @returns x coordinate, 32 bytes; undefined when the key is not in [1, n - 1] or the point not on the curve */
  sharedSecret(privateKey: Uint8Array, publicKey: Uint8Array): Uint8Array | undefined
}

const UNCOMPRESSED = Uint8Array.of(4)

/** SEC 1, section 2.3.3. @param publicKey 64 bytes x ‖ y @returns 65 bytes */
export function uncompressedKey(publicKey: Uint8Array): Uint8Array {
  return concatBytes(UNCOMPRESSED, publicKey)
}

/** SEC 1, section 2.3.3. @param publicKey 64 bytes x ‖ y @returns 33 bytes: 2 for an even y, 3 for an odd one, then x */
export function compressedKey(publicKey: Uint8Array): Uint8Array {
  assertLength('publicKey', publicKey, 64)
  const compressed = new Uint8Array(33)
  compressed[0] = 2 | ((publicKey[63] as number) & 1)
  compressed.set(publicKey.subarray(0, 32), 1)
  return compressed
}

/** SEC 1, section 2.3.4. @param compressed 33 bytes @returns 64 bytes x ‖ y; undefined when it is not a point */
export function decompressedKey(compressed: Uint8Array): Uint8Array | undefined {
  if (compressed.length !== 33) return undefined
  try {
    return signingCurve().Point.fromBytes(compressed).toBytes(false).slice(1)
  } catch {
    return undefined
  }
}

const portable: Secp256k1 = {
  recoverPublicKey: recover,
  publicKeyOf(privateKey) {
    if (!signingCurve().utils.isValidSecretKey(privateKey)) return undefined
    return signingCurve().getPublicKey(privateKey, false).subarray(1)
  },
  signHash(hash, privateKey) {
    if (!signingCurve().utils.isValidSecretKey(privateKey)) return undefined
    const recovered = signingCurve().sign(hash, privateKey, { prehash: false, format: 'recovered' })
    return { signature: recovered.subarray(1), yParity: recovered[0] === 1 ? 1 : 0 }
  },
  sharedSecret(privateKey, publicKey) {
    if (!signingCurve().utils.isValidSecretKey(privateKey)) return undefined
    try {
      return signingCurve().getSharedSecret(privateKey, uncompressedKey(publicKey), true).slice(1)
    } catch {
      return undefined
    }
  },
}

let implementation: Secp256k1 = portable

/**
 * Public key that made a signature.
 * @param hash 32 bytes that were signed
 * @param signature r ‖ s, 64 bytes
 * @returns 64 bytes x ‖ y without a prefix byte; undefined when the signature is not valid
 */
export function recoverPublicKey(hash: Uint8Array, signature: Uint8Array, yParity: 0 | 1): Uint8Array | undefined {
  assertLength('hash', hash, 32)
  assertLength('signature', signature, 64)
  return implementation.recoverPublicKey(hash, signature, yParity)
}

/**
 * Address of the account that made a signature.
 * @param hash 32 bytes that were signed
 * @param signature r ‖ s, 64 bytes
 * @returns 20 bytes; undefined when the signature is not valid
 */
export function recoverAddress(hash: Uint8Array, signature: Uint8Array, yParity: 0 | 1): Uint8Array | undefined {
  const publicKey = recoverPublicKey(hash, signature, yParity)
  return publicKey === undefined ? undefined : publicKeyToAddress(publicKey)
}

/**
 * @param publicKey 64 bytes x ‖ y
 * @returns 20 bytes
 */
export function publicKeyToAddress(publicKey: Uint8Array): Uint8Array {
  assertLength('publicKey', publicKey, 64)
  return keccak256(publicKey).subarray(12)
}

/**
 * @param privateKey 32 bytes
 * @returns 64 bytes x ‖ y without a prefix byte
 * @throws {RangeError} when the key is zero or not below the curve order
 */
export function publicKeyOf(privateKey: Uint8Array): Uint8Array {
  assertLength('privateKey', privateKey, 32)
  const publicKey = implementation.publicKeyOf(privateKey)
  if (publicKey === undefined) throw invalidPrivateKey()
  return publicKey
}

/**
 * Signs deterministically (RFC 6979) with low s.
 * @param hash 32 bytes
 * @param privateKey 32 bytes
 * @throws {RangeError} when the key is zero or not below the curve order
 */
export function signHash(hash: Uint8Array, privateKey: Uint8Array): RecoverableSignature {
  assertLength('hash', hash, 32)
  assertLength('privateKey', privateKey, 32)
  const signature = implementation.signHash(hash, privateKey)
  if (signature === undefined) throw invalidPrivateKey()
  return signature
}

/**
 * ECDH.
 * @param privateKey 32 bytes
 * @param publicKey 64 bytes x ‖ y
 * @returns x coordinate of the product, 32 bytes
 * @throws {NodeError} INVALID_PUBLIC_KEY when the point is not on the curve
 * @throws {RangeError} when the private key is zero or not below the curve order
 */
export function sharedSecret(privateKey: Uint8Array, publicKey: Uint8Array): Uint8Array {
  assertLength('privateKey', privateKey, 32)
  assertLength('publicKey', publicKey, 64)
  const secret = implementation.sharedSecret(privateKey, publicKey)
  if (secret !== undefined) return secret
  if (implementation.publicKeyOf(privateKey) === undefined) throw invalidPrivateKey()
  throw new NodeError({ code: 'INVALID_PUBLIC_KEY' }, 'the public key is not a point of secp256k1')
}

/**
 * ECDH with a compressed result.
 * @param privateKey 32 bytes
 * @param publicKey 64 bytes x ‖ y
 * @returns the shared point, 33 bytes; undefined when the key is not in [1, n - 1] or the point not on the curve
 */
export function sharedPoint(privateKey: Uint8Array, publicKey: Uint8Array): Uint8Array | undefined {
  assertLength('privateKey', privateKey, 32)
  assertLength('publicKey', publicKey, 64)
  try {
    return signingCurve().getSharedSecret(privateKey, uncompressedKey(publicKey), true)
  } catch {
    return undefined
  }
}

/**
 * Verifies a signature without recovery bit. Both keys that it allows are recovered, since hosts accelerate that.
 * @param compressed public key of the expected signer, 33 bytes
 * @returns its uncompressed form, 64 bytes x ‖ y; undefined when it did not make the signature
 */
export function signerOf(hash: Uint8Array, signature: Uint8Array, compressed: Uint8Array): Uint8Array | undefined {
  for (const yParity of [0, 1] as const) {
    const publicKey = recoverPublicKey(hash, signature, yParity)
    if (publicKey !== undefined && equalBytes(compressedKey(publicKey), compressed)) return publicKey
  }
  return undefined
}

/**
 * Replaces the implementation for the whole process; functions that the candidate omits stay portable.
 * @throws {Error} when it does not reproduce the known values
 */
export function installSecp256k1(candidate: Partial<Secp256k1>): void {
  const replacement: Secp256k1 = { ...portable, ...candidate }
  for (const check of knownValues(candidate)) {
    if (!check(replacement)) throw new Error('the installed secp256k1 gives a wrong result')
  }
  implementation = replacement
}

/**
 * Calls `install` on the first use of any function, because loading an implementation would lengthen every start. When
 * it installs nothing, the portable functions stay.
 * @returns calls `install` now, unless that has happened
 */
export function deferSecp256k1(install: () => void): () => void {
  const installed = (): Secp256k1 => {
    implementation = portable
    install()
    return implementation
  }
  const deferred: Secp256k1 = {
    recoverPublicKey: (hash, signature, yParity) => installed().recoverPublicKey(hash, signature, yParity),
    publicKeyOf: (privateKey) => installed().publicKeyOf(privateKey),
    signHash: (hash, privateKey) => installed().signHash(hash, privateKey),
    sharedSecret: (privateKey, publicKey) => installed().sharedSecret(privateKey, publicKey),
  }
  implementation = deferred
  return () => {
    if (implementation === deferred) installed()
  }
}

/** Whether the bytes are a number from 1 to n - 1. Does not need the curve, which takes milliseconds to set up. */
export function isPrivateKey(bytes: Uint8Array): boolean {
  if (bytes.length !== 32) return false
  const key = bytesToBigInt(bytes)
  return key > 0n && key < SECP256K1_ORDER
}

function assertLength(name: string, bytes: Uint8Array, length: number): void {
  if (bytes.length !== length) throw new RangeError(`${name}: ${length} bytes expected, ${bytes.length} given`)
}

function invalidPrivateKey(): RangeError {
  return new RangeError('privateKey: not in the range 1 to n - 1 of secp256k1')
}

/** Checks only the functions that the candidate provides: the portable ones need no check and are slow to warm up. */
function knownValues(candidate: Partial<Secp256k1>): ((it: Secp256k1) => boolean)[] {
  const checks: ((it: Secp256k1) => boolean)[] = []
  const hash = new Uint8Array(32).fill(0x2a)
  const privateKey = new Uint8Array(32).fill(0x46)
  const publicKey = hexToBytes(
    '4bc2a31265153f07e70e0bab08724e6b85e217f8cd628ceb62974247bb493382ce28cab79ad7119ee1ad3ebcdb98a16805211530ecc6cfefa1b88e6dff99232a',
  )
  const r = '1fc0cdfa213f99c1025ccde43ccaeebbd45e860ffb0de86cde5630f69ee0a031'
  const lowS = hexToBytes(`${r}3b09b97ea122c499ebace2d39bab623705fac83d21c3973b7ce1f30740116743`)
  const highS = hexToBytes(`${r}c4f646815edd3b6614531d2c64549dc7b4b414a98d85090042f06b859024d9fe`)
  const notOnCurve = new Uint8Array(64)
  notOnCurve[31] = 5
  notOnCurve[63] = 1
  if (candidate.recoverPublicKey) {
    checks.push(
      (it) => isSame(it.recoverPublicKey(hash, lowS, 0), publicKey),
      (it) => isSame(it.recoverPublicKey(hash, highS, 1), publicKey),
      (it) => it.recoverPublicKey(hash, notOnCurve, 0) === undefined,
      (it) => it.recoverPublicKey(hash, new Uint8Array(64), 0) === undefined,
      (it) => it.recoverPublicKey(hash, new Uint8Array(64).fill(0xff), 1) === undefined,
    )
  }
  if (candidate.publicKeyOf) {
    checks.push(
      (it) => isSame(it.publicKeyOf(privateKey), publicKey),
      (it) => it.publicKeyOf(new Uint8Array(32)) === undefined,
    )
  }
  if (candidate.signHash) {
    checks.push(
      (it) => isSame(it.signHash(hash, privateKey)?.signature, lowS) && it.signHash(hash, privateKey)?.yParity === 0,
      (it) => it.signHash(hash, new Uint8Array(32).fill(0xff)) === undefined,
    )
  }
  if (candidate.sharedSecret) {
    const secret = hexToBytes('4909683f56eb0552d9822661677417a144d466c0e81fc38fbde0458c14d6a9c2')
    checks.push(
      (it) => isSame(it.sharedSecret(hash, publicKey), secret),
      (it) => it.sharedSecret(privateKey, notOnCurve) === undefined,
      (it) => it.sharedSecret(new Uint8Array(32), publicKey) === undefined,
    )
  }
  return checks
}

function isSame(actual: Uint8Array | undefined, expected: Uint8Array): boolean {
  return actual !== undefined && equalBytes(actual, expected)
}
