/** Vectors of EIP-2124 and EIP-6122, and the published identifiers of each network. */
import { describe, expect, it } from 'vitest'
import { bytesToHexUnprefixed, hexToBytes } from '../../../../src/base/primitives/bytes.ts'
import { type Activation, ChainConfig } from '../../../../src/config/chainConfig.ts'
import { loadNetwork, type NetworkName } from '../../../../src/config/networks.ts'
import { ForkFilter } from '../../../../src/net/protocols/forkId.ts'
import { configOf } from '../../../support/chains/chainConfig.ts'
import { genesisHash } from '../../../support/chains/genesis.ts'

const MAINNET_GENESIS = {
  hash: hexToBytes('d4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3'),
  timestamp: 0n,
}
const MAX = 2n ** 64n - 1n

const BLOCKS: readonly Activation[] = [
  { fork: 'homestead', block: 1_150_000n },
  { fork: 'dao', block: 1_920_000n },
  { fork: 'tangerineWhistle', block: 2_463_000n },
  { fork: 'spuriousDragon', block: 2_675_000n },
  { fork: 'byzantium', block: 4_370_000n },
  { fork: 'constantinople', block: 7_280_000n },
  { fork: 'petersburg', block: 7_280_000n },
]
const TO_GRAY_GLACIER: readonly Activation[] = [
  ...BLOCKS,
  { fork: 'istanbul', block: 9_069_000n },
  { fork: 'muirGlacier', block: 9_200_000n },
  { fork: 'berlin', block: 12_244_000n },
  { fork: 'london', block: 12_965_000n },
  { fork: 'arrowGlacier', block: 13_773_000n },
  { fork: 'grayGlacier', block: 15_050_000n },
]

const filterOf = (activations: readonly Activation[]): ForkFilter =>
  new ForkFilter(new ChainConfig({ ...configOf().options, activations }), MAINNET_GENESIS)

const PETERSBURG = filterOf(BLOCKS)
const GRAY_GLACIER = filterOf(TO_GRAY_GLACIER)
const WITHDRAWALS = filterOf([
  ...TO_GRAY_GLACIER,
  { fork: 'paris', block: 18_000_000n },
  { fork: 'shanghai', time: 1_668_000_000n },
])
const SHANGHAI = filterOf([...TO_GRAY_GLACIER, { fork: 'shanghai', time: 1_681_338_455n }])

const id = (hash: string, next: bigint) => ({ hash: hexToBytes(hash), next })
const at = (number: number, timestamp: number) => ({ number: BigInt(number), timestamp: BigInt(timestamp) })

