/** Official cases of much gas or memory: the reference EVM needs minutes for them. */
import { describe, it } from 'vitest'
import { loadReferenceEvm } from '../../src/evm/loadReferenceEvm.ts'
import { testClock } from '../support/evm/evm.ts'
import { loadTestNativeEvm } from '../support/evm/testEvm.ts'
import { readTests, runTest } from '../support/recorded/blockchainTests.ts'
import { recordedPath } from '../support/recorded/conformance.ts'

const TIMEOUT_MS = 3_600_000

describe.each([
  ['native', loadTestNativeEvm],
  ['reference', loadReferenceEvm],
] as const)('with the %s EVM', (_, loadEvm) => {
  describe.each(['gas-above-2-62', 'native-evm-memory-256MiB'])('%s', (folder) => {
    it.each(readTests(recordedPath('eest-failing', folder)))(
      '%s',
      async (_name, test) => runTest(test, { evm: await loadEvm(testClock) }),
      TIMEOUT_MS,
    )
  })
})
