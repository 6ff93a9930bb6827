import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { SkipReport } from './test/support/host/skipReport.ts'

/** The programs of all runtimes are started from Node. Simulations do not depend on the runtime. */
const isNode = !('Deno' in globalThis) && !('Bun' in globalThis)

/** Files that replace modules, or need modules that nothing has loaded. */
export const ISOLATED = [
  // It measures the memory of its process.
  'test/unit/chain/cachedHeaders.test.ts',
  'test/unit/adapters/server/data/lmdbErrors.test.ts',
  'test/unit/adapters/server/data/lmdbReadAhead.test.ts',
  'test/unit/adapters/server/crypto/nodePrecompiles.test.ts',
  'test/unit/evm/precompiles/loading.test.ts',
  // It measures with the hash functions of a node.
  'test/unit/net/protocols/hostileMessages.test.ts',
]

export const EXCLUDED = [
  'test/long/**',
  'test/bench/**',
  'test/runtime/**',
  // `npm run test:networks`
  'test/networks/**',
  ...(isNode ? [] : ['test/e2e/**', 'test/simulation/**']),
]

/** Files that start the built program. */
const PROGRAMS = ['test/e2e/**/*.test.ts']

export default defineConfig({
  test: {
    reporters: ['default', new SkipReport()],
    projects: [
      // Each worker loads a module once, not once per file. This nearly halves the time.
      {
        extends: true,
        test: {
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...EXCLUDED, ...ISOLATED, ...PROGRAMS],
          isolate: false,
        },
      },
      // Only a run with such a file builds.
      {
        extends: true,
        test: {
          name: 'programs',
          include: PROGRAMS,
          exclude: EXCLUDED,
          isolate: false,
          globalSetup: ['test/support/host/build.ts'],
        },
      },
      { extends: true, test: { name: 'isolated', include: ISOLATED, exclude: EXCLUDED } },
    ],
    setupFiles: ['test/support/host/setup.ts'],
    // Transformed modules stay in node_modules for the next run, which takes half the time for a small folder.
    experimental: { fsModuleCache: true },
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // A thread that ends while a native module runs may end the whole process.
    pool: 'forks',
    // vitest would leave one of two cores idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
})