describe('announced identifiers', () => {
  it.each([
    [0, 0, 'fc64ec04', 1150000],
    [1149999, 0, 'fc64ec04', 1150000],
    [1150000, 0, '97c2c34c', 1920000],
    [1919999, 0, '97c2c34c', 1920000],
    [1920000, 0, '91d1f948', 2463000],
    [2463000, 0, '7a64da13', 2675000],
    [2675000, 0, '3edd5b10', 4370000],
    [4370000, 0, 'a00bc324', 7280000],
    [7280000, 0, '668db0af', 9069000],
    [9069000, 0, '879d6e30', 9200000],
    [9200000, 0, 'e029e991', 12244000],
    [12244000, 0, '0eb440f6', 12965000],
    [12965000, 0, 'b715077d', 13773000],
    [13773000, 0, '20c327fc', 15050000],
    [15050000, 0, 'f0afd0e3', 18000000],
    [18000000, 0, '4fb8a872', 1668000000],
    [20000000, 0, '4fb8a872', 1668000000],
    [20000000, 1668000000, 'c1fdf181', 0],
    [20000000, 2668000000, 'c1fdf181', 0],
  ])('EIP-6122: at block %d and time %d', (number, time, hash, next) => {
    expect(WITHDRAWALS.current(at(number, time))).toEqual(id(hash, BigInt(next)))
  })

  const NETWORKS: readonly [NetworkName, readonly [block: number, time: number, hash: string, next: number][]][] = [
    [
      'MAINNET',
      [
        [15050000, 0, 'f0afd0e3', 1681338455],
        [20000000, 1681338455, 'dce96c2d', 1710338135],
        [20000000, 1710338135, '9f3d2254', 1746612311],
        [20000000, 1746612311, 'c376cf8b', 1764798551],
      ],
    ],
    [
      'GOERLI',
      [
        [0, 0, 'a3f5ab08', 1561651],
        [1561651, 0, 'c25efa5c', 4460644],
        [4460644, 0, '757a1c47', 5062605],
        [5062605, 0, 'b8c6299d', 1678832736],
        [6000000, 1678832736, 'f9843abf', 1705473120],
      ],
    ],
    [
      'SEPOLIA',
      [
        [0, 0, 'fe3366e7', 1735371],
        [1735370, 0, 'fe3366e7', 1735371],
        [1735371, 0, 'b96cbd13', 1677557088],
        [1735372, 1677557088, 'f7f9bc08', 1706655072],
        [1735372, 1706655072, '88cf81d9', 1741159776],
        [1735372, 1741159776, 'ed88b5fd', 1760427360],
      ],
    ],
    [
      'RINKEBY',
      [
        [0, 0, '3b8e0691', 1],
        [1, 0, '60949295', 2],
        [2, 0, '8bde40dd', 3],
        [3, 0, 'cb3a64bb', 1035301],
        [1035301, 0, '8d748b57', 3660663],
        [3660663, 0, 'e49cab14', 4321234],
        [4321234, 0, 'afec6b27', 5435345],
        [5435345, 0, 'cbdb8838', 8290928],
        [8290928, 0, '6910c8bd', 8897988],
        [8897988, 0, '8e29f2f3', 0],
      ],
    ],
    [
      'CLASSIC',
      [
        [0, 0, 'fc64ec04', 1150000],
        [1150000, 0, '97c2c34c', 2500000],
        [2500000, 0, 'db06803f', 3000000],
        [3000000, 0, 'aff4bed4', 5000000],
        [5000000, 0, 'f79a63c0', 5900000],
        [5900000, 0, '744899d6', 8772000],
        [8772000, 0, '518b59c6', 9573000],
        [9573000, 0, '7ba22882', 10500839],
        [10500839, 0, '9007bfcc', 11700000],
        [11700000, 0, 'db63a1ca', 13189133],
        [13189133, 0, '0f6bf187', 14525000],
        [14525000, 0, '7fd1bb25', 19250000],
        [19250000, 0, 'be46d57c', 0],
      ],
    ],
    [
      'MORDOR',
      [
        [0, 0, '175782aa', 301243],
        [301243, 0, '604f6ee1', 999983],
        [999983, 0, 'f42f5539', 2520000],
        [2520000, 0, '66b5c286', 3985893],
        [3985893, 0, '92b323e0', 5520000],
        [5520000, 0, '8c9b1797', 9957000],
        [9957000, 0, '3a6b00d7', 0],
      ],
    ],
    [
      'KOTTI',
      [
        [0, 0, '0550152e', 716617],
        [716617, 0, 'a3270822', 1705549],
        [1705549, 0, '8f3698e0', 2200013],
        [2200013, 0, '6f402821', 4368634],
      ],
    ],
  ]
  it.each(NETWORKS)('%s', async (name, cases) => {
    const genesis = await loadNetwork(name)
    const hash = hexToBytes(genesisHash(genesis))
    const filter = new ForkFilter(genesis.config, { hash, timestamp: genesis.fields.timestamp })
    const announced = cases.map(([number, time]) => {
      const current = filter.current(at(number, time))
      return [number, time, bytesToHexUnprefixed(current.hash), Number(current.next)]
    })
    expect(announced).toEqual(cases)
  })
})

const STALE = 'remoteStale'
const OTHER = 'incompatible'
type Case = readonly [block: number, time: number, hash: string, next: bigint, expected: string | undefined]

