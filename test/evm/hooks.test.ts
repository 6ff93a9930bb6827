import { describe } from 'vitest'
import { loadNativeEngine } from '../../src/evm/loadNativeEngine.ts'
import { hooksSuite } from './hooks/suite.ts'

describe.each([['native', loadNativeEngine]] as const)('the %s engine', (_, loadEngine) => {
  hooksSuite(loadEngine)
})
