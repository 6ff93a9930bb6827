// slow: ethash caches
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { installNodeCrypto } from '../../../adapters/server/crypto/crypto.ts'
import { bytesToHex, bytesToHexUnprefixed, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import { type DecodedItem, rlpDecode, rlpDecodeList, rlpSpan } from '../../../src/base/primitives/rlp.ts'
import { forkRules } from '../../../src/config/forks.ts'
import { EpochCaches } from '../../../src/consensus/pow/epochCaches.ts'
import {
  cacheBytes,
  datasetBytes,
  epochAt,
  epochSeed,
  type Hashimoto,
  hashimoto,
  lightDataset,
  makeCache,
} from '../../../src/consensus/pow/ethash.ts'
import { PowEngine, sealTarget } from '../../../src/consensus/pow/pow.ts'
import { powHash } from '../../../src/consensus/pow/powHash.ts'
import type { Header } from '../../../src/types/block.ts'
import { decodeHeader } from '../../../src/types/headerCodec.ts'
import { needsData } from '../../support/host/needsData.ts'
import { conformancePath, recordedPath } from '../../support/recorded/conformance.ts'
import { MAINNET_1000, needsChain } from '../../support/recorded/recordedChains.ts'

interface PowVector {
  readonly nonce: string
  readonly mixHash: string
  readonly header: string
  readonly seed: string
  readonly result: string
  readonly cache_size: number
  readonly full_size: number
  readonly header_hash: string
  readonly cache_hash: string
}

const vectors = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../vectors/ethereum-tests/ethash_tests.json'), 'utf8'),
) as Record<string, PowVector>

function complete(steps: Generator<number, Int32Array>): Int32Array {
  for (;;) {
    const next = steps.next()
    if (next.done) return next.value
  }
}

/** Headers of concatenated blocks. */
function headersOf(file: string): Header[] {
  const bytes = new Uint8Array(readFileSync(file))
  const headers: Header[] = []
  for (let at = 0; at < bytes.length; ) {
    const { end } = rlpSpan(bytes, at)
    const [header] = rlpDecodeList(bytes.subarray(at, end)) as [DecodedItem]
    headers.push(decodeHeader(header))
    at = end
  }
  return headers
}

const hex = ({ mixHash, result }: Hashimoto) => [bytesToHex(mixHash), bytesToHex(result)]
const options = (verifySeal: boolean) => ({
  rules: forkRules('frontier'),
  headers: { headerByHash: () => undefined },
  verifySeal,
  isOmmer: false,
})

/** Epoch 0, generated once for all tests. */
const engine = new PowEngine()

beforeAll(async () => {
  await installNodeCrypto()
})

