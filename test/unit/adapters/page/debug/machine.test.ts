import { describe, expect, it } from 'vitest'
import { disassemble } from '../../../../../adapters/page/views/address/contract/disassemble.ts'
import { jumpTargets } from '../../../../../adapters/page/views/debug/jumpTargets.ts'
import { accessesOf } from '../../../../../adapters/page/views/debug/slotAccesses.ts'
import type { Step } from '../../../../../adapters/page/views/debug/types.ts'

describe('targets of the dispatcher', () => {
  it('have the selector that leads to them', () => {
    // DUP1 PUSH4 EQ PUSH2 JUMPI, with both orders of the comparison
    const code = '0x8063a9059cbb14610100578063aabbccdd811461020057'
    expect([...jumpTargets(disassemble(code))]).toEqual([
      [0x100, '0xa9059cbb'],
      [0x200, '0xaabbccdd'],
    ])
  })

  it('are not where nothing is compared', () => {
    // The dispatcher halves its list by GT.
    expect(jumpTargets(disassemble('0x8063a9059cbb1161010057')).size).toBe(0)
    expect(jumpTargets(disassemble('0x63a9059cbb')).size).toBe(0)
  })
})

describe('accesses to slots', () => {
  const cache = { frame: () => undefined }
  const access = (op: string, gasCost: number) => {
    const step: Step = {
      index: 1,
      pc: 0,
      op,
      gas: 1,
      gasCost,
      depth: 1,
      frame: 0,
      refund: 0,
      storage: { '0x1': '0x2' },
    }
    return accessesOf(step, cache)[0]
  }

  it.each([
    ['SLOAD', 2100, 'cold'],
    ['SLOAD', 100, 'warm'],
    ['SSTORE', 22_100, 'cold'],
    ['SSTORE', 5000, 'cold'],
    ['SSTORE', 2200, 'cold'],
    ['SSTORE', 20_000, 'warm'],
    ['SSTORE', 2900, 'warm'],
    // before EIP-2929
    ['SLOAD', 800, undefined],
  ])('%s for %d gas: %s', (op, gasCost, warmth) => {
    expect(access(op, gasCost)).toMatchObject({ isWrite: op === 'SSTORE', isTransient: false, warmth })
  })

  it('know transient storage', () => {
    expect(access('TSTORE', 100)).toMatchObject({ isWrite: true, isTransient: true, warmth: undefined })
  })
})
