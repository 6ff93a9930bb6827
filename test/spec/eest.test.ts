import { describe, it } from 'vitest'
import { loadReferenceEvm } from '../../src/evm/loadReferenceEvm.ts'
import { testClock } from '../support/evm/evm.ts'
import { loadTestNativeEvm } from '../support/evm/testEvm.ts'
import { readTests, runTest } from '../support/recorded/blockchainTests.ts'
import { recordedPath } from '../support/recorded/conformance.ts'

const COLLISIONS = 'eip7610-before-cancun'
const TIMEOUT_MS = 120_000
/** Benchmarks, which spend 30 million gas, and what Prague has as well. */
const LEFT_OUT = /^tests\/benchmark\/|test_run_until_out_of_gas\[fork_Cancun/

/** The reference EVM needs minutes for the others. test/long runs everything with both. */
describe.each([
  ['native', loadTestNativeEvm, ['gas-above-2-62', 'native-evm-memory-256MiB', COLLISIONS]],
  ['reference', loadReferenceEvm, [COLLISIONS]],
] as const)('the Execution Spec Tests with the %s EVM', (_, loadEvm, folders) => {
  describe.each(folders)('%s', (folder) => {
    const tests = readTests(recordedPath('eest-failing', folder)).filter(([name]) => !LEFT_OUT.test(name))
    it.each(tests)('%s', async (_name, test) => runTest(test, { evm: await loadEvm(testClock) }), TIMEOUT_MS)
  })
})
