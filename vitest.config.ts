import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/long/**', 'test/bench/**', 'test/runtime/**'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'Deno' in globalThis ? 'forks' : 'threads',
  },
})
