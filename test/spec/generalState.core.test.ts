import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { testClock } from '../support/evm/evm.ts'
import { loadTestEvm } from '../support/evm/testEvm.ts'
import { newWorldState, runStateTests } from '../support/recorded/stateTests.ts'

const folder = path.resolve(import.meta.dirname, '../vectors/ethereum-tests/GeneralStateTests')

describe('GeneralStateTests, the part in the repository', () => {
  it('gives the recorded state roots and logs', { timeout: 120_000 }, async () => {
    const evm = await loadTestEvm(testClock)
    const { entries, failures } = await runStateTests({ folder }, evm, newWorldState)
    expect(failures).toEqual([])
    expect(entries).toBeGreaterThan(200)
  })
})
