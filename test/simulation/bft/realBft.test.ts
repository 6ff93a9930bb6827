import process from 'node:process'
import { beforeAll, describe, expect, it } from 'vitest'
import { compileNativeModule } from '../../../src/evm/native/compileModule.ts'
import { installSimulationCrypto } from '../sharedRecovery.ts'
import { FAULTS } from './faults.ts'
import { loadNodeModules, type RealBftReport, runAbsence, runRealBft } from './realBft.ts'

const chosen = process.env['SIM_SEED']
const count = Number(process.env['ISONODE_LONG_COUNT'] ?? 2)
const isLong = process.env['ISONODE_LONG_COUNT'] !== undefined
const SEEDS = chosen === undefined ? Array.from({ length: count }, (_, i) => i + 1) : [Number(chosen)]
/** Mistakes put into the rules and the journal of complete nodes, and a seed that finds each. */
const KNOWN_SEEDS = [
  ['preparedBlockReplaceable', 2],
  ['lockNotClaimed', 12],
  ['votesNotWritten', 11],
  ['votesNotRead', 11],
  ['sentBeforeWritten', 116],
  ['onePrepareSuffices', 3],
] as const
/** Faults that only a certain course of events shows, and a seed of such a scenario that finds each. */
const AIMED = [
  ['lockNotWritten', 'qbft', { cutsPower: true }, 6],
  ['lockNotWritten', 'ibft2', { cutsPower: true }, 1],
  ['proposalCertificateUnchecked', 'ibft2', { forgesProposals: true }, 10],
  ['proposalCertificateUnchecked', 'qbft', { forgesProposals: true }, 13],
] as const
const MODES = ['ibft2', 'qbft', 'contract', 'migration'] as const
const HOUR_MS = 3_600_000
/** From the start of the validators that were away. */
const MAX_RETURN_MS = 10_000

let evmModule: WebAssembly.Module

beforeAll(async () => {
  await installSimulationCrypto()
  evmModule = await compileNativeModule()
  await loadNodeModules(evmModule)
})

describe('complete validators', () => {
  it.each(MODES)('agree on blocks: %s', async (mode) => {
    const report = await runRealBft({ seed: 1, evmModule, mode, validators: 4, isCalm: true })
    expect(report).toMatchObject({ problem: undefined, transactions: 6 })
    expect(report.height).toBeGreaterThan(4)
  })

  it('seven agree as well', async () => {
    const report = await runRealBft({ seed: 1, evmModule, mode: 'qbft', validators: 7, isCalm: true })
    expect(report).toMatchObject({ problem: undefined, maxRound: 0 })
    expect(report.height).toBeGreaterThan(6)
  })

  it('a single validator needs no peers', async () => {
    const report = await runRealBft({ seed: 3, evmModule, mode: 'qbft', validators: 1, isCalm: true })
    expect(report.problem).toBeUndefined()
    expect(report.height).toBeGreaterThan(6)
  })

  it.each(['ibft2', 'qbft'] as const)('make two blocks a second with a period of 500 ms: %s', async (mode) => {
    const options = { seed: 3, evmModule, mode, isCalm: true, periodMilliseconds: 500 }
    expect(blocksPerSecond(await runRealBft({ ...options, validators: 1 }))).toBeGreaterThan(1.9)
    // The period begins with the parent, so the time of the agreement is added.
    expect(blocksPerSecond(await runRealBft({ ...options, validators: 4 }))).toBeGreaterThan(1.4)
  })

  it.each(['ibft2', 'qbft'] as const)(
    'of which two of four were away for an hour make a block soon: %s',
    {
      timeout: 3_600_000,
    },
    async (mode) => {
      for (const seed of SEEDS.slice(0, isLong ? count : 1)) {
        const report = await runAbsence({ seed, evmModule, mode }, HOUR_MS)
        expect(report, `SIM_SEED=${seed}`).toMatchObject({ problem: undefined, blocksWithoutQuorum: 0 })
        expect(report.recoveryMs, `SIM_SEED=${seed}`).toBeLessThan(MAX_RETURN_MS)
      }
    },
  )

  it(`are safe and make progress despite faults (${SEEDS.length} seeds)`, async () => {
    const failed: string[] = []
    const total = { crashes: 0, laterRounds: 0, setChanges: 0, recoveryMs: 0, transactions: 0 }
    for (const seed of SEEDS) {
      const report = await runRealBft({ seed, evmModule })
      if (report.problem !== undefined) failed.push(replayOf(report))
      total.crashes += report.crashes
      total.laterRounds += report.maxRound > 0 ? 1 : 0
      total.setChanges += report.isSetChanged ? 1 : 0
      total.transactions += report.transactions
      total.recoveryMs = Math.max(total.recoveryMs, Math.round(report.recoveryMs))
    }
    console.log(`${SEEDS.length} seeds: ${JSON.stringify(total)}`)
    expect(failed.join('\n')).toBe('')
  }, 3_600_000)

  it.each(KNOWN_SEEDS)('a fault is found: %s', { timeout: 600_000 }, async (name, known) => {
    const first = isLong ? 1 : known
    let found: RealBftReport | undefined
    for (let seed = first; found === undefined && seed <= known; seed++) {
      const report = await runRealBft({ seed, evmModule, fault: FAULTS[name] })
      if (report.problem !== undefined) found = report
    }
    if (found === undefined) throw new Error(`not by seed ${known}`)
    console.log(`${name}: ${replayOf(found)}`)
    expect((await runRealBft({ seed: found.seed, evmModule })).problem).toBeUndefined()
  })

  it.each(AIMED)('a fault is found by its scenario: %s, %s', async (name, mode, scenario, seed) => {
    const options = { seed, evmModule, mode, validators: 4, ...scenario }
    expect((await runRealBft({ ...options, fault: FAULTS[name] })).problem).toMatch(
      /two final blocks 1|block 1 .* is final/,
    )
    expect((await runRealBft(options)).problem).toBeUndefined()
  })

  it.each([{ cutsPower: true }, { forgesProposals: true }])(
    'find the final block that others lack: %o',
    async (scenario) => {
      for (let seed = 1; seed <= Math.max(2, count / 10); seed++) {
        const mode = MODES[seed % 3]
        const report = await runRealBft({ seed, evmModule, validators: 4, ...(mode && { mode }), ...scenario })
        expect(report).toMatchObject({ seed, problem: undefined })
      }
    },
    3_600_000,
  )

  it('a seed replays a run exactly', async () => {
    const first = await runRealBft({ seed: 2, evmModule })
    expect(await runRealBft({ seed: 2, evmModule })).toEqual(first)
  })
})

function blocksPerSecond({ problem, height, durationMs }: RealBftReport): number {
  expect(problem).toBeUndefined()
  return (height * 1000) / durationMs
}

function replayOf({ seed, mode, validators, faulty, problem }: RealBftReport): string {
  const replay = `SIM_SEED=${seed} npx vitest run test/simulation/bft/realBft.test.ts`
  return `seed ${seed}, ${mode}, ${validators} validators, ${faulty} of them faulty: ${problem}\n  ${replay}`
}
