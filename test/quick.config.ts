/** `npm run test:quick`: the unit tests that are fast, for a run between two edits. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { defineConfig } from 'vitest/config'
import type { Reporter } from 'vitest/node'
import config, { ISOLATED } from '../vitest.config.ts'

const root = path.resolve(import.meta.dirname, '..')
const { projects: _, reporters = [], ...common } = config.test ?? {}

/** Files whose first line says that they are slow, and why. */
const slow = readdirSync(path.join(root, 'test/unit'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => `test/unit/${file.replaceAll(path.sep, '/')}`)
  .filter((file) => readFileSync(path.join(root, file), 'utf8').startsWith('// slow: '))

/** Says what a quick run leaves out. */
class LeftOut implements Reporter {
  onTestRunEnd(): void {
    console.log(
      `\nLeft out: ${slow.length} slow files of unit tests (their first line says why), ${ISOLATED.length} that need a ` +
        'process of their own, and all other kinds of tests. npm test runs everything.',
    )
  }
}

export default defineConfig({
  root,
  test: {
    ...common,
    reporters: [...[reporters].flat(), new LeftOut()],
    include: ['test/*.test.ts', 'test/unit/**/*.test.ts'],
    exclude: [...ISOLATED, ...slow],
    isolate: false,
  },
})
