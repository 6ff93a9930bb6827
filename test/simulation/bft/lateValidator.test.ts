import process from 'node:process'
import { beforeAll, expect, it } from 'vitest'
import { compileNativeModule } from '../../../src/evm/native/compileModule.ts'
import { installSimulationCrypto } from '../sharedRecovery.ts'
import { loadNodeModules, runLateCut } from './realBft.ts'

const chosen = process.env['SIM_SEED']
const count = Number(process.env['ISONODE_LONG_COUNT'] ?? 1)
const SEEDS = chosen === undefined ? Array.from({ length: count }, (_, i) => i + 1) : [Number(chosen)]

let evmModule: WebAssembly.Module

beforeAll(async () => {
  await installSimulationCrypto()
  evmModule = await compileNativeModule()
  await loadNodeModules(evmModule)
})

it(`seven validators, one without power and one 20 s late, go on after a cut (${SEEDS.length} seeds)`, async () => {
  let slowest = 0
  for (const seed of SEEDS) {
    const report = await runLateCut({ seed, evmModule })
    expect(report, `SIM_SEED=${seed}`).toMatchObject({ problem: undefined, blocksWithoutQuorum: 0 })
    slowest = Math.max(slowest, report.recoveryMs)
  }
  console.log(`${SEEDS.length} seeds, a block within ${(slowest / 1000).toFixed(1)} s of the end of the cut`)
}, 3_600_000)
