// slow: long chains
import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { runHostilePeers } from './hostilePeers.ts'

const chosen = process.env['SIM_SEED']
const count = Number(process.env['ISONODE_LONG_COUNT'] ?? 4)
const SEEDS = chosen === undefined ? Array.from({ length: count }, (_, i) => i + 1) : [Number(chosen)]
const FOUND = { claimsCount: /^no block for 46 s/, slownessFails: /^an honest peer at block/ } as const

describe('synchronisation among hostile peers', () => {
  it(`ends with the best honest chain, despite crashes (${SEEDS.length} seeds)`, async () => {
    const failed: string[] = []
    const total = { crashes: 0, dropped: 0, dripping: 0, slots: 0, missedSlots: 0, virtualMs: 0 }
    for (const seed of SEEDS) {
      const report = await runHostilePeers(seed)
      if (report.problem !== undefined) {
        failed.push(
          `seed ${seed}: ${report.problem}\n  SIM_SEED=${seed} npx vitest run test/unit/net/sync/hostilePeers.test.ts`,
        )
      }
      total.crashes += report.crashes
      total.dropped += report.dropped
      total.dripping += report.dripping
      total.slots += report.slots
      total.missedSlots += report.missedSlots
      total.virtualMs += report.virtualMs
    }
    console.log(`${SEEDS.length} seeds: ${JSON.stringify(total)}`)
    expect(failed.join('\n')).toBe('')
    if (chosen === undefined) {
      expect(total.crashes).toBeGreaterThan(SEEDS.length / 2)
      expect(total.dripping).toBeGreaterThan(SEEDS.length / 4)
      expect(total.slots).toBeGreaterThan(4 * total.missedSlots)
    }
  }, 1_200_000)

  it.each([16, 22, 75])('keeps slow honest peers, and follows one that is a little ahead (seed %i)', async (seed) => {
    expect((await runHostilePeers(seed)).problem).toBeUndefined()
  })

  it.each([
    ['claimsCount', 218],
    ['slownessFails', 16],
  ] as const)('a fault is found: %s', async (fault, seed) => {
    expect((await runHostilePeers(seed, fault)).problem).toMatch(FOUND[fault])
    expect((await runHostilePeers(seed)).problem).toBeUndefined()
  })

  it('a seed replays a run exactly', async () => {
    const first = await runHostilePeers(3)
    expect(await runHostilePeers(3)).toEqual(first)
    expect((await runHostilePeers(4)).trace).not.toBe(first.trace)
  }, 60_000)
})
