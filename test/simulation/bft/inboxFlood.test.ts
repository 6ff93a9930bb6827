import process from 'node:process'
import { beforeAll, describe, expect, it } from 'vitest'
import { installSimulationCrypto } from '../sharedRecovery.ts'
import { runInboxFlood } from './inboxFlood.ts'

const chosen = process.env['SIM_SEED']
const SEEDS = chosen === undefined ? Array.from({ length: 3 }, (_, i) => i + 1) : [Number(chosen)]

beforeAll(installSimulationCrypto)

describe('the inbox of a validator among loud peers', () => {
  it(`loses no message of an honest peer (${SEEDS.length} seeds)`, () => {
    let hostile = 0
    for (const seed of SEEDS) {
      const report = runInboxFlood(seed)
      expect(report, `SIM_SEED=${seed}`).toMatchObject({ problem: undefined })
      hostile += report.hostile
    }
    expect(hostile).toBeGreaterThan(1000 * (SEEDS.length - 1))
  })

  it.each(['oneQueue', 'codeIgnored'] as const)('a fault is found: %s', (fault) => {
    expect(runInboxFlood(1, fault).problem).toMatch(/messages of honest peers were lost/)
    expect(runInboxFlood(1).problem).toBeUndefined()
  })
})
