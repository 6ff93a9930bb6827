import process from 'node:process'
import { beforeAll, describe, expect, it } from 'vitest'
import { installNodeCrypto } from '../../../adapters/node/crypto.ts'
import { compileNativeModule } from '../../../src/evm/native/compileModule.ts'
import { TEST_CLOCK } from '../../support/testChain.ts'
import { loadTestNativeEvm } from '../../support/testEvm.ts'
import { type RealBftReport, runRealBft } from './realBft.ts'

const chosen = process.env['SIM_SEED']
const count = Number(process.env['ISONODE_LONG_COUNT'] ?? 6)
const SEEDS = chosen === undefined ? Array.from({ length: count }, (_, i) => i + 1) : [Number(chosen)]
const MODES = ['ibft2', 'qbft', 'contract', 'migration'] as const

let evmModule: WebAssembly.Module

beforeAll(async () => {
  await installNodeCrypto()
  evmModule = await compileNativeModule()
  // Nodes load these modules when they first need them, in real time, for which virtual time would not wait.
  await loadTestNativeEvm(TEST_CLOCK)
  await runRealBft({ seed: 0, evmModule, mode: 'contract', validators: 1 })
})

describe('complete validators', () => {
  it.each(MODES)('agree on blocks: %s', async (mode) => {
    const report = await runRealBft({ seed: 1, evmModule, mode, validators: 4 })
    expect(report.problem).toBeUndefined()
    expect(report.height).toBeGreaterThan(4)
  })

  it('a single validator needs no peers', async () => {
    const report = await runRealBft({ seed: 3, evmModule, mode: 'qbft', validators: 1 })
    expect(report.problem).toBeUndefined()
    expect(report.height).toBeGreaterThan(6)
  })

  it(`are safe and make progress despite faults (${SEEDS.length} seeds)`, async () => {
    const failed: string[] = []
    let crashes = 0
    for (const seed of SEEDS) {
      const report = await runRealBft({ seed, evmModule })
      if (report.problem !== undefined) failed.push(replayOf(report))
      crashes += report.crashes
    }
    console.log(`${SEEDS.length} seeds, ${crashes} crashes`)
    expect(failed.join('\n')).toBe('')
  }, 3_600_000)

  it('a seed replays a run exactly', async () => {
    const first = await runRealBft({ seed: 2, evmModule })
    expect(await runRealBft({ seed: 2, evmModule })).toEqual(first)
  })
})

function replayOf({ seed, mode, validators, faulty, problem }: RealBftReport): string {
  const replay = `SIM_SEED=${seed} npx vitest run test/simulation/bft/realBft.test.ts`
  return `seed ${seed}, ${mode}, ${validators} validators, ${faulty} of them faulty: ${problem}\n  ${replay}`
}