describe('ethash', () => {
  it('sizes caches and datasets', () => {
    expect([cacheBytes(0), datasetBytes(0)]).toEqual([16_776_896, 1_073_739_904])
    expect([cacheBytes(10), datasetBytes(10)]).toEqual([18_087_488, 1_157_627_776])
  })

  it('finds epochs and seeds, including long epochs', () => {
    expect(epochAt(29_999, false).epoch).toBe(0)
    expect(epochAt(300_005, false)).toEqual({ epoch: 10, isLong: false })
    expect(epochAt(11_700_000, true)).toEqual({ epoch: 195, isLong: true })
    expect(epochSeed({ epoch: 2, isLong: false })).toEqual(keccak256(keccak256(new Uint8Array(32))))
    expect(epochSeed({ epoch: 195, isLong: true })).toEqual(epochSeed({ epoch: 390, isLong: false }))
  })

  it('computes the check value of a small cache', () => {
    const cache = complete(makeCache(1024, new Uint8Array(32)))
    const hash = hexToBytes('0xc9149cc0386e689d789a1c2f3d5d169a61a6218ed30e74414dc736e442ef3d1f')
    expect(hex(hashimoto(lightDataset(cache, 32_768), hash, new Uint8Array(8)))).toEqual([
      '0xe4073cffaef931d37117cefd9afd27ea0f1cad6a981dd2605c4a1ac97c519800',
      '0xd3539235ee2e6f8db665c0a72169f55b7f6c605712330b778ec3944f0eb5a557',
    ])
  })

  it.each(Object.entries(vectors))('agrees with the official vector "%s"', (_, vector) => {
    const header = decodeHeader(rlpDecode(hexToBytes(vector.header)))
    expect(bytesToHexUnprefixed(powHash(header))).toBe(vector.header_hash)
    expect([cacheBytes(0), datasetBytes(0)]).toEqual([vector.cache_size, vector.full_size])
    const { mixHash, result } = engine.caches.hashimoto(0, false, powHash(header), hexToBytes(vector.nonce))
    expect(bytesToHexUnprefixed(mixHash)).toBe(vector.mixHash)
    expect(bytesToHexUnprefixed(result)).toBe(vector.result)
  })

  it('generates the epoch 0 cache of the official vectors', () => {
    const cache = complete(makeCache(cacheBytes(0), new Uint8Array(32)))
    expect(bytesToHexUnprefixed(keccak256(new Uint8Array(cache.buffer)))).toBe(vectors['first']?.cache_hash)
  })

  it('reports progress, yields, and finishes a cache that is needed immediately', async () => {
    const reports: number[] = []
    const caches = new EpochCaches({ onProgress: (_, done) => reports.push(done) })
    let turns = 0
    const prepared = caches.prepare(1, false, async () => {
      turns++
    })
    const { mixHash } = caches.hashimoto(2, false, new Uint8Array(32), new Uint8Array(8))
    await prepared
    expect(mixHash).toEqual(engine.caches.hashimoto(2, false, new Uint8Array(32), new Uint8Array(8)).mixHash)
    expect(turns).toBeGreaterThan(0)
    expect(reports).toEqual([...reports].sort((a, b) => a - b))
    expect(reports.at(-1)).toBe(1)
  })
})

describe('proof-of-work headers', () => {
  it('has a target for every difficulty', () => {
    expect(sealTarget(1n)).toBe(2n ** 256n - 1n)
    expect(sealTarget(2n ** 20n)).toBe(2n ** 236n)
  })

  it('requires the fixed difficulty if there is one', () => {
    const header = decodeHeader(rlpDecode(hexToBytes(vectors['first']?.header ?? '')))
    const fixed = new PowEngine({ fixedDifficulty: 100n })
    expect(fixed.verifyHeader({ ...header, difficulty: 100n }, header, options(false))).toBeUndefined()
    expect(fixed.verifyHeader(header, header, options(false))).toMatch('invalid difficulty')
    expect(fixed.prepare({ ...header, timestamp: 5n }, header, options(false)).difficulty).toBe(100n)
  })

  const frontier = recordedPath('besu', 'frontier', 'blocks.bin')
  it('accepts the blocks of a recorded chain', () => {
    const headers = headersOf(frontier)
    expect(headers.length).toBeGreaterThan(10)
    for (let i = 1; i < headers.length; i++) {
      expect(engine.verifyHeader(headers[i] as Header, headers[i - 1] as Header, options(true))).toBeUndefined()
    }
    const [parent, child] = headers as [Header, Header]
    const forged = { ...child, nonce: new Uint8Array(8) }
    expect(engine.verifyHeader(forged, parent, options(true))).toMatch('invalid mix hash')
    expect(engine.verifyHeader(forged, parent, options(false))).toBeUndefined()
    const { rules } = options(true)
    expect(engine.verifySeal({ ...child, difficulty: 0n }, rules)).toMatch('invalid difficulty')
  })

  const mainnet = conformancePath('besu', 'mainnet-1000', 'blocks.bin')
  it('accepts the first blocks of mainnet', needsChain(MAINNET_1000), () => {
    const headers = headersOf(mainnet ?? '').slice(0, 40)
    for (let i = 1; i < headers.length; i++) {
      expect(engine.verifyHeader(headers[i] as Header, headers[i - 1] as Header, options(true))).toBeUndefined()
    }
  })

  const badSeal = conformancePath('besu', 'mainnet-1000', 'badpow.bin')
  it('refuses a recorded block with a bad seal', needsData('besu/mainnet-1000/badpow.bin'), () => {
    const [, bad] = headersOf(badSeal ?? '') as [Header, Header]
    expect(engine.verifySeal(bad, forkRules('frontier'))).toMatch(/^invalid (mix hash|proof of work)/)
  })
})
