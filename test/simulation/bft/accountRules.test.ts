import { beforeAll, describe, expect, it } from 'vitest'
import { compileNativeModule } from '../../../src/evm/native/compileModule.ts'
import { installSimulationCrypto } from '../sharedRecovery.ts'
import { loadNodeModules, runRealBft } from './realBft.ts'

const CONTRACT = '0x000000000000000000000000000000000000aaaa'
/** Return a word of 0, of 1, and of 2. */
const REFUSING = '0x600060005260206000f3'
const ALLOWING = '0x600160005260206000f3'
const SENSELESS = '0x600260005260206000f3'

let evmModule: WebAssembly.Module

beforeAll(async () => {
  await installSimulationCrypto()
  evmModule = await compileNativeModule()
  // Loaded in real time, for which virtual time would not wait.
  await import('../../../src/node/permissions/assemblePermissions.ts')
  await loadNodeModules(evmModule)
})

describe.each(['qbft', 'ibft2'] as const)('an account contract among validators of %s', (mode) => {
  const run = (code: string) =>
    runRealBft({ seed: 1, evmModule, mode, validators: 4, isCalm: true, accountRules: { contract: CONTRACT, code } })

  it('lets in the transactions of senders that it allows', async () => {
    expect(await run(ALLOWING)).toMatchObject({ problem: undefined, transactions: 6 })
  })

  it.each([
    ['refuses', REFUSING],
    ['cannot judge', SENSELESS],
  ])('keeps out blocks of a validator without rules when it %s the sender', async (_, code) => {
    const report = await run(code)
    expect(report).toMatchObject({ problem: undefined, transactions: 0 })
    // The validator has proposed such blocks: each cost a round.
    expect(report.maxRound).toBeGreaterThan(0)
  })
})
