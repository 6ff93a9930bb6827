import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { SkipReport } from './test/support/skipReport.ts'

const isDeno = 'Deno' in globalThis
/** The programs of all runtimes are started from Node. */
const isNode = !isDeno && !('Bun' in globalThis)

/** Files that need a worker without the modules and hooks of other files. */
export const ISOLATED = [
  // The processes and directories that a file leaves are removed at its end.
  'test/e2e/**/*.test.ts',
  // Replace modules, or need modules that nothing has loaded
  'test/adapters/lmdbErrors.test.ts',
  'test/adapters/nodePrecompiles.test.ts',
  'test/evm/precompiles/loading.test.ts',
]

export const EXCLUDED = ['test/long/**', 'test/bench/**', 'test/runtime/**', ...(isNode ? [] : ['test/e2e/**'])]

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
          exclude: [...EXCLUDED, ...ISOLATED],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'isolated', include: ISOLATED, exclude: EXCLUDED } },
    ],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // A thread that ends while a native module runs may end the whole process.
    pool: 'forks',
    // vitest would leave one of two cores idle.
    ...(isNode ? { maxWorkers: Math.max(2, availableParallelism() - 1) } : {}),
  },
})
