/**
 * The long runs: kill loops, endurance, fuzz, comparison with anvil.
 *
 *   node test/long/run.mjs [--share 0.05]
 *
 * `--share` runs that part of each (CI runs a twentieth).
 */
import { spawnSync } from 'node:child_process'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')
const at = process.argv.indexOf('--share')
const share = at < 0 ? 1 : Number(process.argv[at + 1])

const RUNS = [
  { name: 'kill loop over an import', script: 'test/reliability/killLoop.mjs', flag: '--rounds', full: 50 },
  {
    name: 'kill loop under transactions',
    script: 'test/reliability/transactionKillLoop.mjs',
    flag: '--rounds',
    full: 100,
  },
  { name: 'fuzz of the engines', script: 'test/fuzz/run.mjs', flag: '--seconds', full: 2400 },
  { name: 'comparison with anvil', script: 'test/fuzz/anvil.mjs', flag: '--seconds', full: 600 },
  { name: 'endurance', script: 'test/reliability/endurance.mjs', flag: '--transactions', full: 100_000 },
]

let passed = 0
let failed = 0
for (const { name, script, flag, full } of RUNS) {
  const count = Math.max(3, Math.ceil(full * share))
  console.log(`${name}: ${count} of ${full}`)
  const { status } = spawnSync(process.execPath, [path.join(root, script), flag, String(count)], { stdio: 'inherit' })
  if (status === 0) passed++
  else failed++
}
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
