/** `npm run test:page`: the explorer of the built program in Chromium. */
import path from 'node:path'
import { defineConfig } from 'vitest/config'
import config from '../../vitest.config.ts'

const { projects: _, ...common } = config.test ?? {}

export default defineConfig({
  root: path.resolve(import.meta.dirname, '../..'),
  test: {
    ...common,
    testTimeout: 180_000,
    include: ['test/page/**/*.test.ts'],
    globalSetup: ['test/support/host/build.ts'],
    // Times are measured, and each file has a browser and a node.
    fileParallelism: false,
  },
})
