import { describe, expect, it } from 'vitest'
import { BlockSchedule } from '../../../src/config/blockSchedule.ts'
import { parseGenesisConfig } from '../../../src/config/genesisConfig.ts'

const BENEFICIARY = '0x00000000000000000000000000000000000000be'

describe('a block schedule', () => {
  const schedule = new BlockSchedule('a', [
    { block: 3n, value: 'b' },
    { block: 4n, value: 'c' },
    { block: 9n, value: 'd' },
  ])

  it('finds the value of every block', () => {
    const values = Array.from({ length: 12 }, (_, i) => schedule.at(BigInt(i)))
    expect(values.join('')).toBe('aaabcccccddd')
    expect(new BlockSchedule('only').at(10n ** 18n)).toBe('only')
    expect(schedule.map((value, block) => `${value}${block}`).at(5n)).toBe('c4')
  })

  it('requires ascending blocks above 0', () => {
    const twice = [1n, 1n].map((block) => ({ block, value: '' }))
    expect(() => new BlockSchedule('', twice)).toThrow(RangeError)
    expect(() => new BlockSchedule('', [{ block: 0n, value: '' }])).toThrow(RangeError)
  })
})

describe('transitions of a genesis file', () => {
  const entries = (section: object) => parseGenesisConfig(section, undefined).consensus.entries

  it('change the named settings from their block onwards', () => {
    const transitions = {
      clique: [
        { block: 20, createemptyblocks: false },
        { block: '0xa', BlockPeriodSeconds: 2 },
      ],
    }
    expect(entries({ clique: { period: 5, epoch: 9 }, transitions })).toEqual([
      { block: 0n, value: { kind: 'clique', periodSeconds: 5, epochLength: 9 } },
      { block: 10n, value: { kind: 'clique', periodSeconds: 2, epochLength: 9 } },
      { block: 20n, value: { kind: 'clique', periodSeconds: 2, epochLength: 9, createsEmptyBlocks: false } },
    ])
  })

  it('take part in a migration: earlier ones determine its first settings, those after its end are omitted', () => {
    const section = {
      ibft2: { epochlength: 7 },
      qbft: { startblock: 100, epochlength: 8 },
      transitions: {
        ibft2: [{ block: 100, blockreward: '5' }],
        qbft: [
          { block: 40, blockreward: '1' },
          { block: 100, miningbeneficiary: BENEFICIARY },
          { block: 101, blockreward: '2' },
        ],
      },
    }
    const start = { startblock: 100, epochlength: 8, blockreward: '1', miningbeneficiary: BENEFICIARY }
    expect(entries(section)).toMatchObject([
      { block: 0n, value: { kind: 'ibft2', options: { epochlength: 7 } } },
      { block: 100n, value: { kind: 'qbft', options: start } },
      { block: 101n, value: { kind: 'qbft', options: { ...start, blockreward: '2' } } },
    ])
  })

  it.each([
    [[{ block: 0 }], 'Transition cannot be created for genesis block'],
    [[{ block: 5 }, { block: 5 }], 'Duplicate transitions cannot be created for the same block'],
    [[{}], 'Invalid genesis block configuration, transitions.qbft[0].block is missing'],
    [[7], 'Invalid genesis block configuration, transitions.qbft[0] must be an object'],
    [{}, 'Invalid genesis block configuration, transitions.qbft must be an array'],
  ])('%o: %s', (qbft, message) => {
    expect(() => entries({ qbft: {}, transitions: { qbft } })).toThrow(
      expect.objectContaining({ code: 'INVALID_GENESIS', message }),
    )
  })
})
