/** `npm run test:quick`: the unit tests, for a run between two edits. */
import path from 'node:path'
import { mergeConfig } from 'vitest/config'
import config from '../vitest.config.ts'

export default mergeConfig(config, {
  root: path.resolve(import.meta.dirname, '..'),
  test: {
    // Each worker loads a module once, not once per file. This nearly halves the time.
    isolate: false,
    exclude: [
      // Programs and official test sets
      'test/e2e/**',
      'test/spec/**',
      'test/fuzz/**',
      // Whole recorded chains
      'test/chain/recordedChains.test.ts',
      'test/chain/crossCheck.test.ts',
      'test/rpc/recorded.test.ts',
      'test/tracing/replayChanges.test.ts',
      'test/tracing/geth/recordedChains.test.ts',
      // Replace modules, or need modules that nothing has loaded
      'test/adapters/lmdbErrors.test.ts',
      'test/evm/precompiles/loading.test.ts',
      'test/adapters/nodePrecompiles.test.ts',
      // EVMs compared on many generated programs
      'test/evm/traceAgreement.test.ts',
      'test/evm/native/assembly*.test.ts',
      'test/evm/hooks.test.ts',
      // Many blocks, or seals
      'test/chain/termIndex/logs.test.ts',
      'test/node/indexBuild.test.ts',
      'test/node/logSearch.test.ts',
      'test/consensus/ethash.test.ts',
      'test/rpc/fuzz.test.ts',
      'test/adapters/browserNode.test.ts',
    ],
  },
})
