import { describe, expect, it } from 'vitest'
import { conformancePath } from '../support/conformance.ts'
import { testClock } from '../support/evm.ts'
import { newWorldState, runStateTests } from '../support/stateTests.ts'
import { loadTestEvm } from '../support/testEvm.ts'

const folder = conformancePath('ethereum-tests', 'GeneralStateTests', 'v12-istanbul-to-shanghai')

describe.skipIf(folder === undefined)('GeneralStateTests Istanbul to Shanghai, first half', () => {
  it('gives the recorded state roots and logs', { timeout: 300_000 }, async () => {
    const evm = await loadTestEvm(testClock)
    const shard = { folder: folder as string, part: [0, 2] } as const
    const { entries, failures } = await runStateTests(shard, evm, newWorldState)
    expect(failures).toEqual([])
    expect(entries).toBeGreaterThan(0)
  })
})
