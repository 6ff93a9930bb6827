import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { concatBytes } from '../../../../src/base/primitives/bytes.ts'
import type { ForkName } from '../../../../src/config/forks.ts'
import { answer, expected, word } from './support.ts'

const FORKS: readonly ForkName[] = ['byzantium', 'berlin', 'osaka', 'atlantis']

function call(base: Uint8Array, exponent: Uint8Array, modulus: Uint8Array): Uint8Array {
  return concatBytes(word(base.length), word(exponent.length), word(modulus.length), base, exponent, modulus)
}

const operand = (maxLength: number) =>
  fc.oneof(
    fc.uint8Array({ maxLength }),
    fc.nat(maxLength).map((length) => new Uint8Array(length)),
    fc.nat(maxLength).map((length) => new Uint8Array(length).fill(255)),
    fc.tuple(fc.nat(maxLength), fc.nat(255)).map(([length, low]) => {
      const bytes = new Uint8Array(length)
      if (length > 0) bytes[length - 1] = low
      return bytes
    }),
  )

describe.each(FORKS)('MODEXP under %s', (fork) => {
  it('agrees for operands of any length and truncated input', async () => {
    await fc.assert(
      fc.asyncProperty(operand(140), operand(70), operand(140), fc.nat(500), async (base, exponent, modulus, cut) => {
        const input = call(base, exponent, modulus)
        const shown = cut < input.length ? input.subarray(0, input.length - cut) : input
        expect(answer('MODEXP', shown, fork)).toEqual(await expected('MODEXP', shown, fork))
      }),
      { numRuns: 150 },
    )
  })

  it('agrees for input that is shorter than its header', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 31 }), async (input) => {
        // A length of 2^200 costs more gas than exists.
        if (input.some((byte) => byte !== 0)) return
        expect(answer('MODEXP', input, fork)).toEqual(await expected('MODEXP', input, fork))
      }),
    )
  })

  it.each([
    [0, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 0, 0],
    [1023, 3, 1024],
    [1024, 1, 1],
    [1, 1024, 1],
    [64, 33, 65],
    [65, 2, 64],
  ])('agrees for lengths %i, %i, %i of ones and of zeros', async (base, exponent, modulus) => {
    for (const fill of [0, 1, 255]) {
      const filled = (length: number) => new Uint8Array(length).fill(fill)
      const input = call(filled(base), filled(exponent), filled(modulus))
      expect(answer('MODEXP', input, fork)).toEqual(await expected('MODEXP', input, fork))
    }
  })

  it.each([
    [1025, 1, 1],
    [1, 1025, 1],
    [1, 1, 1025],
    [0, 1025, 0],
  ])('agrees beyond the lengths that EIP-7823 allows: %i, %i, %i', async (base, exponent, modulus) => {
    const filled = (length: number) => new Uint8Array(length).fill(3)
    const input = call(filled(base), filled(exponent), filled(modulus))
    const ours = answer('MODEXP', input, fork)
    expect(ours).toEqual(await expected('MODEXP', input, fork))
    expect(ours === undefined).toBe(fork === 'osaka')
  })

  it('charges more gas than exists for absurd lengths', () => {
    const header = concatBytes(word(2n ** 256n - 1n), word(2n ** 256n - 1n), word(2n ** 256n - 1n))
    expect(answer('MODEXP', header, fork)).toBeUndefined()
  })
})

describe('MODEXP', () => {
  it('squares for each trailing zero of an exponent', async () => {
    const input = concatBytes(word(2), word(3000), word(9), Uint8Array.of(1, 3), Uint8Array.of(7))
    const input2 = concatBytes(
      input.subarray(0, 98),
      new Uint8Array(3000).fill(0).fill(7, 0, 1),
      word(2n ** 71n + 9n, 9),
    )
    for (const it of [input, input2])
      expect(answer('MODEXP', it, 'berlin')).toEqual(await expected('MODEXP', it, 'berlin'))
  })

  it('agrees for all kinds of small moduli with long exponents', async () => {
    const bits = fc.integer({ min: 1, max: 27 })
    const modulus = fc.oneof(
      fc.tuple(bits, fc.integer({ min: -2, max: 2 })).map(([size, offset]) => 2 ** size + offset),
      fc.nat(300),
      fc.nat(2 ** 26),
      fc.nat(5000).map((root) => root * root),
    )
    const exponent = fc.oneof(fc.uint8Array({ maxLength: 8 }), fc.uint8Array({ maxLength: 1500 }))
    await fc.assert(
      fc.asyncProperty(fc.nat(2 ** 30), exponent, modulus, async (base, bytes, small) => {
        const input = concatBytes(
          word(4),
          word(bytes.length),
          word(4),
          word(base, 4),
          bytes,
          word(Math.max(0, small), 4),
        )
        expect(answer('MODEXP', input, 'berlin')).toEqual(await expected('MODEXP', input, 'berlin'))
      }),
      { numRuns: 400, seed: 7 },
    )
  })

  it.each([
    [2n, 3n],
    [251n, 2n],
    [2n ** 16n, 2n],
    [2n ** 26n, 3n],
    [2n ** 26n - 5n, 5n],
  ])('agrees modulo %i for an exponent of zeros after its first byte', (small, base) => {
    for (const length of [1, 4, 5, 40, 700]) {
      const exponent = new Uint8Array(length)
      exponent[0] = 3
      const input = concatBytes(word(1), word(length), word(4), word(base, 1), exponent, word(small, 4))
      let power = base ** 3n % small
      for (let i = 0; i < 8 * (length - 1); i++) power = (power * power) % small
      expect(answer('MODEXP', input, 'berlin')?.output).toBe(power.toString(16).padStart(8, '0'))
    }
  })

  // EIP-198: 3^(p - 1) mod p = 1 for p = 2^256 - 2^32 - 977
  const p = 2n ** 256n - 2n ** 32n - 977n
  const fermat = call(Uint8Array.of(3), word(p - 1n), word(p))
  it.each([
    ['byzantium', 13_056n],
    ['berlin', 1360n],
    ['osaka', 4080n],
  ] as const)('the example of EIP-198 under %s', (fork, gas) => {
    expect(answer('MODEXP', fermat, fork)).toEqual({ gas, output: '1'.padStart(64, '0') })
  })
})
