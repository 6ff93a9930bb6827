import { describe, expect, it } from 'vitest'
import { webRandom } from '../../../adapters/shared/webPorts.ts'
import { bytesToHex } from '../../../src/base/primitives/bytes.ts'
import { type DevFork, devGenesis, type GenesisJson } from '../../../src/config/devGenesis.ts'
import { parseGenesis } from '../../../src/config/genesisFile.ts'
import { defaultOptions } from '../../../src/config/options.ts'
import { BFT_DIGEST } from '../../../src/consensus/bft/rules.ts'
import { createSchedule } from '../../../src/consensus/createSchedule.ts'
import { forkedDevChain, keptFork, storedForkStart } from '../../../src/dev/forkedChain.ts'
import { genesisHeader } from '../../../src/types/genesisHeader.ts'

const ROOT = new Uint8Array(32).fill(7)

function startOf(chainId: bigint, fork: DevFork, changes: object = {}) {
  const header = { ...genesisHeader(parseGenesis(devGenesis({ fork, timestamp: 1_780_000_000 })), ROOT), ...changes }
  return { chainId, header, hash: new Uint8Array(32).fill(9), totalDifficulty: 5n, size: 600 }
}

const noRules = { random: webRandom, rulesOf: async () => ({}) }
const options = defaultOptions(true)

