/** `npx vitest run --config test/runtime/vitest.config.ts`: the node in every runtime, as its users start it. */
import path from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  root: path.resolve(import.meta.dirname, '../..'),
  test: {
    include: ['test/runtime/**/*.test.ts'],
    globalSetup: ['test/support/host/build.ts'],
    expect: { poll: { timeout: 20_000 } },
    testTimeout: 180_000,
    hookTimeout: 180_000,
    maxWorkers: 2,
    // Runs of parts of it follow one another.
    experimental: { fsModuleCache: true },
  },
})
