/** Type checks of every part under the types of its own runtime. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const projects = [
  'src',
  '.',
  'adapters/deno',
  'adapters/bun',
  'adapters/workers',
  'adapters/browser',
  'adapters/page',
  'adapters/devtools',
  'adapters/devtools/worker',
  'adapters/extension',
  'test',
  'test/page',
]
let failed = 0
for (const project of projects) {
  const config = project === '.' ? 'tsconfig.json' : `${project}/tsconfig.json`
  if (!existsSync(config)) {
    console.log(`${config}: missing`)
    failed++
    continue
  }
  const { status } = spawnSync('node_modules/.bin/tsc', ['-p', config, '--noEmit'], { stdio: 'inherit' })
  console.log(`types ${config}: ${status === 0 ? 'ok' : 'FAILED'}`)
  if (status !== 0) failed++
}
process.exit(failed === 0 ? 0 : 1)
