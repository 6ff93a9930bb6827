import { beforeAll, describe, expect, it } from 'vitest'
import { installNodeCrypto } from '../../../adapters/server/crypto/crypto.ts'
import { bytesToBigInt, bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import { EpochCaches } from '../../../src/consensus/pow/epochCaches.ts'
import { epochSeed } from '../../../src/consensus/pow/ethash.ts'
import { type LightCache, nonceBytes } from '../../../src/consensus/pow/lightCache.ts'
import { plainCache, smallCache } from '../../../src/consensus/pow/plainCache.ts'
import { compileHashimoto, wasmCache } from '../../../src/consensus/pow/wasmCache.ts'

const POW_HASH = hexToBytes('0xc9149cc0386e689d789a1c2f3d5d169a61a6218ed30e74414dc736e442ef3d1f')
const TEST_SIZES = { cacheBytes: 1024, datasetBytes: 32_768 }

function complete(steps: Generator<number, LightCache>): LightCache {
  for (;;) {
    const next = steps.next()
    if (next.done) return next.value
  }
}

/** Caches of the same content in WebAssembly and in JavaScript. */
function bothOf(sizes: typeof TEST_SIZES, seed: Uint8Array): readonly [LightCache, LightCache] {
  const module = compileHashimoto()
  if (module === undefined) throw new Error('the host cannot compile the module')
  return [complete(wasmCache(module, sizes, seed)), complete(plainCache(sizes, seed))]
}

beforeAll(async () => {
  await installNodeCrypto()
})

describe('hashimoto with a whole dataset', () => {
  it('has the check value of the test mode', () => {
    const caches = new EpochCaches({ isTest: true })
    const { mixHash, result } = caches.hashimoto(0, false, POW_HASH, new Uint8Array(8))
    expect(bytesToHex(mixHash)).toBe('0xe4073cffaef931d37117cefd9afd27ea0f1cad6a981dd2605c4a1ac97c519800')
    expect(bytesToHex(result)).toBe('0xd3539235ee2e6f8db665c0a72169f55b7f6c605712330b778ec3944f0eb5a557')
  })

  it('agrees with the light algorithm', () => {
    for (let epoch = 0; epoch < 4; epoch++) {
      const seed = epochSeed({ epoch, isLong: false })
      const [wasm] = bothOf(TEST_SIZES, seed)
      const small = complete(smallCache(TEST_SIZES, seed))
      for (let n = 0; n < 8; n++) {
        const nonce = nonceBytes(BigInt(n))
        expect(small.hashimoto(POW_HASH, nonce)).toEqual(wasm.hashimoto(POW_HASH, nonce))
      }
    }
  })
})

describe('hashimoto in WebAssembly', () => {
  it('agrees with the implementation in JavaScript for caches of several sizes', () => {
    for (const [i, rows] of [16, 17, 101, 4099].entries()) {
      const seed = keccak256(Uint8Array.of(i))
      const [wasm, plain] = bothOf({ cacheBytes: 64 * rows, datasetBytes: 128 * (rows * 31 + 7) }, seed)
      for (let n = 0; n < 4; n++) {
        const powHash = keccak256(Uint8Array.of(i, n))
        const nonce = keccak256(powHash).slice(0, 8)
        expect(wasm.hashimoto(powHash, nonce)).toEqual(plain.hashimoto(powHash, nonce))
      }
    }
  })

  it('finds the first valid nonce, across the end of the range of nonces', () => {
    const [wasm, plain] = bothOf(TEST_SIZES, epochSeed({ epoch: 3, isLong: false }))
    const target = hexToBytes(`0x04${'ff'.repeat(31)}`)
    for (const first of [0n, 2n ** 32n - 50n, 2n ** 64n - 20n]) {
      const found = wasm.search(POW_HASH, target, first, 400)
      expect(found).toBeDefined()
      expect(found).toEqual(plain.search(POW_HASH, target, first, 400))
      const { mixHash, result } = wasm.hashimoto(POW_HASH, found?.nonce as Uint8Array)
      expect([mixHash, result]).toEqual([found?.mixHash, found?.result])
      const exact = wasm.search(POW_HASH, result, first, 400)
      expect(bytesToBigInt(exact?.result as Uint8Array) <= bytesToBigInt(result)).toBe(true)
    }
    expect(wasm.search(POW_HASH, new Uint8Array(32), 0n, 40)).toBeUndefined()
    expect(wasm.search(POW_HASH, new Uint8Array(32).fill(255), 7n, 4)?.nonce).toEqual(nonceBytes(7n))
  })
})
