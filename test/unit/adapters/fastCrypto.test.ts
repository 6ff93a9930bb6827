import { keccak_256, keccak_512 } from '@noble/hashes/sha3.js'
import { afterEach, describe, expect, it } from 'vitest'
import { installNodeCrypto } from '../../../adapters/server/crypto/crypto.ts'
import { loadNativeSecp256k1 } from '../../../adapters/server/crypto/nativeSecp256k1.ts'
import { installFastCrypto } from '../../../adapters/shared/fastCrypto.ts'
import { tinySecp256k1 } from '../../../adapters/shared/tinySecp256k1.ts'
import { installKeccak256, keccak256 } from '../../../src/base/primitives/keccak.ts'
import { installSecp256k1, publicKeyOf, recoverPublicKey, signHash } from '../../../src/base/primitives/secp256k1.ts'
import { installKeccak512, keccak512 } from '../../../src/consensus/pow/keccak512.ts'
import { needsTool } from '../../support/host/needs.ts'

function usePortable(): void {
  installKeccak256(keccak_256)
  installKeccak512(keccak_512)
  installSecp256k1({})
}

/** Implementations that not every machine can load. */
const FAST = [
  ['native', await loadNativeSecp256k1().catch(() => undefined)],
  ['wasm', await import('tiny-secp256k1').then(tinySecp256k1).catch(() => undefined)],
] as const

const bytes = (seed: number, length: number) =>
  Uint8Array.from({ length }, (_, i) => (seed * 31 + i * 7 + (i >> 8)) & 255)

describe('fast crypto', () => {
  afterEach(usePortable)

  it('hashes like the portable implementation, across every block boundary', async () => {
    await installNodeCrypto()
    for (const length of [0, 1, 64, 71, 72, 73, 135, 136, 137, 272, 16_383, 16_384, 16_385, 65_537, 200_000, 3]) {
      const data = bytes(length, length)
      expect(keccak256(data)).toEqual(keccak_256(data))
      expect(keccak512(data)).toEqual(keccak_512(data))
    }
  })

  it('returns a digest that later calls do not change', async () => {
    await installNodeCrypto()
    const first = keccak256(bytes(1, 10))
    const copy = first.slice()
    keccak256(bytes(2, 10))
    expect(first).toEqual(copy)
  })

  for (const [name, fast] of FAST) {
    it(`${name} secp256k1 agrees with the portable one`, needsTool(name, fast !== undefined), () => {
      for (let i = 1; i < 12; i++) {
        const hash = keccak256(bytes(i, 32))
        const key = keccak256(bytes(i + 100, 32))
        usePortable()
        const expected = signHash(hash, key)
        const otherParity = expected.yParity === 0 ? 1 : 0
        const other = recoverPublicKey(hash, expected.signature, otherParity)
        installSecp256k1(fast ?? {})
        expect(signHash(hash, key)).toEqual(expected)
        expect(recoverPublicKey(hash, expected.signature, expected.yParity)).toEqual(publicKeyOf(key))
        expect(recoverPublicKey(hash, expected.signature, otherParity)).toEqual(other)
      }
    })
  }

  it("hashes with the native EVM's module, or with hash-wasm if it is missing", async () => {
    const { keccak, nativeModule } = await installNodeCrypto()
    expect(keccak).toBe('native')
    expect(nativeModule).toBeInstanceOf(WebAssembly.Module)
    const loadCreateKeccak = async () => (await import('hash-wasm')).createKeccak
    const loadNativeModule = () => Promise.reject(new Error('compiling is forbidden'))
    const report = await installFastCrypto({ loadNativeModule, loadCreateKeccak, secp256k1: [] })
    expect(report).toMatchObject({ keccak: 'hash-wasm', nativeModule: undefined })
    expect(keccak256(bytes(1, 200))).toEqual(keccak_256(bytes(1, 200)))
  })

  it('skips candidates that do not load or compute incorrectly', async () => {
    const report = await installFastCrypto({
      loadNativeModule: () => WebAssembly.compile(new Uint8Array(3)),
      loadCreateKeccak: () => Promise.reject(new Error('missing')),
      secp256k1: [
        { name: 'broken', load: () => Promise.reject(new Error('no binary')) },
        { name: 'wrong', load: async () => ({ recoverPublicKey: () => undefined }) },
      ],
    })
    expect(report).toMatchObject({ keccak: 'noble', secp256k1: 'noble' })
    expect(keccak256(bytes(1, 3))).toEqual(keccak_256(bytes(1, 3)))
  })
})
