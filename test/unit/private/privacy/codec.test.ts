import { describe, expect, it } from 'vitest'
import { fromBase64, toBase64 } from '../../../../src/base/primitives/base64.ts'
import { bytesToBigInt, bytesToHex, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { signHash } from '../../../../src/base/primitives/secp256k1.ts'
import { legacyGroupId, markerPayloadKey, PRIVACY_PRECOMPILE } from '../../../../src/private/privacy/groups.ts'
import {
  decodePrivateTransaction,
  encodePrivateTransaction,
  type PrivateTransaction,
  privateChainId,
  privateSender,
  privateSigningHash,
} from '../../../../src/private/privacy/privateTransaction.ts'

const bytes = (text: string): Uint8Array => fromBase64(text) as Uint8Array

/** A published vector: chain id 4. */
const UNSIGNED: PrivateTransaction = {
  nonce: 0n,
  gasPrice: 1000n,
  gasLimit: 3_000_000n,
  to: hexToBytes('0x627306090abab3a6e1400e9345bc60c78a8bef57'),
  value: 0n,
  data: new Uint8Array(0),
  v: 43n,
  r: 0n,
  s: 0n,
  privateFrom: bytes('A1aVtMxLCUHmBVHXoZzzBgPbW/wj5axDpW9X8l91SGo='),
  recipients: { kind: 'keys', keys: [bytes('Ko2bVqD+nNlNYL5EE7y3IdOnviftjiizpjRt+HTuFBs=')] },
  restriction: 'restricted',
}

describe('base64', () => {
  it('has the standard alphabet and padding', () => {
    expect(toBase64(Uint8Array.of(0xfb, 0xff))).toBe('+/8=')
    expect(fromBase64('+/8=')).toEqual(Uint8Array.of(0xfb, 0xff))
    for (const text of ['-_8=', '+/8', '+/8==', '=', '+=/8', 'a b=']) expect(fromBase64(text), text).toBeUndefined()
  })
})

describe('legacy group ids', () => {
  it.each([
    [[1, 2], 'aGWhxHR/lTtnAvl9/sW1AcOoPv2jrZ3Ex5n90NHZpk4='],
    [[1, 255], 'tXdnqKGB4jxJ0PuGiwO7v2uaIuB8zID6be7fXj3nk0M='],
  ])('of keys of the bytes %j', (values, id) => {
    const keys = values.map((value) => new Uint8Array(32).fill(value))
    expect(toBase64(legacyGroupId(keys))).toBe(id)
    expect(toBase64(legacyGroupId([...keys, ...keys].reverse()))).toBe(id)
  })

  it.each([
    [['negmDcN2P4ODpqn/6WkJ02zT/0w0bjhGpkZ8UP6vARk='], 'kAbelwaVW7okoEn1+okO+AbA4Hhz/7DaCOWVQz9nx5M='],
    [
      [
        'negmDcN2P4ODpqn/6WkJ02zT/0w0bjhGpkZ8UP6vARk=',
        'g59BmTeJIn7HIcnq8VQWgyh/pDbvbt2eyP0Ii60aDDw=',
        '6fg8q5rWMBoAT2oIiU3tYJbk4b7oAr7dxaaVY7TeM3U=',
      ],
      '/xzRjCLioUBkm5LYuzll61GXyrD5x7bvXzQk/ovJA/4=',
    ],
    [
      ['A1aVtMxLCUHmBVHXoZzzBgPbW/wj5axDpW9X8l91SGo=', 'Ko2bVqD+nNlNYL5EE7y3IdOnviftjiizpjRt+HTuFBs='],
      'DyAOiF/ynpc+JXa2YAGB0bCitSlOMNm+ShmB/7M6C4w=',
    ],
  ])('of published keys', (keys, id) => {
    expect(toBase64(legacyGroupId(keys.map(bytes)))).toBe(id)
  })
})

describe('private transactions', () => {
  it('sign with the chain id before privateFrom', () => {
    const key = hexToBytes('0x853d7f0010fd86d0d7811c1f9d968ea89a24484a8127b4a483ddf5d2cfec766d')
    for (const to of [UNSIGNED.to, undefined]) {
      const hash = privateSigningHash({ ...UNSIGNED, to })
      const { signature, yParity } = signHash(hash, key)
      const signed = {
        ...UNSIGNED,
        to,
        v: 43n + BigInt(yParity),
        r: bytesToBigInt(signature.subarray(0, 32)),
        s: bytesToBigInt(signature.subarray(32)),
      }
      expect(decodePrivateTransaction(encodePrivateTransaction(signed))).toEqual(signed)
      expect(bytesToHex(privateSender(signed) as Uint8Array)).toBe('0xb3d6f5a4491a6137277699a2d4343ef4fe3c0fdc')
    }
  })

  it('accept v without and with a chain id only', () => {
    expect([27n, 28n, 37n, 38n, 4089n].map((v) => privateChainId({ v }))).toEqual([undefined, undefined, 1n, 1n, 2027n])
    for (const v of [0n, 1n, 5n, 26n, 29n, 35n, 36n]) {
      expect(() => privateChainId({ v })).toThrow(expect.objectContaining({ code: 'INVALID_PRIVATE_SIGNATURE' }))
    }
  })

  it('name a group or keys, of any length', () => {
    const group = { ...UNSIGNED, recipients: { kind: 'group' as const, id: Uint8Array.of(1, 2) } }
    expect(decodePrivateTransaction(encodePrivateTransaction(group))).toEqual(group)
    const nobody = { ...UNSIGNED, recipients: { kind: 'keys' as const, keys: [] } }
    expect(decodePrivateTransaction(encodePrivateTransaction(nobody))).toEqual(nobody)
  })

  it.each(['0x', '0x80', '0xc0', '0x01', '0xf8', `0xcc${'80'.repeat(11)}`])('refuse %s', (hex) => {
    expect(() => decodePrivateTransaction(hexToBytes(hex))).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^INVALID_(?:RLP|TRANSACTION_ENCODING)$/) }),
    )
  })
})

describe('markers', () => {
  it('are calls of the precompile with a key', () => {
    const data = new Uint8Array(32).fill(7)
    expect(markerPayloadKey({ to: PRIVACY_PRECOMPILE, data }, false)).toEqual(data)
    for (const [to, length, isFlexible] of [
      [PRIVACY_PRECOMPILE, 31, false],
      [PRIVACY_PRECOMPILE, 33, false],
      [PRIVACY_PRECOMPILE, 64, false],
      [PRIVACY_PRECOMPILE, 32, true],
      [undefined, 32, false],
      [new Uint8Array(20), 32, false],
    ] as const) {
      expect(markerPayloadKey({ to, data: new Uint8Array(length) }, isFlexible)).toBeUndefined()
    }
  })
})
