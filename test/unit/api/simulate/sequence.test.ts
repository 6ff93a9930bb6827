import { describe, expect, it } from 'vitest'
import { NO_BLOCK_OVERRIDES } from '../../../../src/api/calls/overrides.ts'
import { placeBlocks } from '../../../../src/api/simulate/sequence.ts'
import type { Header } from '../../../../src/types/block.ts'

const base = { number: 54n, timestamp: 540n } as Header

const block = (number?: bigint, time?: bigint) => ({
  blockOverrides: { ...NO_BLOCK_OVERRIDES, number, time },
  stateOverrides: [],
  calls: [],
})

const places = (...blocks: ReturnType<typeof block>[]) =>
  placeBlocks(base, blocks).map(({ number, timestamp }) => [number, timestamp])

const errorOf = (...blocks: ReturnType<typeof block>[]): unknown => {
  try {
    placeBlocks(base, blocks)
    return undefined
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe('placeBlocks', () => {
  it('continues in steps of twelve seconds', () => {
    expect(places(block(), block())).toEqual([
      [55n, 552n],
      [56n, 564n],
    ])
  })

  it('fills gaps with empty blocks', () => {
    expect(places(block(57n), block(undefined, 1000n))).toEqual([
      [55n, 552n],
      [56n, 564n],
      [57n, 576n],
      [58n, 1000n],
    ])
  })

  it('refuses numbers and times that do not increase', () => {
    expect(errorOf(block(60n), block(60n))).toBe('SIMULATION_BLOCK_NUMBER')
    expect(errorOf(block(54n))).toBe('SIMULATION_BLOCK_NUMBER')
    expect(errorOf(block(undefined, 540n))).toBe('SIMULATION_BLOCK_TIMESTAMP')
    expect(errorOf(block(59n, 550n))).toBe('SIMULATION_BLOCK_TIMESTAMP')
  })

  it('refuses more than 256 blocks, including gaps', () => {
    expect(errorOf(block(54n + 256n))).toBeUndefined()
    expect(errorOf(block(54n + 257n))).toBe('SIMULATION_TOO_LARGE')
  })
})