describe('EIP-2124: validation of remote identifiers by a chain with block forks', () => {
  it.each<Case>([
    [7987396, 0, '668db0af', 0n, undefined],
    [7987396, 0, '668db0af', MAX, undefined],
    [7279999, 0, 'a00bc324', 0n, undefined],
    [7279999, 0, 'a00bc324', 7280000n, undefined],
    [7279999, 0, 'a00bc324', MAX, undefined],
    [7987396, 0, 'a00bc324', 7280000n, undefined],
    [7987396, 0, '3edd5b10', 4370000n, undefined],
    [7279999, 0, '668db0af', 0n, undefined],
    [4369999, 0, 'a00bc324', 0n, undefined],
    [7987396, 0, 'a00bc324', 0n, STALE],
    [7987396, 0, '5cddc0e1', 0n, OTHER],
    [7279999, 0, '5cddc0e1', 0n, OTHER],
    [7987396, 0, 'afec6b27', 0n, OTHER],
    [88888888, 0, '668db0af', 88888888n, OTHER],
    [7279999, 0, 'a00bc324', 7279999n, OTHER],
  ])('at block %d, time %d: %s, next %d', (number, time, hash, next, expected) => {
    expect(PETERSBURG.mismatch(at(number, time), id(hash, next))).toBe(expected)
  })
})

describe('EIP-6122: validation of remote identifiers by a chain with forks by time', () => {
  it.each<Case>([
    [20000000, 1668000001, 'c1fdf181', 0n, undefined],
    [20000000, 1668000001, 'c1fdf181', MAX, undefined],
    [7279999, 1667999999, 'a00bc324', 0n, undefined],
    [7279999, 1667999999, 'a00bc324', 7280000n, undefined],
    [7279999, 1667999999, 'a00bc324', MAX, undefined],
    [20000000, 1668000000, 'a00bc324', 7280000n, undefined],
    [20000000, 1668000001, 'a00bc324', 7280000n, undefined],
    [20000000, 1668000001, '3edd5b10', 4370000n, undefined],
    [7279999, 1667999999, '668db0af', 0n, undefined],
    [4369999, 1667999999, 'a00bc324', 0n, undefined],
    [20000000, 1668000001, 'a00bc324', 0n, STALE],
    [20000000, 1668000001, '5cddc0e1', 0n, OTHER],
    [20000000, 1668000001, 'afec6b27', 0n, OTHER],
    [88888888, 1668000001, 'f0afd0e3', 88888888n, STALE],
    [20000000, 1668000001, 'a00bc324', 7279999n, STALE],
  ])('at block %d, time %d: %s, next %d', (number, time, hash, next, expected) => {
    expect(WITHDRAWALS.mismatch(at(number, time), id(hash, next))).toBe(expected)
  })

  it.each<Case>([
    [15050000, 0, 'f0afd0e3', 0n, undefined],
    [15050000, 0, 'f0afd0e3', 1681338455n, undefined],
    [15050000, 0, 'f0afd0e3', MAX, undefined],
    [20000000, 1681338455, 'f0afd0e3', 1681338455n, undefined],
    [20000000, 1681338455, '20c327fc', 15050000n, undefined],
    [15050000, 0, 'dce96c2d', 0n, undefined],
    [13773000, 0, 'f0afd0e3', 0n, undefined],
    [20000000, 1681338455, 'f0afd0e3', 0n, STALE],
    [888888888, 1660000000, 'f0afd0e3', 1660000000n, OTHER],
    [19999999, 1667999999, 'f0afd0e3', 1667999999n, OTHER],
    [20000000, 1681338455, 'dce96c2d', MAX, undefined],
  ])('up to Shanghai, at block %d, time %d: %s, next %d', (number, time, hash, next, expected) => {
    expect(SHANGHAI.mismatch(at(number, time), id(hash, next))).toBe(expected)
  })

  it('refuses a fork that this chain has passed without it', () => {
    expect(GRAY_GLACIER.mismatch(at(88888888, 0), id('f0afd0e3', 88888888n))).toBe(OTHER)
  })
})
