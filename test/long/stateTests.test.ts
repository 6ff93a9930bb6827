import { describe, expect, it } from 'vitest'
import { installNodePrecompiles } from '../../adapters/server/crypto/precompiles.ts'
import { testClock } from '../support/evm/evm.ts'
import { loadTestEvm } from '../support/evm/testEvm.ts'
import { recordedPath } from '../support/recorded/conformance.ts'
import { newWorldState, runStateTest, slowStateTests } from '../support/recorded/stateTests.ts'
import { longCount } from './count.ts'

const folder = recordedPath('ethereum-tests', 'GeneralStateTests')
const entries = slowStateTests(folder).slice(0, longCount)

describe('GeneralStateTests, the slow ones', () => {
  for (const { name, test } of entries) {
    it(name, { timeout: 3_600_000 }, async () => {
      installNodePrecompiles()
      const evm = await loadTestEvm(testClock)
      expect(await runStateTest(test, evm, newWorldState)).toEqual([])
    })
  }
})
