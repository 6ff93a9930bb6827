/** `npm run test:page`: the explorer of the built program in Chromium. */
import path from 'node:path'
import { defineConfig } from 'vitest/config'
import config from '../../vitest.config.ts'

const { projects: _, ...common } = config.test ?? {}

/** Files that measure times have the machine for themselves. */
const MEASURED = ['test/page/firstView.test.ts']

export default defineConfig({
  root: path.resolve(import.meta.dirname, '../..'),
  test: {
    ...common,
    testTimeout: 180_000,
    globalSetup: ['test/support/host/build.ts'],
    projects: [
      {
        extends: true,
        test: {
          name: 'views',
          include: ['test/page/**/*.test.ts'],
          exclude: MEASURED,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: { name: 'measured', include: MEASURED, maxWorkers: 1, sequence: { groupOrder: 1 } },
      },
    ],
  },
})
