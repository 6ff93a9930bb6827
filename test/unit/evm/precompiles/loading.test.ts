import { afterEach, describe, expect, it } from 'vitest'
import { bytesToHex, concatBytes } from '../../../../src/base/primitives/bytes.ts'
import { ModuleNotLoaded } from '../../../../src/base/primitives/lazyModule.ts'
import { forkRules } from '../../../../src/config/forks.ts'
import {
  activePrecompiles,
  installPrecompile,
  loadPrecompiles,
  precompileAddresses,
  precompileAt,
} from '../../../../src/evm/precompiles/index.ts'
import { addressOf, answer, word } from './support.ts'

const osaka = forkRules('osaka')

describe('the addresses', () => {
  it.each([
    ['frontier', 4],
    ['byzantium', 8],
    ['istanbul', 9],
    ['cancun', 10],
    ['prague', 17],
    ['osaka', 18],
    ['bpo2', 18],
    ['dieHard', 4],
    ['atlantis', 8],
    ['spiral', 9],
  ] as const)('%s has %i', (fork, count) => {
    const rules = forkRules(fork)
    const addresses = precompileAddresses(rules)
    expect(addresses).toHaveLength(count)
    expect(addresses).toEqual(activePrecompiles(rules).map(({ address }) => address))
    for (const address of addresses) expect(precompileAt(address, rules)).toBe(precompileAt(address.slice(), rules))
  })

  it('are those of the EIPs', () => {
    expect(bytesToHex(addressOf('P256VERIFY'))).toBe(`0x${'100'.padStart(40, '0')}`)
    expect(bytesToHex(addressOf('KZG_POINT_EVALUATION'))).toBe(`0x${'0a'.padStart(40, '0')}`)
    expect(precompileAt(word(0x11, 20), osaka)?.name).toBe('BLS12_MAP_FP2_TO_G2')
  })

  it('are the only ones', () => {
    for (const number of [0, 0x12, 0xff, 0x101, 0x1ff, 0x1_0001, 2n ** 159n + 1n]) {
      expect(precompileAt(word(number, 20), osaka)).toBeUndefined()
    }
    expect(precompileAt(word(0x100, 20), forkRules('prague'))).toBeUndefined()
    expect(precompileAt(word(5, 20), forkRules('homestead'))).toBeUndefined()
  })
})

/** This is the first test that runs one of these precompiles. */
describe('a library', () => {
  it('is loaded by the caller that finds it missing', async () => {
    const precompile = precompileAt(addressOf('BN254_ADD'), osaka)
    let missing: unknown
    try {
      precompile?.run(new Uint8Array(0))
    } catch (error) {
      missing = error
    }
    expect(missing).toBeInstanceOf(ModuleNotLoaded)
    expect(precompile?.gasCost(new Uint8Array(0))).toBe(150n)
    await (missing as ModuleNotLoaded).load()
    expect(precompile?.run(new Uint8Array(0))).toEqual(new Uint8Array(64))
  })

  it('is available after loading all', async () => {
    await loadPrecompiles(osaka)
    for (const address of precompileAddresses(osaka)) {
      expect(() => precompileAt(address, osaka)?.run(new Uint8Array(0))).not.toThrow()
    }
  })
})

describe('a replacement', () => {
  afterEach(() => installPrecompile('SHA256'))

  it('is refused when it computes wrong results', () => {
    expect(() => installPrecompile('SHA256', (input) => input)).toThrow('SHA256')
    expect(() => installPrecompile('BN254_ADD', () => undefined)).toThrow('BN254_ADD')
  })

  it('replaces the portable implementation, which can be restored', () => {
    const portable = precompileAt(addressOf('SHA256'), osaka)?.run
    let calls = 0
    installPrecompile('SHA256', (input) => {
      calls++
      const values = [new Uint8Array(0), new Uint8Array(64), Uint8Array.of(0x61, 0x62, 0x63)]
      const known = values.find((value) => bytesToHex(value) === bytesToHex(input))
      return known === undefined ? concatBytes(input) : digestOf(known)
    })
    const checks = calls
    expect(portable?.(Uint8Array.of(7))).toEqual(Uint8Array.of(7))
    expect(calls).toBe(checks + 1)
    installPrecompile('SHA256')
    expect(answer('SHA256', Uint8Array.of(7))?.output).toHaveLength(64)
    expect(calls).toBe(checks + 1)
  })
})

const DIGESTS: readonly (readonly [number, bigint])[] = [
  [0, 0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855n],
  [3, 0xba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015adn],
  [64, 0xf5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4bn],
]

function digestOf(input: Uint8Array): Uint8Array | undefined {
  const found = DIGESTS.find(([length]) => length === input.length)
  return found === undefined ? undefined : word(found[1])
}
