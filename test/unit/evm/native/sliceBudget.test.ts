import { describe, expect, it } from 'vitest'
import { SliceBudget } from '../../../../src/evm/native/sliceBudget.ts'

/**
 * Runs one slice of code with the given gas per millisecond.
 * @returns its duration, and the number of looks at the clock
 */
function slice(gasPerMs: number, sliceMs: number): { ms: number; looks: number } {
  let now = 0
  let looks = 0
  const budget = new SliceBudget({ now: () => 0, monotonic: () => now })
  for (let gas: bigint | undefined = budget.begin(sliceMs); gas !== undefined; gas = budget.next()) {
    now += Number(gas) / gasPerMs
    looks++
  }
  return { ms: now, looks }
}

describe('a time slice measured in gas', () => {
  it.each([10_000, 100_000, 1_000_000, 10_000_000])(
    'lasts about as long as requested at %d gas per millisecond',
    (rate) => {
      const { ms, looks } = slice(rate, 8)
      expect(ms).toBeGreaterThanOrEqual(8)
      expect(ms).toBeLessThan(32)
      expect(looks).toBeLessThan(64)
    },
  )

  it('is unlimited without a deadline', () => {
    const budget = new SliceBudget({ now: () => 0, monotonic: () => 0 })
    expect(budget.begin(Number.POSITIVE_INFINITY)).toBe(2n ** 63n - 1n)
    expect(budget.isOver()).toBe(false)
  })
})
