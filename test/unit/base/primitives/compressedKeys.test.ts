import { describe, expect, it } from 'vitest'
import {
  compressedKey,
  decompressedKey,
  publicKeyOf,
  sharedPoint,
  sharedSecret,
  signerOf,
  signHash,
} from '../../../../src/base/primitives/secp256k1.ts'

const keys = [1, 2, 3, 4, 5].map((byte) => new Uint8Array(32).fill(byte))
const hash = new Uint8Array(32).fill(9)

describe('compressed public keys', () => {
  it('can be decompressed', () => {
    for (const key of keys) expect(decompressedKey(compressedKey(publicKeyOf(key)))).toEqual(publicKeyOf(key))
  })

  it('are refused when they are no points', () => {
    const noPoint = new Uint8Array(33).fill(0xff)
    for (const bytes of [new Uint8Array(33), noPoint, new Uint8Array(32), publicKeyOf(hash)]) {
      expect(decompressedKey(bytes)).toBeUndefined()
    }
  })

  it('identify the signer of a signature without recovery bit', () => {
    for (const key of keys) {
      const { signature } = signHash(hash, key)
      expect(signerOf(hash, signature, compressedKey(publicKeyOf(key)))).toEqual(publicKeyOf(key))
      expect(signerOf(hash, signature, compressedKey(publicKeyOf(hash)))).toBeUndefined()
    }
    expect(signerOf(hash, new Uint8Array(64), compressedKey(publicKeyOf(hash)))).toBeUndefined()
  })

  it('are the result of an agreement, equal on both sides', () => {
    for (const key of keys) {
      const point = sharedPoint(key, publicKeyOf(hash))
      expect(point).toEqual(sharedPoint(hash, publicKeyOf(key)))
      expect(point?.subarray(1)).toEqual(sharedSecret(key, publicKeyOf(hash)))
    }
    expect(sharedPoint(new Uint8Array(32), publicKeyOf(hash))).toBeUndefined()
    expect(sharedPoint(hash, new Uint8Array(64).fill(1))).toBeUndefined()
  })
})
