import { describe, expect, it } from 'vitest'
import { PeerBudget, type PeerBudgetSettings } from '../../../../src/net/protocols/peerBudget.ts'

const SETTINGS: PeerBudgetSettings = {
  requests: { perSecond: 10, burst: 3 },
  bytes: { perSecond: 1000, burst: 500 },
  workMs: { perSecond: 100, burst: 50 },
  maxWaiting: 2,
}
const NOTHING = { bytes: 0, workMs: 0 }

describe('PeerBudget', () => {
  it('lets a burst of requests pass, then as many as the rate allows', () => {
    const budget = new PeerBudget(SETTINGS, 1000)
    for (let i = 0; i < 3; i++) {
      expect(budget.delayMs(1000)).toBe(0)
      budget.spend(NOTHING, 1000)
    }
    expect(budget.delayMs(1000)).toBe(100)
    expect(budget.delayMs(1050)).toBe(50)
    expect(budget.delayMs(1100)).toBe(0)
    expect(budget.delayMs(100_000)).toBe(0)
  })

  it('waits until large or slow answers are paid', () => {
    const bytes = new PeerBudget(SETTINGS, 0)
    bytes.spend({ bytes: 2500, workMs: 0 }, 0)
    expect(bytes.delayMs(0)).toBe(2000)
    expect(bytes.delayMs(1999)).toBe(1)
    expect(bytes.delayMs(2000)).toBe(0)
    const work = new PeerBudget(SETTINGS, 0)
    work.spend({ bytes: 0, workMs: 150 }, 0)
    expect(work.delayMs(0)).toBe(1000)
  })

  it('saves no more than the burst', () => {
    const budget = new PeerBudget(SETTINGS, 0)
    for (let i = 0; i < 3; i++) budget.spend(NOTHING, 1e9)
    expect(budget.delayMs(1e9)).toBe(100)
  })

  it('bounds the requests that wait', () => {
    const budget = new PeerBudget(SETTINGS, 0)
    expect([budget.arrive(), budget.arrive(), budget.arrive()]).toEqual([true, true, false])
    budget.spend(NOTHING, 0)
    expect(budget.waiting).toBe(1)
    expect(budget.arrive()).toBe(true)
  })

  it('is not confused by a clock that goes back', () => {
    const budget = new PeerBudget(SETTINGS, 1000)
    for (let i = 0; i < 3; i++) budget.spend(NOTHING, 1000)
    expect(budget.delayMs(500)).toBe(100)
    expect(budget.delayMs(1100)).toBe(0)
  })
})
