/** `npm run test:networks`: networks of programs, one file at a time, because each needs the cores for itself. */
import path from 'node:path'
import { defineConfig } from 'vitest/config'
import config from '../../vitest.config.ts'

const { projects: _, ...common } = config.test ?? {}

export default defineConfig({
  root: path.resolve(import.meta.dirname, '../..'),
  test: {
    ...common,
    include: ['test/networks/**/*.test.ts'],
    isolate: false,
    globalSetup: ['test/support/host/build.ts'],
    fileParallelism: false,
  },
})
