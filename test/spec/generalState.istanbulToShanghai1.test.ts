import { describe, expect, it } from 'vitest'
import { testClock } from '../support/evm/evm.ts'
import { loadTestEvm } from '../support/evm/testEvm.ts'
import { recordedPath } from '../support/recorded/conformance.ts'
import { newWorldState, runStateTests } from '../support/recorded/stateTests.ts'

const folder = recordedPath('ethereum-tests', 'GeneralStateTests', 'v12-istanbul-to-shanghai')

describe('GeneralStateTests Istanbul to Shanghai, first half', () => {
  it('gives the recorded state roots and logs', { timeout: 300_000 }, async () => {
    const evm = await loadTestEvm(testClock)
    const shard = { folder, part: [0, 2] } as const
    const { entries, failures } = await runStateTests(shard, evm, newWorldState)
    expect(failures).toEqual([])
    expect(entries).toBeGreaterThan(0)
  })
})
