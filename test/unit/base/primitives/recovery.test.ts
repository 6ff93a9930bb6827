import { secp256k1 } from '@noble/curves/secp256k1.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { montgomerySecp256k1 } from '../../../../adapters/shared/montgomerySecp256k1.ts'
import { bigIntToBytesPadded, concatBytes } from '../../../../src/base/primitives/bytes.ts'
import { portableFields } from '../../../../src/base/primitives/curves/field.ts'
import { createRecovery, type RecoverPublicKey, SECP256K1_P } from '../../../../src/base/primitives/curves/secp256k1.ts'

const ORDER = secp256k1.Point.CURVE().n

function library(hash: Uint8Array, signature: Uint8Array, yParity: 0 | 1): Uint8Array | undefined {
  try {
    const parsed = secp256k1.Signature.fromBytes(signature, 'compact').addRecoveryBit(yParity)
    return parsed.recoverPublicKey(hash).toBytes(false).subarray(1)
  } catch {
    return undefined
  }
}

const makes: readonly [string, () => Promise<RecoverPublicKey>][] = [
  ['over BigInt', async () => createRecovery(portableFields(SECP256K1_P))],
  ['in WebAssembly', async () => (await montgomerySecp256k1.load()).recoverPublicKey as RecoverPublicKey],
]

describe.each(makes)('recovery %s', (_, load) => {
  const word = (value: bigint) => bigIntToBytesPadded(((value % 2n ** 256n) + 2n ** 256n) % 2n ** 256n, 32)
  const number = fc.oneof(
    fc.bigInt(0n, 2n ** 256n - 1n),
    fc.bigInt(-3n, 3n),
    fc.bigInt(ORDER - 3n, ORDER + 3n),
    fc.bigInt(0n, 2n ** 128n),
  )
  const parity = fc.constantFrom(0 as const, 1 as const)

  it('agrees with the library for any numbers', async () => {
    const recover = await load()
    fc.assert(
      fc.property(number, number, number, parity, (hash, r, s, yParity) => {
        const signature = concatBytes(word(r), word(s))
        expect(recover(word(hash), signature, yParity)).toEqual(library(word(hash), signature, yParity))
      }),
      { seed: 7, numRuns: 150 },
    )
  })

  it('finds the key that signed', async () => {
    const recover = await load()
    fc.assert(
      fc.property(fc.bigInt(1n, ORDER - 1n), number, (key, hash) => {
        const signed = secp256k1.sign(word(hash), word(key), { prehash: false, format: 'recovered' })
        const publicKey = secp256k1.getPublicKey(word(key), false).subarray(1)
        expect(recover(word(hash), signed.subarray(1), signed[0] === 1 ? 1 : 0)).toEqual(publicKey)
      }),
      { seed: 7, numRuns: 30 },
    )
  })

  it('finds no key when it would be infinity', async () => {
    // s R = e G for R = G.
    const x = secp256k1.Point.BASE.toAffine().x
    const yParity = secp256k1.Point.BASE.toAffine().y % 2n === 0n ? 0 : 1
    expect((await load())(word(5n), concatBytes(word(x), word(5n)), yParity)).toBeUndefined()
  })
})
