import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { loadModules } from './loadModules.ts'
import { runThreeNodes, type SimulationReport } from './threeNodes.ts'

const chosen = process.env['SIM_SEED']
const count = Number(process.env['ISONODE_LONG_COUNT'] ?? 10)
const SEEDS = chosen === undefined ? Array.from({ length: count }, (_, i) => i + 1) : [Number(chosen)]

function replayOf({ seed, problem }: SimulationReport): string {
  return `seed ${seed}: ${problem}\n  SIM_SEED=${seed} npx vitest run test/simulation/threeNodes.test.ts`
}

describe('three simulated nodes', () => {
  it(`finally agree, despite crashes and partitions (${SEEDS.length} seeds)`, async () => {
    await loadModules(() => runThreeNodes({ seed: 0 }))
    const started = performance.now()
    const failed: string[] = []
    const total = { crashes: 0, events: 0, virtualMs: 0 }
    for (const seed of SEEDS) {
      const report = await runThreeNodes({ seed })
      if (report.problem !== undefined) failed.push(replayOf(report))
      total.crashes += report.crashes
      total.events += report.events
      total.virtualMs += report.virtualMs
    }
    const seconds = (performance.now() - started) / 1000
    console.log(
      `${SEEDS.length} seeds in ${seconds.toFixed(1)} s: ${total.crashes} crashes, ${total.events} events, ${(total.virtualMs / 1000).toFixed(0)} s of virtual time`,
    )
    expect(failed.join('\n')).toBe('')
    if (chosen === undefined) expect(total.crashes).toBeGreaterThan(SEEDS.length)
  }, 600_000)

  it('a seed replays a run exactly', async () => {
    const first = await runThreeNodes({ seed: 7 })
    expect(await runThreeNodes({ seed: 7 })).toEqual(first)
    expect((await runThreeNodes({ seed: 8 })).trace).not.toBe(first.trace)
  })

  it.each(['tornCommit', 'lostWrite'] as const)(
    'a fault of the store is found: %s, and its seed replays',
    async (fault) => {
      let found: SimulationReport | undefined
      for (let seed = 1; found === undefined && seed <= 100; seed++) {
        const report = await runThreeNodes({ seed, fault })
        if (report.problem !== undefined) found = report
      }
      if (found === undefined) throw new Error('it was not found in 100 seeds')
      expect(await runThreeNodes({ seed: found.seed, fault })).toEqual(found)
      expect((await runThreeNodes({ seed: found.seed })).problem).toBeUndefined()
    },
  )
})
