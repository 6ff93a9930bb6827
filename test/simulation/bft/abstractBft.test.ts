import process from 'node:process'
import { describe, expect, it } from 'vitest'
import { type AbstractBftReport, runAbstractBft } from './abstractBft.ts'
import { CONDUCTS } from './conduct.ts'
import { FAULTS, type FaultName } from './faults.ts'

const chosen = process.env['SIM_SEED']
const count = Number(process.env['ISONODE_LONG_COUNT'] ?? 60)
const isLong = process.env['ISONODE_LONG_COUNT'] !== undefined
const SEEDS = chosen === undefined ? Array.from({ length: count }, (_, i) => i + 1) : [Number(chosen)]

/** Every fault must be found by one of these many seeds. */
const MAX_FAULT_SEEDS = 4000
/** A seed that finds the fault, to save the search. */
const KNOWN_SEEDS: Readonly<Record<FaultName, number>> = {
  proposalCertificateUnchecked: 175,
  preparedBlockReplaceable: 175,
  lockNotClaimed: 19,
  lockNotWritten: 1221,
  votesNotWritten: 2,
  votesNotRead: 2,
  sentBeforeWritten: 20,
  majorityIsQuorum: 4,
  quorumTooSmall: 2,
  onePrepareSuffices: 4,
  proposerUnchecked: 4,
  sealDigestUnchecked: 5,
  bodyUnchecked: 18,
  roundChangeUnchecked: 2,
  neverRepeats: 27,
  runsAhead: 2761,
  neverFollows: 555,
  roundsUncapped: 463,
  staysApart: 59,
  failureTakesPlace: 2,
  passesOnAnything: 2,
}

function replayOf({ seed, protocol, validators, byzantine, conduct, problem }: AbstractBftReport): string {
  const replay = `SIM_SEED=${seed} npx vitest run test/simulation/bft/abstractBft.test.ts`
  return `seed ${seed}, ${protocol}, ${validators} validators, ${byzantine} of them ${conduct}: ${problem}\n  ${replay}`
}

describe('agreement on abstract blocks', () => {
  it(`is safe and makes progress despite faults (${SEEDS.length} seeds)`, () => {
    const failed: string[] = []
    const total = { crashes: 0, events: 0, heights: 0, laterRounds: 0, setChanges: 0, migrations: 0, recoveryMs: 0 }
    const conducts = new Set<string>()
    const started = performance.now()
    for (const seed of SEEDS) {
      const report = runAbstractBft({ seed })
      if (report.problem !== undefined) failed.push(replayOf(report))
      total.crashes += report.crashes
      total.events += report.events
      total.heights += report.height
      total.laterRounds += report.maxRound > 0 ? 1 : 0
      total.setChanges += report.isSetChanged ? 1 : 0
      total.migrations += report.protocol === 'migration' ? 1 : 0
      if (report.byzantine > 0) conducts.add(report.conduct)
      total.recoveryMs = Math.max(total.recoveryMs, report.recoveryMs)
    }
    const seconds = (performance.now() - started) / 1000
    console.log(`${SEEDS.length} seeds in ${seconds.toFixed(1)} s: ${JSON.stringify(total)}`)
    expect(failed.join('\n')).toBe('')
    // One chosen seed need not have them.
    if (chosen === undefined) {
      expect(total.crashes).toBeGreaterThan(SEEDS.length / 4)
      expect(total.laterRounds).toBeGreaterThan(SEEDS.length / 2)
      expect(total.setChanges).toBeGreaterThan(SEEDS.length / 20)
      expect(total.migrations).toBeGreaterThan(SEEDS.length / 20)
      expect([...conducts].sort()).toEqual(['forging', ...CONDUCTS].sort())
    }
  }, 3_600_000)

  it('a seed replays a run exactly', () => {
    expect(runAbstractBft({ seed: 5 })).toEqual(runAbstractBft({ seed: 5 }))
  })

  it.each(Object.keys(FAULTS) as FaultName[])(
    'a fault is found: %s',
    (name) => {
      const fault = FAULTS[name]
      const first = isLong ? 1 : KNOWN_SEEDS[name]
      let found: AbstractBftReport | undefined
      for (let seed = first; found === undefined && seed <= (isLong ? MAX_FAULT_SEEDS : first); seed++) {
        const report = runAbstractBft({ seed, fault })
        if (report.problem !== undefined) found = report
      }
      if (found === undefined) throw new Error(isLong ? `not in ${MAX_FAULT_SEEDS} seeds` : `not by seed ${first}`)
      if (isLong) console.log(`${name}: ${replayOf(found)}`)
      expect(runAbstractBft({ seed: found.seed }).problem).toBeUndefined()
    },
    600_000,
  )
})
