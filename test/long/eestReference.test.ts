/** Official cases of much gas or memory, for which the reference EVM needs minutes. */
import { describe, it } from 'vitest'
import { loadReferenceEvm } from '../../src/evm/loadReferenceEvm.ts'
import { testClock } from '../support/evm/evm.ts'
import { readTests, runTest } from '../support/recorded/blockchainTests.ts'
import { recordedPath } from '../support/recorded/conformance.ts'

const TIMEOUT_MS = 3_600_000

describe.each(['gas-above-2-62', 'native-evm-memory-256MiB'])('%s with the reference EVM', (folder) => {
  it.each(readTests(recordedPath('eest-failing', folder)))(
    '%s',
    async (_name, test) => runTest(test, { evm: await loadReferenceEvm(testClock) }),
    TIMEOUT_MS,
  )
})
