import { expect, it } from 'vitest'
import { RateLimit } from '../../../../src/rpc/connection/rateLimit.ts'

it('allows the requests of one second together, then one by one', () => {
  let now = 1000
  const limit = new RateLimit(4, { monotonic: () => now })
  const takes = (count: number) => Array.from({ length: count }, () => limit.take())
  expect(takes(5)).toEqual([true, true, true, true, false])
  now += 249
  expect(takes(1)).toEqual([false])
  now += 1
  expect(takes(2)).toEqual([true, false])
  now += 60_000
  expect(takes(5)).toEqual([true, true, true, true, false])
})
