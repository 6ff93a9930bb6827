import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { SkipReport } from './test/support/skipReport.ts'

const isDeno = 'Deno' in globalThis
/** The programs of all runtimes are started from Node. */
const isNode = !isDeno && !('Bun' in globalThis)

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/long/**', 'test/bench/**', 'test/runtime/**', ...(isNode ? [] : ['test/e2e/**'])],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: isDeno ? 'forks' : 'threads',
    reporters: ['default', new SkipReport()],
    // vitest would leave one of two cores idle.
    ...(isNode ? { maxWorkers: Math.max(2, availableParallelism() - 1) } : {}),
  },
})
