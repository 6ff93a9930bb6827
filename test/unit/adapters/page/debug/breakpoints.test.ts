import { describe, expect, it } from 'vitest'
import {
  type Breakpoint,
  nameOf,
  parseBreakpoint,
  toggled,
  whereOf,
} from '../../../../../adapters/page/views/debug/breakpoints.ts'

const ADDRESS = `0x${'ab'.repeat(20)}`
const TOPIC = `0x${'cd'.repeat(32)}`

describe('a breakpoint that a reader types', () => {
  it.each([
    ['contracts/Vault.sol:12', { line: { source: 'contracts/Vault.sol', line: 12 }, newLine: true }],
    ['C:/a b.sol:1', { line: { source: 'C:/a b.sol', line: 1 }, newLine: true }],
    [' _move ', { function: '_move' }],
    ['pc 0x10', { address: ADDRESS, pc: 16 }],
    ['PC 5', { address: ADDRESS, pc: 5 }],
    ['slot 0x2', { slot: `0x${'2'.padStart(64, '0')}` }],
    [`topic ${TOPIC}`, { topic: TOPIC }],
  ])('%s', (text, where) => {
    const breakpoint = parseBreakpoint(text, ADDRESS)
    expect(breakpoint && whereOf(breakpoint)).toEqual(where)
  })

  it.each(['', 'pc x', 'slot 2', 'topic 0x1', 'two words', 'a-b', `slot 0x${'0'.repeat(65)}`])(
    'refuses "%s"',
    (text) => {
      expect(parseBreakpoint(text, ADDRESS)).toBeUndefined()
    },
  )
})

describe('the list of breakpoints', () => {
  it('adds one, and removes it when it is given again', () => {
    const given: Breakpoint[] = [
      { kind: 'function', name: 'a' },
      { kind: 'line', path: 'A.sol', line: 1 },
      { kind: 'function', name: 'a' },
    ]
    expect(given.reduce<readonly Breakpoint[]>(toggled, []).map(nameOf)).toEqual(['A.sol:1'])
  })

  it('keeps the newest within its bound', () => {
    let list: readonly Breakpoint[] = []
    for (let pc = 0; pc < 40; pc++) list = toggled(list, { kind: 'pc', address: ADDRESS, pc })
    expect(list).toHaveLength(32)
    expect(list.at(-1)).toMatchObject({ pc: 39 })
  })
})
