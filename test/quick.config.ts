/** `npm run test:quick`: the unit tests, for a run between two edits. */
import path from 'node:path'
import { defineConfig } from 'vitest/config'
import config, { EXCLUDED, ISOLATED } from '../vitest.config.ts'

const { projects: _, ...common } = config.test ?? {}

export default defineConfig({
  root: path.resolve(import.meta.dirname, '..'),
  test: {
    ...common,
    include: ['test/**/*.test.ts'],
    isolate: false,
    exclude: [
      ...EXCLUDED,
      ...ISOLATED,
      // Programs and official test sets
      'test/e2e/**',
      'test/spec/**',
      'test/fuzz/**',
      // Whole recorded chains
      'test/unit/chain/recordedChains.test.ts',
      'test/unit/chain/crossCheck.test.ts',
      'test/unit/rpc/recorded.test.ts',
      'test/unit/tracing/replayChanges.test.ts',
      'test/unit/tracing/geth/recordedChains.test.ts',
      // EVMs compared on many generated programs
      'test/unit/evm/traceAgreement.test.ts',
      'test/unit/evm/native/assembly*.test.ts',
      'test/unit/evm/hooks.test.ts',
      // Many blocks, or seals
      'test/unit/chain/termIndex/logs.test.ts',
      'test/unit/node/indexBuild.test.ts',
      'test/unit/node/logSearch.test.ts',
      'test/unit/consensus/ethash.test.ts',
      'test/unit/rpc/fuzz.test.ts',
      'test/unit/adapters/browserNode.test.ts',
    ],
  },
})
