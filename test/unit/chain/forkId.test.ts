import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { forkHash } from '../../../src/chain/forkId.ts'
import { type Activation, ChainConfig } from '../../../src/config/chainConfig.ts'

const GENESIS = {
  hash: hexToBytes('d4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3'),
  timestamp: 0n,
}

const ACTIVATIONS: readonly Activation[] = [
  { fork: 'homestead', block: 1_150_000n },
  { fork: 'dao', block: 1_920_000n },
  { fork: 'tangerineWhistle', block: 2_463_000n },
  { fork: 'spuriousDragon', block: 2_675_000n },
  { fork: 'byzantium', block: 4_370_000n },
  { fork: 'constantinople', block: 7_280_000n },
  { fork: 'petersburg', block: 7_280_000n },
  { fork: 'istanbul', block: 9_069_000n },
  { fork: 'muirGlacier', block: 9_200_000n },
  { fork: 'berlin', block: 12_244_000n },
  { fork: 'london', block: 12_965_000n },
  { fork: 'arrowGlacier', block: 13_773_000n },
  { fork: 'grayGlacier', block: 15_050_000n },
  { fork: 'shanghai', time: 1_681_338_455n },
]

const config = new ChainConfig({
  chainId: 1n,
  networkId: 1n,
  activations: ACTIVATIONS,
  consensus: { kind: 'ethash', fixedDifficulty: undefined },
  terminalTotalDifficulty: undefined,
  source: {},
})

describe('forkHash', () => {
  // Values for mainnet from EIP-2124 and EIP-6122.
  it.each([
    [0n, 0n, '0xfc64ec04'],
    [1_149_999n, 0n, '0xfc64ec04'],
    [1_150_000n, 0n, '0x97c2c34c'],
    [1_920_000n, 0n, '0x91d1f948'],
    [2_463_000n, 0n, '0x7a64da13'],
    [2_675_000n, 0n, '0x3edd5b10'],
    [4_370_000n, 0n, '0xa00bc324'],
    [7_280_000n, 0n, '0x668db0af'],
    [9_069_000n, 0n, '0x879d6e30'],
    [9_200_000n, 0n, '0xe029e991'],
    [12_244_000n, 0n, '0x0eb440f6'],
    [12_965_000n, 0n, '0xb715077d'],
    [13_773_000n, 0n, '0x20c327fc'],
    [15_050_000n, 0n, '0xf0afd0e3'],
    [20_000_000n, 1_681_338_455n, '0xdce96c2d'],
  ])('at block %d, time %d', (number, timestamp, expected) => {
    expect(bytesToHex(forkHash(config, GENESIS, { number, timestamp }))).toBe(expected)
  })
})

it('includes a fork that the chain refused, as geth does', () => {
  const { activations } = config.options
  const refusing = new ChainConfig({
    ...config.options,
    activations: activations.filter(({ fork }) => fork !== 'dao'),
    refusedForkBlock: 1_920_000n,
  })
  const at = { number: 15_050_000n, timestamp: 0n }
  expect(forkHash(refusing, GENESIS, at)).toEqual(forkHash(config, GENESIS, at))
})
