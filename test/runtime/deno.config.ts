/** `npx vitest run --config test/runtime/deno.config.ts`: the tests of the program that `npm test` runs on Node. */
import { defineConfig } from 'vitest/config'
import runtimes from './vitest.config.ts'

export default defineConfig({
  ...runtimes,
  test: {
    ...runtimes.test,
    include: ['test/{e2e,networks}/**/*.test.ts', 'test/runtime/miningDataset.test.ts'],
    testNamePattern: /\bon deno\b/,
    env: { ISONODE_TEST_RUNTIME: 'deno' },
    setupFiles: ['test/support/host/setup.ts'],
    isolate: false,
    pool: 'forks',
  },
})
