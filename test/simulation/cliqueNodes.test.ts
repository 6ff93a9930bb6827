import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { type CliqueReport, runCliqueNodes } from './cliqueNodes.ts'
import { loadModules } from './loadModules.ts'

const chosen = process.env['SIM_SEED']
const count = Number(process.env['ISONODE_LONG_COUNT'] ?? 4)
const SEEDS = chosen === undefined ? Array.from({ length: count }, (_, i) => i + 1) : [Number(chosen)]

function replayOf({ seed, problem }: CliqueReport): string {
  return `seed ${seed}: ${problem}\n  SIM_SEED=${seed} npx vitest run test/simulation/cliqueNodes.test.ts`
}

describe('simulated signers of Clique', () => {
  it(`agree and continue after crashes, partitions and wrong clocks (${SEEDS.length} seeds)`, async () => {
    await loadModules(() => runCliqueNodes({ seed: 0 }))
    const started = performance.now()
    const failed: string[] = []
    const total = { crashes: 0, reorgs: 0, blocks: 0, setChanges: 0, slowestMs: 0 }
    for (const seed of SEEDS) {
      const report = await runCliqueNodes({ seed })
      if (report.problem !== undefined) failed.push(replayOf(report))
      total.crashes += report.crashes
      total.reorgs += report.reorgs
      total.blocks += report.blocks
      total.setChanges += report.isSetChanged ? 1 : 0
      total.slowestMs = Math.max(total.slowestMs, report.agreedAfterMs)
    }
    const seconds = (performance.now() - started) / 1000
    console.log(
      `${SEEDS.length} seeds in ${seconds.toFixed(1)} s (${((SEEDS.length * 60) / seconds).toFixed(0)} a minute): ${total.crashes} crashes, ${total.reorgs} reorganisations, ${total.blocks} blocks, ${total.setChanges} with votes that were enacted, agreement after ${total.slowestMs} ms at most`,
    )
    expect(failed.join('\n')).toBe('')
    if (chosen === undefined)
      expect([total.crashes > 0, total.reorgs > 0, total.setChanges > 0]).toEqual([true, true, true])
  }, 3_600_000)

  it('a seed replays a run exactly', async () => {
    const first = await runCliqueNodes({ seed: 7 })
    expect(await runCliqueNodes({ seed: 7 })).toEqual(first)
    expect((await runCliqueNodes({ seed: 8 })).trace).not.toBe(first.trace)
  })

  // Ties block the chain rarely: the search begins near a seed that is known to show it.
  it.each([
    ['signsTooOften', 1],
    ['verifiesNothing', 1],
    ['keepsTies', 65],
  ] as const)('a fault is found: %s', async (fault, first) => {
    let found: CliqueReport | undefined
    for (let seed = first; found === undefined && seed < first + 300; seed++) {
      const report = await runCliqueNodes({ seed, fault })
      if (report.problem !== undefined) found = report
    }
    if (found === undefined) throw new Error('it was not found in 300 seeds')
    console.log(`${fault}: seed ${found.seed}: ${found.problem}`)
    expect((await runCliqueNodes({ seed: found.seed })).problem).toBeUndefined()
  })
})
