import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { concatBytes, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { installSecp256k1, signHash } from '../../../../src/base/primitives/secp256k1.ts'
import { ALL_FORKS, answer, expected, loaded, word } from './support.ts'

const bytes = (maxLength: number) => fc.uint8Array({ maxLength })
const word32 = fc.uint8Array({ minLength: 32, maxLength: 32 })

describe.each(ALL_FORKS)('hashes and copies under %s', (fork) => {
  it.each(['SHA256', 'RIPEMD160', 'ID'] as const)('%s', async (name) => {
    for (const length of [0, 1, 31, 32, 33, 55, 56, 63, 64, 65, 127, 128, 1000]) {
      const input = new Uint8Array(length).map((_, i) => i * 7 + length)
      expect(answer(name, input, fork)).toEqual(await expected(name, input, fork))
    }
  })

  it('returns a separate copy', () => {
    const input = Uint8Array.of(1, 2, 3)
    const first = answer('ID', input, fork)
    input[0] = 9
    expect(first?.output).toBe('010203')
  })
})

describe('ecrecover', () => {
  it('accepts signatures of any kind and length', async () => {
    installSecp256k1({})
    await fc.assert(
      fc.asyncProperty(word32, word32, fc.integer({ min: 0, max: 30 }), fc.nat(140), async (hash, key, v, length) => {
        if (key.every((byte) => byte === 0)) return
        const { signature, yParity } = signHash(hash, key)
        const byte = v > 28 ? v : 27 + yParity
        const input = concatBytes(hash, word(byte), signature, new Uint8Array(12)).subarray(0, v % 2 ? 128 : length)
        expect(answer('ECREC', input)).toEqual(await expected('ECREC', input))
      }),
      { numRuns: 15 },
    )
  })

  const hash = word(0x1234)
  const n = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  it.each([
    ['r = 0', 27n, 0n, 1n],
    ['s = 0', 27n, 1n, 0n],
    ['r = n', 27n, n, 1n],
    ['s = n', 28n, 1n, n],
    ['s = n - 1', 28n, 1n, n - 1n],
    ['r of no point', 27n, 5n, 1n],
    ['v of 29', 29n, 1n, 1n],
    ['v with a high byte', 27n + 256n, 1n, 1n],
    ['v with the highest byte', 27n + 2n ** 255n, 1n, 1n],
  ])('%s', async (_, v, r, s) => {
    const input = concatBytes(hash, word(v), word(r), word(s))
    expect(answer('ECREC', input)).toEqual(await expected('ECREC', input))
  })
})

describe('BLAKE2F', () => {
  beforeAll(() => loaded('BLAKE2F', new Uint8Array(213)))

  it('agrees for every length and flag', async () => {
    await fc.assert(
      fc.asyncProperty(bytes(230), fc.nat(40), fc.nat(3), async (random, rounds, flag) => {
        const whole = new Uint8Array(213)
        whole.set(random.subarray(0, 208), 4)
        whole.set(word(rounds, 4))
        whole[212] = flag
        for (const input of [whole, random]) {
          expect(answer('BLAKE2F', input)).toEqual(await expected('BLAKE2F', input))
        }
      }),
      { numRuns: 100 },
    )
  })

  it('reads a view of a larger buffer', () => {
    const input = new Uint8Array(213).fill(3)
    input.set([0, 0, 0, 12, 1])
    input[212] = 1
    const larger = new Uint8Array(300)
    larger.set(input, 17)
    expect(answer('BLAKE2F', larger.subarray(17, 230))).toEqual(answer('BLAKE2F', input))
  })

  // EIP-152, test vectors 4 to 7
  const state =
    '48c9bdf267e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d182e6ad7f520e511f6c3e2b8c68059b6bbd41fbabd9831f79217e1319cde05b'
  const message = '616263'.padEnd(256, '0')
  const counter = '03000000000000000000000000000000'
  it.each([
    [
      0,
      1,
      '08c9bcf367e6096a3ba7ca8485ae67bb2bf894fe72f36e3cf1361d5f3af54fa5d282e6ad7f520e511f6c3e2b8c68059b9442be0454267ce079217e1319cde05b',
    ],
    [
      12,
      1,
      'ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923',
    ],
    [
      12,
      0,
      '75ab69d3190a562c51aef8d88f1c2775876944407270c42c9844252c26d2875298743e7f6d5ea2f2d3e8d226039cd31b4e426ac4f2d3d666a610c2116fde4735',
    ],
    [
      1,
      1,
      'b63a380cb2897d521994a85234ee2c181b5f844d2c624c002677e9703449d2fba551b3a8333bcdf5f2f7e08993d53923de3d64fcc68c034e717b9293fed7a421',
    ],
  ])('%i rounds, flag %i', (rounds, flag, output) => {
    const input = concatBytes(word(rounds, 4), hexToBytes(state + message + counter), Uint8Array.of(flag))
    expect(answer('BLAKE2F', input)).toEqual({ gas: BigInt(rounds), output })
  })
})
