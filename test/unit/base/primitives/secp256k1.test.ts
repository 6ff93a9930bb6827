import { secp256k1 } from '@noble/curves/secp256k1.js'
import { beforeEach, describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../../src/base/primitives/keccak.ts'
import {
  deferSecp256k1,
  installSecp256k1,
  publicKeyOf,
  publicKeyToAddress,
  recoverAddress,
  recoverPublicKey,
  signHash,
} from '../../../../src/base/primitives/secp256k1.ts'

const key = hexToBytes('0x8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63')
const hash = keccak256(Uint8Array.of(1, 2, 3))

/** s replaced by n - s: the other signature of the same key. */
function mirrored(signature: Uint8Array): Uint8Array {
  const { r, s } = secp256k1.Signature.fromBytes(signature, 'compact')
  return new secp256k1.Signature(r, secp256k1.Point.Fn.ORDER - s).toBytes('compact')
}

describe('secp256k1', () => {
  beforeEach(() => installSecp256k1({}))

  it('derives the address of a known key', () => {
    expect(bytesToHex(publicKeyToAddress(publicKeyOf(key)))).toBe('0xfe3b557e8fb62b89f4916b721be55ceb828dbd73')
  })

  it('recovers the signer, even from the mirrored signature with high s', () => {
    const { signature, yParity } = signHash(hash, key)
    const address = publicKeyToAddress(publicKeyOf(key))
    expect(recoverPublicKey(hash, signature, yParity)).toEqual(publicKeyOf(key))
    expect(recoverAddress(hash, signature, yParity)).toEqual(address)
    expect(recoverAddress(hash, mirrored(signature), yParity === 0 ? 1 : 0)).toEqual(address)
    expect(recoverAddress(hash, signature, yParity === 0 ? 1 : 0)).not.toEqual(address)
  })

  it('returns undefined for signatures that no key can have made', () => {
    const n = hexToBytes('0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141')
    const withS = (s: Uint8Array) => {
      const signature = signHash(hash, key).signature.slice()
      signature.set(s, 32)
      return signature
    }
    expect(recoverAddress(hash, withS(n), 0)).toBeUndefined()
    expect(recoverAddress(hash, withS(new Uint8Array(32)), 0)).toBeUndefined()
    const notOnCurve = new Uint8Array(64)
    notOnCurve[31] = 5
    notOnCurve[63] = 1
    expect(recoverAddress(hash, notOnCurve, 1)).toBeUndefined()
  })

  it('names an argument of the wrong length, and refuses keys out of range', () => {
    expect(() => recoverPublicKey(hash.subarray(1), new Uint8Array(64), 0)).toThrow('hash: 32 bytes expected, 31 given')
    expect(() => recoverPublicKey(hash, new Uint8Array(65), 0)).toThrow('signature')
    expect(() => publicKeyOf(new Uint8Array(32))).toThrow(RangeError)
    expect(() => signHash(hash, new Uint8Array(32).fill(0xff))).toThrow(RangeError)
  })

  it('refuses to install an implementation that is wrong', () => {
    expect(() => installSecp256k1({ recoverPublicKey: () => new Uint8Array(64) })).toThrow('wrong result')
    expect(() => installSecp256k1({ publicKeyOf: () => undefined })).toThrow('wrong result')
    expect(() => installSecp256k1({ signHash: () => undefined })).toThrow('wrong result')
    const { signature, yParity } = signHash(hash, key)
    expect(recoverPublicKey(hash, signature, yParity)).toEqual(publicKeyOf(key))
  })
  it('installs a deferred implementation once: when it is asked to, or on the first use', () => {
    let installations = 0
    const install = (): void => {
      installations++
      installSecp256k1({})
    }
    const expected = publicKeyOf(key)
    const load = deferSecp256k1(install)
    expect(installations).toBe(0)
    load()
    load()
    expect(publicKeyOf(key)).toEqual(expected)
    expect(installations).toBe(1)
    const loadLate = deferSecp256k1(install)
    expect(publicKeyOf(key)).toEqual(expected)
    loadLate()
    expect(installations).toBe(2)
  })
})
