import { expect, test } from 'vitest'
import { growthPercent } from '../../../../../adapters/server/program/heapFlags.ts'

const MIB = 1024 * 1024

test('the heap grows by 64 MiB between two full collections, at most threefold, at least by a fifth', () => {
  expect(growthPercent(10 * MIB)).toBe(200)
  expect(growthPercent(32 * MIB)).toBe(200)
  expect(growthPercent(64 * MIB)).toBe(100)
  expect(growthPercent(128 * MIB)).toBe(50)
  expect(growthPercent(256 * MIB)).toBe(25)
  expect(growthPercent(1024 * MIB)).toBe(20)
})
