import { expect, it } from 'vitest'
import { TimeSlicer } from '../../../../src/base/ports/yieldToHost.ts'

it('a slicer is due when its slice is over, and starts the next one after the yield', async () => {
  let now = 0
  let yields = 0
  const yieldToHost = async (): Promise<void> => {
    yields++
    now += 100
  }
  const slicer = new TimeSlicer({ clock: { monotonic: () => now }, yieldToHost, sliceMs: 8 })
  now = 7
  expect(slicer.isDue).toBe(false)
  now = 8
  expect(slicer.isDue).toBe(true)
  await slicer.yield()
  expect(yields).toBe(1)
  expect(slicer.isDue).toBe(false)
  now += 8
  expect(slicer.isDue).toBe(true)
})
