import { describe, expect, it } from 'vitest'
import { createSigner, KeySigner } from '../../../../src/base/ports/keySigner.ts'
import { hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { publicKeyToAddress, recoverPublicKey } from '../../../../src/base/primitives/secp256k1.ts'
import { testRandom } from '../../../support/host/testPorts.ts'

const KEY = hexToBytes('0x8f2a55949038a9610f50fb23b5883af3b4ecb3c3bb792cbcefbd1542c692be63')

describe('a signer over a key in memory', () => {
  it('signs such that its public key can be recovered', () => {
    const signer = new KeySigner(KEY)
    const hash = new Uint8Array(32).fill(7)
    const { signature, yParity } = signer.sign(hash)
    expect(recoverPublicKey(hash, signature, yParity)).toEqual(signer.publicKey)
    expect(publicKeyToAddress(signer.publicKey)).toEqual(signer.address)
  })

  it('agrees on the same secret from both sides', () => {
    const [alice, bob] = [createSigner(testRandom), createSigner(testRandom)]
    const secret = alice.agree(bob.publicKey)
    expect(secret).toHaveLength(32)
    expect(bob.agree(alice.publicKey)).toEqual(secret)
    expect(createSigner(testRandom).agree(bob.publicKey)).not.toEqual(secret)
  })

  it('refuses a peer key that is not on the curve', () => {
    const bad = new Uint8Array(64).fill(1)
    expect(() => new KeySigner(KEY).agree(bad)).toThrow(expect.objectContaining({ code: 'INVALID_PUBLIC_KEY' }))
  })

  it('keeps its key when the caller overwrites it, and never exposes it', () => {
    const key = KEY.slice()
    const signer = new KeySigner(key)
    key.fill(0)
    expect(signer.sign(new Uint8Array(32)).signature).toEqual(new KeySigner(KEY).sign(new Uint8Array(32)).signature)
    expect(JSON.stringify(signer)).not.toContain('143,42,85')
    expect(Object.keys(signer)).toEqual([])
  })

  it('draws again when a random key is out of range', () => {
    const draws = [new Uint8Array(32), new Uint8Array(32).fill(0xff), KEY]
    const signer = createSigner({ bytes: () => draws.shift() as Uint8Array })
    expect(signer.address).toEqual(new KeySigner(KEY).address)
  })
})
