import { describe } from 'vitest'
import { loadNativeEvm } from '../../src/evm/loadNativeEvm.ts'
import { loadReferenceEvm } from '../../src/evm/loadReferenceEvm.ts'
import { hooksSuite } from './hooks/suite.ts'

describe.each([
  ['native', loadNativeEvm],
  ['reference', loadReferenceEvm],
] as const)('the %s engine', (_, loadEvm) => {
  hooksSuite(loadEvm)
})
