// slow: the genesis states of public networks
import { describe, expect, it } from 'vitest'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { loadNetwork, type NetworkName } from '../../../src/config/networks.ts'
import { allocRoot, genesisHash } from '../../support/chains/genesis.ts'

const MAINNET_HASH = '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3'

/** Network id, chain id, genesis hash. */
const EXPECTED: Readonly<Record<NetworkName, readonly [bigint, bigint, string | undefined]>> = {
  MAINNET: [1n, 1n, MAINNET_HASH],
  GOERLI: [5n, 5n, '0xbf7e331f7f7c1dd2e05159666b3bf8bc7a8a3a9eb1d518969eab529dd9b88c1a'],
  SEPOLIA: [11155111n, 11155111n, '0x25a5cc106eea7138acab33231d7160d69cb777ee0c2c553fcddf5138993e6dd9'],
  RINKEBY: [4n, 4n, '0x6341fd3daf94b748c72ced5a5b26028f2474f5f00d824504e4fa37a75767e177'],
  DEV: [2018n, 1337n, '0x2f2a939c2cdd8918be11a55a1e7db412861ed477ed927d8f122b55ccd0f8bbcb'],
  FUTURE_EIPS: [2022n, 2022n, undefined],
  EXPERIMENTAL_EIPS: [2023n, 2023n, undefined],
  CLASSIC: [1n, 61n, MAINNET_HASH],
  KOTTI: [6n, 6n, '0x14c2283285a88fe5fce9bf5c573ab03d6616695d717b12a127188bcacfc743c4'],
  MORDOR: [7n, 63n, '0xa68ebde7932eccb177d38d55dcc6461a019dd795a681e59b5a3e4f3a7259a3f1'],
}

describe('named networks', () => {
  it.each(Object.keys(EXPECTED) as NetworkName[])('%s has its ids and its genesis hash', async (name) => {
    const [networkId, chainId, hash] = EXPECTED[name]
    const genesis = await loadNetwork(name)
    expect(genesis.config.networkId).toBe(networkId)
    expect(genesis.config.chainId).toBe(chainId)
    const actual = genesisHash(genesis)
    if (hash !== undefined) expect(actual).toBe(hash)
  })

  it('DEV has its state root', async () => {
    expect(bytesToHex(allocRoot((await loadNetwork('DEV')).alloc))).toBe(
      '0x166ed98eea93ab2b6f6b1a425526994adc2d675bf9a0d77d600ed1e02d8f77df',
    )
  })

  it('accept another network id', async () => {
    expect((await loadNetwork('DEV', 99n)).config.networkId).toBe(99n)
  })

  it('follow their consensus', async () => {
    expect((await loadNetwork('GOERLI')).config.options.consensus).toEqual({
      kind: 'clique',
      periodSeconds: 15,
      epochLength: 30000,
    })
    expect((await loadNetwork('DEV')).config.options.consensus).toEqual({ kind: 'ethash', fixedDifficulty: 100n })
    expect((await loadNetwork('EXPERIMENTAL_EIPS')).config.options.consensus.kind).toBe('proofOfStake')
    expect((await loadNetwork('MAINNET')).config.options.terminalTotalDifficulty).toBe(58750000000000000000000n)
  })

  it('MAINNET changes its rules at its historical blocks', async () => {
    const { config } = await loadNetwork('MAINNET')
    const rulesAt = (number: bigint, timestamp: bigint, difficulty: bigint): string =>
      config.rulesAt({ number, timestamp, difficulty }).name
    expect(rulesAt(1149999n, 0n, 1n)).toBe('frontier')
    expect(rulesAt(1150000n, 0n, 1n)).toBe('homestead')
    expect(rulesAt(7280000n, 0n, 1n)).toBe('petersburg')
    expect(rulesAt(15050000n, 0n, 1n)).toBe('grayGlacier')
    expect(rulesAt(15537394n, 1663224179n, 0n)).toBe('paris')
    expect(rulesAt(17034870n, 1681338455n, 0n)).toBe('shanghai')
    expect(rulesAt(24000000n, 1767747671n, 0n)).toBe('bpo2')
  })

  it('CLASSIC requires its own block at the fork', async () => {
    const { requiredBlock, eraRounds } = (await loadNetwork('CLASSIC')).config.options
    expect(requiredBlock?.number).toBe(1920000n)
    expect(eraRounds).toBe(5000000n)
    expect((await loadNetwork('MORDOR')).config.options.eraRounds).toBe(2000000n)
  })
})
