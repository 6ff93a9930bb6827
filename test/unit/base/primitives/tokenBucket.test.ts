import { expect, it } from 'vitest'
import { TokenBucket } from '../../../../src/base/primitives/tokenBucket.ts'

it('a token bucket allows bursts and then its rate', () => {
  const bucket = new TokenBucket(10, 3, 0)
  const taken = (nowMs: number, tries: number) =>
    Array.from({ length: tries }, () => bucket.take(nowMs)).filter(Boolean).length
  expect(taken(0, 5)).toBe(3)
  expect(taken(99, 5)).toBe(0)
  expect(taken(250, 5)).toBe(2)
  expect(taken(10_000, 5)).toBe(3)
  bucket.giveBack()
  expect(taken(10_000, 5)).toBe(1)
})
