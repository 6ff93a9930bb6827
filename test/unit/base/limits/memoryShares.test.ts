import { describe, expect, it } from 'vitest'
import {
  budgetBytes,
  defaultMemoryTarget,
  MAIN_SHARES,
  MIN_MEMORY_BYTES,
  memoryBudget,
  type ShareName,
  THREAD_SHARES,
} from '../../../../src/base/limits/memoryShares.ts'

const MIB = 1024 * 1024
const GIB = 1024 * MIB

describe('the memory budget', () => {
  it.each([MIN_MEMORY_BYTES, 200 * MIB, 256 * MIB, 512 * MIB, GIB, 2 * GIB, 4 * GIB, 64 * GIB])(
    'of %i bytes is not exceeded by its shares, which lie between their bounds',
    (target) => {
      for (const wanted of [0, 1, 3, 8]) {
        const budget = memoryBudget(target, wanted)
        expect(budgetBytes(budget)).toBeLessThanOrEqual(target)
        expect(budget.threads).toBeLessThanOrEqual(wanted)
        for (const name of Object.keys(MAIN_SHARES) as ShareName[]) {
          expect(budget.main[name]).toBeGreaterThanOrEqual(MAIN_SHARES[name].min)
          expect(budget.main[name]).toBeLessThanOrEqual(MAIN_SHARES[name].max)
          expect(budget.thread[name]).toBeGreaterThanOrEqual(THREAD_SHARES[name].min)
          expect(budget.thread[name]).toBeLessThanOrEqual(THREAD_SHARES[name].max)
        }
      }
    },
  )

  it('is used up unless every share has reached its bound', () => {
    expect(budgetBytes(memoryBudget(512 * MIB, 3))).toBeGreaterThan(512 * MIB - 100)
    expect(memoryBudget(64 * GIB, 8).main.nodes).toBe(MAIN_SHARES.nodes.max)
  })

  it('has at least one thread, and more when there is room for them', () => {
    expect(memoryBudget(MIN_MEMORY_BYTES, 8).threads).toBe(1)
    expect(memoryBudget(GIB, 8).threads).toBe(8)
  })

  it('is a quarter of the machine by default, between its bounds', () => {
    expect(defaultMemoryTarget(8 * GIB)).toBe(2 * GIB)
    expect(defaultMemoryTarget(64 * GIB)).toBe(4 * GIB)
    expect(defaultMemoryTarget(256 * MIB)).toBe(MIN_MEMORY_BYTES)
    expect(defaultMemoryTarget(undefined)).toBe(4 * GIB)
  })
})
