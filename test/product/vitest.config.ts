/** `npm run test:product`: the guides, the build and the declarations, as users of the product meet them. */
import path from 'node:path'
import { defineConfig } from 'vitest/config'
import config from '../../vitest.config.ts'

const { projects: _, ...common } = config.test ?? {}

export default defineConfig({
  root: path.resolve(import.meta.dirname, '../..'),
  test: {
    ...common,
    include: ['test/product/**/*.test.ts'],
    globalSetup: ['test/support/host/build.ts'],
  },
})
