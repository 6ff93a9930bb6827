import { describe, expect, it } from 'vitest'
import { fromBase64, toBase64 } from '../../../../src/base/primitives/base64.ts'
import { bytesToHexUnprefixed } from '../../../../src/base/primitives/bytes.ts'
import { keyPairOf, openBox, sealBox, sharedBoxKey } from '../../../../src/private/enclave/boxes.ts'

const [one, two] = [1, 2].map((n) => keyPairOf(new Uint8Array(32).fill(n))) as [
  ReturnType<typeof keyPairOf>,
  ReturnType<typeof keyPairOf>,
]

describe('boxes', () => {
  it('have the public keys of X25519', () => {
    // From Tessera's documentation.
    const secret = fromBase64('yAWAJjwPqUtNVlqGjSrBmr1/iIkghuOh1803Yzx9jLM=') as Uint8Array
    expect(toBase64(keyPairOf(secret).publicKey)).toBe('/+UuD63zItL1EbjxkKUljMgG8Z1w0AJ8pNOR4iq2yQc=')
  })

  it('equal those of tweetnacl', () => {
    const key = sharedBoxKey(one.secretKey, two.publicKey)
    expect(bytesToHexUnprefixed(key)).toBe('18a99320f3488fa18a04239715d8ee738065e65c3d4b2898522d6c3d4ead588c')
    expect(sharedBoxKey(two.secretKey, one.publicKey)).toEqual(key)
    const box = sealBox(key, new Uint8Array(24).fill(3), new TextEncoder().encode('payload'))
    expect(bytesToHexUnprefixed(box)).toBe('9e8dabd61c993d1e6fbb6d9e07a06d23934a066344775e')
  })

  it('are opened with the right key and nonce only', () => {
    const [key, nonce] = [new Uint8Array(32).fill(4), new Uint8Array(24).fill(5)]
    const box = sealBox(key, nonce, Uint8Array.of(1, 2, 3))
    expect(openBox(key, nonce, box)).toEqual(Uint8Array.of(1, 2, 3))
    expect(openBox(new Uint8Array(32), nonce, box)).toBeUndefined()
    expect(openBox(key, new Uint8Array(24), box)).toBeUndefined()
    expect(openBox(key, new Uint8Array(3), box)).toBeUndefined()
    expect(openBox(key, nonce, box.subarray(0, 8))).toBeUndefined()
    expect(openBox(key, nonce, box.with(0, (box[0] as number) ^ 1))).toBeUndefined()
  })

  it('refuse public keys of low order', () => {
    for (const key of [new Uint8Array(32), Uint8Array.of(1, ...new Uint8Array(31)), new Uint8Array(31)]) {
      expect(() => sharedBoxKey(one.secretKey, key)).toThrow(expect.objectContaining({ code: 'INVALID_ENCLAVE_KEY' }))
    }
  })
})