describe('a dev chain on a block of another chain', () => {
  it.each<[DevFork, string]>([
    ['BERLIN', 'berlin'],
    ['LONDON', 'london'],
    ['SHANGHAI', 'shanghai'],
    ['CANCUN', 'cancun'],
    ['PRAGUE', 'prague'],
    ['OSAKA', 'prague'],
  ])('has the rules that the header of %s shows: %s', async (fork, name) => {
    const start = startOf(4242n, fork, fork === 'LONDON' ? { difficulty: 1n } : {})
    const { genesis } = await forkedDevChain(start, options, noRules)
    expect(genesis.config.rulesAt({ ...start.header, number: 1n }).name).toBe(name)
    expect(genesis.config.chainId).toBe(4242n)
  })

  it('has the rules that the remote says, and the deposit contract', async () => {
    const depositContract = `0x${'12'.repeat(20)}`
    const rulesOf = async () => ({ fork: 'OSAKA' as const, depositContract })
    const start = startOf(4242n, 'PRAGUE')
    const { genesis } = await forkedDevChain(start, options, { random: webRandom, rulesOf })
    expect(genesis.config.rulesAt(start.header).name).toBe('osaka')
    expect(genesis.config.options.depositContractAddress).toEqual(new Uint8Array(20).fill(0x12))
  })

  it('has the rules of a public network, by its chain id', async () => {
    const start = startOf(1n, 'PRAGUE', { number: 25_000_000n })
    const { config } = (await forkedDevChain(start, options, noRules)).genesis
    expect(config.rulesAt(start.header).name).toBe('bpo2')
    expect(config.rulesAt({ number: 13_000_000n, timestamp: 0n, difficulty: 1n }).name).toBe('london')
    expect(config.isProofOfStake(start.header)).toBe(true)
  })

  it.each([1n, 4n, 5n, 61n])('seals at once on the network %s before the merge, or without it', async (chainId) => {
    const start = startOf(chainId, 'LONDON', { number: 13_000_000n, timestamp: 1_630_000_000n, difficulty: 7n })
    const { config } = (await forkedDevChain(start, options, noRules)).genesis
    expect(config.consensus.at(13_000_001n).kind).toBe('instant')
  })

  it.each([1n, 4242n])('gives the rewards of proof of work to the blocks of chain %s below it', async (chainId) => {
    const start = startOf(chainId, 'LONDON', { number: 13_000_000n, timestamp: 1_630_000_000n, difficulty: 7n })
    const { config } = (await forkedDevChain(start, options, noRules)).genesis
    const schedule = createSchedule(config)
    const rewardOf = (number: bigint): bigint => {
      const header = { ...start.header, number }
      return schedule.claimedBy(header).rewards({ header, ommers: [] }, config.rulesAt(header)).staticReward
    }
    expect(rewardOf(13_000_000n)).toBe(2n * 10n ** 18n)
    expect(rewardOf(13_000_001n)).toBe(0n)
  })

  it('has the rules of the genesis file of the chain', async () => {
    const start = startOf(4242n, 'LONDON', { number: 10n, difficulty: 7n })
    const config = { chainId: 4242, homesteadBlock: 0, byzantiumBlock: 4, berlinBlock: 8, londonBlock: 10, ethash: {} }
    const { genesis } = await forkedDevChain(start, options, { ...noRules, config })
    const rulesAt = (number: bigint) => genesis.config.rulesAt({ number, timestamp: 0n, difficulty: 7n }).name
    expect([3n, 4n, 9n, 10n, 11n].map(rulesAt)).toEqual(['homestead', 'byzantium', 'berlin', 'london', 'london'])
    expect(genesis.config.consensus.at(11n).kind).toBe('instant')
  })

  it('gives fees and rewards of a BFT chain to those whom its genesis file names', async () => {
    const start = startOf(4242n, 'LONDON', { number: 10n, difficulty: 1n, mixHash: BFT_DIGEST })
    const [first, second] = ['aa', 'bb'].map((digits) => `0x${digits.repeat(20)}`)
    const config = {
      chainId: 4242,
      berlinBlock: 0,
      londonBlock: 0,
      qbft: { blockPeriodSeconds: 1, blockReward: '5', miningBeneficiary: first },
      transitions: {
        qbft: [
          { block: 7, miningBeneficiary: second },
          { block: 11, miningBeneficiary: first },
        ],
      },
    }
    const { genesis } = await forkedDevChain(start, options, { ...noRules, config })
    const schedule = createSchedule(genesis.config)
    const of = (number: bigint) => {
      const header = { ...start.header, number }
      const engine = schedule.claimedBy(header)
      const { staticReward } = engine.rewards({ header, ommers: [] }, genesis.config.rulesAt(header))
      return [bytesToHex(engine.author(header)), staticReward]
    }
    expect([6n, 7n, 10n].map(of)).toEqual([
      [first, 5n],
      [second, 5n],
      [second, 5n],
    ])
    expect(of(11n)).toEqual([bytesToHex(start.header.beneficiary), 0n])
  })

  it.each<[string, object, string]>([
    ['of Clique', { difficulty: 2n, extraData: new Uint8Array(32 + 20 + 65) }, 'clique'],
    ['of BFT', { difficulty: 1n, extraData: new Uint8Array(200), mixHash: new Uint8Array(32).fill(1) }, 'instant'],
  ])('gives no rewards to blocks that signers %s made', async (_, fields, kind) => {
    const start = startOf(4242n, 'LONDON', { number: 10n, ...fields })
    const { config } = (await forkedDevChain(start, options, noRules)).genesis
    expect(config.consensus.at(10n).kind).toBe(kind)
    expect(config.consensus.at(11n).kind).toBe('instant')
  })

  it('does not take a private chain for the public network with its chain id', async () => {
    const { config } = (await forkedDevChain(startOf(1n, 'CANCUN', { number: 34n }), options, noRules)).genesis
    expect(config.rulesAt(startOf(1n, 'CANCUN', { number: 34n }).header).name).toBe('cancun')
  })

  it('seals at once on a network that had signers before the merge', async () => {
    const { config } = (
      await forkedDevChain(
        startOf(5n, 'SHANGHAI', { number: 10_000_000n, timestamp: 1_700_000_000n }),
        options,
        noRules,
      )
    ).genesis
    expect(config.options.consensus.kind).toBe('instant')
  })

  it('is found again in its stored genesis', async () => {
    const start = startOf(4242n, 'CANCUN')
    const { text, wallet } = await forkedDevChain(start, options, noRules)
    const json = JSON.parse(text) as GenesisJson
    expect(storedForkStart(json)).toEqual(start)
    expect(keptFork(json).wallet).toEqual(wallet)
    const again = await forkedDevChain(start, options, noRules, keptFork(json))
    expect(again.text).toBe(text)
    expect(storedForkStart(devGenesis())).toBeUndefined()
  })
})
