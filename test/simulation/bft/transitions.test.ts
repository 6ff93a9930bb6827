import process from 'node:process'
import { beforeAll, expect, it } from 'vitest'
import { compileNativeModule } from '../../../src/evm/native/compileModule.ts'
import { installSimulationCrypto } from '../sharedRecovery.ts'
import { loadNodeModules, runTransitions } from './realBft.ts'

const chosen = process.env['SIM_SEED']
const SEEDS = chosen === undefined ? [1] : [Number(chosen)]

let evmModule: WebAssembly.Module

beforeAll(async () => {
  await installSimulationCrypto()
  evmModule = await compileNativeModule()
  await loadNodeModules(evmModule)
})

it.each(SEEDS)('validators change by transitions and a contract despite faults (seed %i)', async (seed) => {
  const report = await runTransitions(seed, evmModule)
  expect(report).toMatchObject({ problem: undefined, isSetChanged: true })
  expect(report.height).toBeGreaterThan(6)
})
