// slow: long chains
import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { runHostilePeers } from './hostilePeers.ts'

const chosen = process.env['SIM_SEED']
const count = Number(process.env['ISONODE_LONG_COUNT'] ?? 12)
const SEEDS = chosen === undefined ? Array.from({ length: count }, (_, i) => i + 1) : [Number(chosen)]

describe('synchronisation among hostile peers', () => {
  it(`ends with the best honest chain, despite crashes (${SEEDS.length} seeds)`, async () => {
    const failed: string[] = []
    const total = { crashes: 0, dropped: 0, virtualMs: 0 }
    for (const seed of SEEDS) {
      const report = await runHostilePeers(seed)
      if (report.problem !== undefined) {
        failed.push(
          `seed ${seed}: ${report.problem}\n  SIM_SEED=${seed} npx vitest run test/unit/net/sync/hostilePeers.test.ts`,
        )
      }
      total.crashes += report.crashes
      total.dropped += report.dropped
      total.virtualMs += report.virtualMs
    }
    console.log(
      `${SEEDS.length} seeds: ${total.crashes} crashes, ${total.dropped} peers dropped, ${(total.virtualMs / 1000).toFixed(0)} s of virtual time`,
    )
    expect(failed.join('\n')).toBe('')
    if (chosen === undefined) expect(total.crashes).toBeGreaterThan(SEEDS.length / 2)
  }, 1_200_000)

  it('a seed replays a run exactly', async () => {
    const first = await runHostilePeers(3)
    expect(await runHostilePeers(3)).toEqual(first)
    expect((await runHostilePeers(4)).trace).not.toBe(first.trace)
  }, 60_000)
})
