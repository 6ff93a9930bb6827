import { describe, expect, it } from 'vitest'
import { ChainConfig, type ChainConfigOptions } from '../../src/config/chainConfig.ts'
import { PosEngine } from '../../src/consensus/pos/pos.ts'
import { PowEngine } from '../../src/consensus/pow/pow.ts'
import { EngineSchedule } from '../../src/consensus/schedule.ts'
import { EMPTY_LIST_HASH } from '../../src/primitives/keccak.ts'
import type { Header } from '../../src/types/block.ts'

const first = new PowEngine()
const proofOfStake = new PosEngine()

function schedule(options: Partial<ChainConfigOptions>): EngineSchedule {
  const config = new ChainConfig({
    chainId: 1n,
    networkId: 1n,
    activations: [],
    consensus: { kind: 'ethash', fixedDifficulty: undefined },
    terminalTotalDifficulty: undefined,
    source: {},
    ...options,
  })
  return new EngineSchedule({ config, first, proofOfStake })
}

const header = (difficulty: bigint) => ({ number: 5n, timestamp: 50n, difficulty })

describe('the engine schedule', () => {
  it('hands over at the terminal total difficulty, neither before nor after', () => {
    const merge = schedule({ terminalTotalDifficulty: 1000n })
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

  it('keeps one engine where there is no merge', () => {
    expect(schedule({}).engineFor(header(0n), 5n)).toEqual({ kind: 'engine', engine: first })
    const staked = schedule({ consensus: { kind: 'proofOfStake' }, terminalTotalDifficulty: 0n })
    expect(staked.engineFor(header(0n), 17n)).toEqual({ kind: 'engine', engine: proofOfStake })
  })
})

describe('proof-of-stake headers', () => {
  const valid: Partial<Header> = {
    difficulty: 0n,
    nonce: new Uint8Array(8),
    ommersHash: EMPTY_LIST_HASH,
    extraData: new Uint8Array(32),
  }
  const verify = (change: Partial<Header>) => proofOfStake.verifyHeader({ ...valid, ...change } as Header)

  it.each([
    [{}, undefined],
    [{ difficulty: 1n }, 'invalid difficulty: 1, must be 0 under proof of stake'],
    [{ nonce: new Uint8Array(8).fill(1) }, 'invalid nonce: 0x0101010101010101, must be zero under proof of stake'],
    [{ extraData: new Uint8Array(33) }, 'invalid extra data: 33 bytes, the maximum is 32'],
  ] as const)('%o: %s', (change, reason) => expect(verify(change)).toBe(reason))

  it('allow no ommers and pay nothing', () => {
    expect(verify({ ommersHash: new Uint8Array(32) })).toMatch('invalid ommers hash')
    expect(proofOfStake.rewards()).toEqual({ staticReward: 0n, ommerInclusionReward: 0n, ommerRewards: [] })
  })
})
