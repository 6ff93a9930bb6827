import { describe } from 'vitest'
import { loadNativeEngine } from '../../src/evm/loadNativeEngine.ts'
import { loadReferenceEngine } from '../../src/evm/loadReferenceEngine.ts'
import { hooksSuite } from './hooks/suite.ts'

describe.each([
  ['native', loadNativeEngine],
  ['reference', loadReferenceEngine],
] as const)('the %s engine', (_, loadEngine) => {
  hooksSuite(loadEngine)
})
