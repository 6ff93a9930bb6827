// slow: each hook on both EVMs
import { describe } from 'vitest'
import { loadReferenceEvm } from '../../../src/evm/loadReferenceEvm.ts'
import { loadTestNativeEvm } from '../../support/evm/testEvm.ts'
import { hooksSuite } from './hooks/suite.ts'

describe.each([
  ['native', loadTestNativeEvm],
  ['reference', loadReferenceEvm],
] as const)('the %s EVM', (_, loadEvm) => {
  hooksSuite(loadEvm)
})
