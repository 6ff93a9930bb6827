// slow: ethash caches
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { installNodeCrypto } from '../../../adapters/server/crypto/crypto.ts'
import { EpochCaches } from '../../../src/consensus/pow/epochCaches.ts'

beforeAll(async () => {
  await installNodeCrypto()
})

describe('EpochCaches', () => {
  it('generates a cache in steps, and the next one in the background', async () => {
    const steps = new Map<number, number>()
    let stepsOfTurn = 0
    let most = 0
    const caches = new EpochCaches({
      onProgress: ({ epoch }) => {
        steps.set(epoch, (steps.get(epoch) ?? 0) + 1)
        most = Math.max(most, ++stepsOfTurn)
      },
    })
    const yieldToHost = async (): Promise<void> => {
      await nextTurn()
      stepsOfTurn = 0
    }
    // The second call awaits the work of the first.
    await Promise.all([caches.prepare(0, false, yieldToHost), caches.prepare(1, false, yieldToHost)])
    expect(most).toBe(1)
    const made = steps.get(0) as number
    expect(made).toBeGreaterThan(100)

    // In the middle of an epoch there is nothing to do.
    expect(caches.prepare(25_000, false, yieldToHost)).toBeUndefined()
    expect(steps.get(1)).toBeUndefined()
    expect(caches.prepare(29_000, false, yieldToHost)).toBeUndefined()
    expect(caches.prepare(29_001, false, yieldToHost)).toBeUndefined()
    expect(steps.get(1)).toBe(1)
    await caches.prepare(30_000, false, yieldToHost)
    expect(most).toBe(1)

    const word = new Uint8Array(32)
    for (const number of [29_999, 30_000]) caches.hashimoto(number, false, word, word.subarray(0, 8))
    expect(steps.get(0)).toBe(made)
    expect(most).toBe(1)
  }, 120_000)
})
