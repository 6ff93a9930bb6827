/** The long runs that are tests; started by test/long/run.mjs. */
import path from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: path.resolve(import.meta.dirname, '../..'),
  test: {
    include: ['test/long/**/*.test.ts'],
    setupFiles: ['test/support/host/setup.ts'],
    // The files are started one by one, and would transform the same modules again.
    experimental: { fsModuleCache: true },
    maxWorkers: 1,
    testTimeout: 600_000,
  },
})
