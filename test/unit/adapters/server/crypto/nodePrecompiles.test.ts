import { p256 } from '@noble/curves/nist.js'
import fc from 'fast-check'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createP256Verify } from '../../../../../adapters/server/crypto/p256.ts'
import { installNodePrecompiles } from '../../../../../adapters/server/crypto/precompiles.ts'
import { concatBytes } from '../../../../../src/base/primitives/bytes.ts'
import { forkRules } from '../../../../../src/config/forks.ts'
import { installPrecompile, loadPrecompiles } from '../../../../../src/evm/precompiles/index.ts'
import { isDeno } from '../../../../support/host/runtime.ts'
import { type Answer, answer, word } from '../../../evm/precompiles/support.ts'

const NAMES = ['SHA256', 'RIPEMD160', 'BLAKE2F', 'P256VERIFY'] as const

function usePortable(): void {
  for (const name of NAMES) installPrecompile(name)
}

function onBoth(name: (typeof NAMES)[number], input: Uint8Array): [Answer, Answer] {
  usePortable()
  const portable = answer(name, input)
  installNodePrecompiles()
  return [answer(name, input), portable]
}

describe('precompiles of the host', () => {
  beforeAll(() => loadPrecompiles(forkRules('osaka')))
  afterEach(usePortable)

  it('hash like the portable ones', () => {
    for (const length of [0, 1, 55, 56, 63, 64, 65, 1000, 100_000]) {
      const input = new Uint8Array(length).map((_, i) => i * 31 + (i >> 8))
      for (const name of ['SHA256', 'RIPEMD160'] as const) {
        const [fast, portable] = onBoth(name, input)
        expect(fast).toEqual(portable)
      }
    }
  })

  it('compress like the portable one', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 213, maxLength: 213 }), fc.nat(60), fc.nat(2), (input, rounds, flag) => {
        input.set(word(rounds, 4))
        input[212] = flag
        for (const shown of [input, input.subarray(1)]) {
          const [fast, portable] = onBoth('BLAKE2F', shown)
          expect(fast).toEqual(portable)
        }
      }),
    )
  })

  it('compress like the portable one over many rounds', () => {
    const input = new Uint8Array(213).map((_, i) => (i < 212 ? i * 31 : 1))
    for (const rounds of [9999, 10_000, 10_001, 20_000, 25_003]) {
      input.set(word(BigInt(rounds), 4))
      const [fast, portable] = onBoth('BLAKE2F', input)
      expect(fast).toEqual(portable)
    }
  })

  it('are all available on this host', () => {
    const expected = isDeno ? NAMES.filter((name) => name !== 'P256VERIFY') : NAMES
    expect(installNodePrecompiles()).toEqual(expected)
  })

  const order = p256.Point.Fn.ORDER
  const edges = fc.constantFrom(0n, 1n, 2n, order - 1n, order, order + 1n, 2n ** 256n - 1n)
  const scalar = fc.oneof(edges, fc.bigInt(0n, 2n ** 256n - 1n))

  it('verify like the portable one', () => {
    fc.assert(
      fc.property(scalar, fc.bigInt(1n, order - 1n), fc.nat(160), edges, (hash, key, change, edge) => {
        const signature = p256.sign(word(hash), word(key), { prehash: false, lowS: false })
        const good = concatBytes(word(hash), signature, p256.getPublicKey(word(key), false).subarray(1))
        const flipped = good.slice()
        flipped[change % 160] = (flipped[change % 160] as number) ^ 1
        const replaced = good.slice()
        replaced.set(word(edge), 32 * (change % 5))
        for (const input of [good, flipped, replaced, good.subarray(0, change)]) {
          const [fast, portable] = onBoth('P256VERIFY', input)
          expect(fast).toEqual(portable)
        }
        expect(answer('P256VERIFY', good)?.output).toHaveLength(64)
      }),
      { numRuns: 15 },
    )
  })

  it('verify when an inner sum is a doubling or infinity', () => {
    const { BASE, Fn } = p256.Point
    const hash = 0x1234n
    const nonce = 777n
    const r = BASE.multiply(nonce).toAffine().x % order
    const key = Fn.mul(hash, Fn.inv(r))
    const s = Fn.mul(Fn.inv(nonce), Fn.add(hash, Fn.mul(r, key)))
    const verify = createP256Verify()
    for (const [d, output] of [
      [key, 1],
      [order - key, 0],
    ] as const) {
      const publicKey = BASE.multiply(d).toBytes(false).subarray(1)
      expect(verify(concatBytes(word(hash), word(r), word(s), publicKey))).toHaveLength(32 * output)
    }
  })
})
