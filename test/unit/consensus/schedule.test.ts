import { describe, expect, it } from 'vitest'
import type { ConsensusEngine } from '../../../src/chain/engine.ts'
import { BlockSchedule } from '../../../src/config/blockSchedule.ts'
import type { ChainConfigOptions } from '../../../src/config/chainConfig.ts'
import { parseGenesisConfig } from '../../../src/config/genesisConfig.ts'
import { createSchedule } from '../../../src/consensus/createSchedule.ts'
import { PosEngine } from '../../../src/consensus/pos.ts'
import { PowEngine } from '../../../src/consensus/pow/pow.ts'
import { EngineSchedule } from '../../../src/consensus/schedule.ts'
import { configOf } from '../../support/chains/chainConfig.ts'
import { FakeEngine } from '../../support/chains/fakeEngine.ts'

const first = new PowEngine()
const proofOfStake = new PosEngine()

function schedule(
  options: Partial<ChainConfigOptions>,
  engines: BlockSchedule<ConsensusEngine> = new BlockSchedule<ConsensusEngine>(first),
): EngineSchedule {
  return new EngineSchedule({ config: configOf(options), engines, proofOfStake })
}

const header = (difficulty: bigint, number = 5n) => ({ number, timestamp: 50n, difficulty })
const next = { number: 6n, timestamp: 60n }

describe('the engine schedule', () => {
  const merge = schedule({ terminalTotalDifficulty: 1000n, activations: [{ fork: 'london', block: 0n }] })

  it('switches exactly at the terminal total difficulty', () => {
    expect(merge.engineFor(header(10n), 999n)).toEqual({ kind: 'engine', engine: first })
    expect(merge.engineFor(header(0n), 1000n)).toEqual({ kind: 'engine', engine: proofOfStake })
    expect(merge.engineFor(header(0n), 999n)).toMatchObject({
      kind: 'invalid',
      reason: expect.stringContaining('below'),
    })
    expect(merge.engineFor(header(10n), 1000n)).toMatchObject({
      kind: 'invalid',
      reason: expect.stringContaining('has reached'),
    })
  })

  it('keeps one engine without a merge', () => {
    expect(schedule({}).engineFor(header(0n), 5n)).toEqual({ kind: 'engine', engine: first })
    const staked = schedule({ consensus: { kind: 'proofOfStake' }, terminalTotalDifficulty: 0n })
    expect(staked.engineFor(header(0n), 17n)).toEqual({ kind: 'engine', engine: proofOfStake })
  })

  it('knows engine and rules of a block that does not exist yet', () => {
    expect(merge.nextBlock(next, 999n)).toMatchObject({ engine: first, rules: { name: 'london' } })
    expect(merge.nextBlock(next, 1000n)).toMatchObject({ engine: proofOfStake, rules: { name: 'paris' } })
    expect(schedule({}).nextBlock(next, 10n ** 30n).engine).toBe(first)
    const staked = schedule({ consensus: { kind: 'proofOfStake' }, terminalTotalDifficulty: undefined })
    expect(staked.nextBlock(next, 0n)).toMatchObject({ engine: proofOfStake, rules: { name: 'paris' } })
  })

  it('follows a migration, a change of settings, and a merge after both', () => {
    const config = parseGenesisConfig(
      {
        ibft2: { blockperiodseconds: 2 },
        qbft: { startblock: 100, blockperiodseconds: 3 },
        transitions: { qbft: [{ block: 150, blockperiodseconds: 4 }], ibft2: [{ block: 50, blockperiodseconds: 1 }] },
        terminalTotalDifficulty: 180,
      },
      undefined,
    )
    const engines = config.consensus.map<ConsensusEngine>((settings) => {
      if (settings.kind !== 'ibft2' && settings.kind !== 'qbft') throw new Error(settings.kind)
      const periodSeconds = BigInt(Number(settings.options['blockperiodseconds']))
      return new FakeEngine({ name: settings.kind, finality: 'immediate', periodSeconds })
    })
    const migrated = new EngineSchedule({ config, engines, proofOfStake })
    const of = (number: bigint) => {
      const { name, periodSeconds } = migrated.claimedBy(header(1n, number)) as FakeEngine
      return `${name} ${periodSeconds}`
    }
    expect([1n, 49n, 50n, 99n, 100n, 149n, 150n, 10_000n].map(of)).toEqual([
      'ibft2 2',
      'ibft2 2',
      'ibft2 1',
      'ibft2 1',
      'qbft 3',
      'qbft 3',
      'qbft 4',
      'qbft 4',
    ])
    expect(migrated.claimedBy(header(0n, 120n))).toBe(proofOfStake)
    expect(migrated.nextBlock({ number: 100n, timestamp: 1n }, 99n).engine.name).toBe('qbft')
    expect(migrated.nextBlock({ number: 181n, timestamp: 1n }, 180n).engine).toBe(proofOfStake)
  })
})

describe('engines that a genesis configures', () => {
  const create = (section: object) => createSchedule(parseGenesisConfig(section, undefined))

  it('are created with their settings, block by block', () => {
    const consensus = create({
      ethash: { fixeddifficulty: 100 },
      transitions: { ethash: [{ block: 7, fixeddifficulty: 200 }] },
    })
    const parent = { number: 5n, difficulty: 100n, timestamp: 40n } as Parameters<PowEngine['prepare']>[1]
    const difficultyAt = (number: bigint) => {
      const { engine, rules } = consensus.nextBlock({ number, timestamp: 50n }, 0n)
      return (engine as PowEngine).prepare({ ...parent, number }, parent, { rules }).difficulty
    }
    expect([6n, 7n, 8n].map(difficultyAt)).toEqual([100n, 200n, 200n])
  })
})
