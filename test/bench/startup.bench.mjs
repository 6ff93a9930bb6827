/**
 * Time from the start of a process to its first answer, and its memory after that: ours, anvil, Hardhat's node, ganache
 * and an empty Node process, alternating in one run.
 *
 *   node test/bench/startup.bench.mjs [--rounds 7] [--targets ours,anvil,hardhat,ganache] [--json FILE]
 *
 * Needs the built node. `ours` starts with a new data directory and the code stored by an earlier start; `ours, again`
 * opens the directory that it made; `ours, first` has no stored code. The other targets are expected in .cache, as for
 * dev.bench.mjs. Prints the median and the minimum of the rounds; on a busy machine only the minimum is meaningful.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { installedTargets, residentMiB, startTarget, stopTarget } from './devTargets.mjs'

const MEMORY_AFTER_MS = 1_000
/** After this time, a node has stored its code (adapters/server/build/loadProgram.ts). */
const CODE_STORED_AFTER_MS = 5_000

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    targets: { type: 'string', default: 'ours,anvil,hardhat,ganache' },
    json: { type: 'string' },
  },
})
const dist = path.resolve(import.meta.dirname, '../../dist')
const temporary = mkdtempSync(path.join(tmpdir(), 'isonode-startup-'))
/** name -> { milliseconds, mebibytes }, by round */
const table = new Map()

function codeFiles() {
  const builds = readdirSync(dist).filter((name) => name.startsWith('build-'))
  return builds.flatMap((name) =>
    readdirSync(path.join(dist, name))
      .filter((file) => file.startsWith('code-'))
      .map((file) => path.join(dist, name, file)),
  )
}

function note(name, milliseconds, mebibytes) {
  const row = table.get(name) ?? { milliseconds: [], mebibytes: [] }
  row.milliseconds.push(milliseconds)
  if (mebibytes !== undefined) row.mebibytes.push(mebibytes)
  table.set(name, row)
}

async function measure(name, target, folder) {
  const running = await startTarget(target, folder)
  await delay(MEMORY_AFTER_MS)
  note(name, running.startMs, residentMiB(running))
  await stopTarget(running)
}

/** On disk, like the default of the command, in place of a chain in memory. */
function onDisk(target) {
  const command = (folder) => target.command(folder).filter((argument) => argument !== '--ephemeral')
  return { ...target, command }
}

async function measureNode() {
  const begin = performance.now()
  const child = spawn(process.execPath, ['-e', '0'], { stdio: 'ignore' })
  await new Promise((resolve) => child.once('exit', resolve))
  note('node -e 0', performance.now() - begin)
}

async function measureOurs(target, round) {
  const folder = path.join(temporary, `ours-${round}`)
  await measure('ours', onDisk(target), folder)
  await measure('ours, again', onDisk(target), folder)
}

async function measureFirst(target) {
  for (const file of codeFiles()) rmSync(file)
  const running = await startTarget(onDisk(target), path.join(temporary, 'first'))
  note('ours, first', running.startMs)
  await delay(CODE_STORED_AFTER_MS)
  await stopTarget(running)
}

const sorted = (list) => [...list].sort((a, b) => a - b)
const median = (list) => sorted(list)[list.length >> 1]
const shown = (value, digits = 0) => (value === undefined ? '' : value.toFixed(digits)).padStart(9)

try {
  const targets = installedTargets(values.targets.split(','))
  const ours = targets.find(({ name }) => name === 'ours')
  for (let round = 0; round < Number(values.rounds); round++) {
    await measureNode()
    if (ours !== undefined && round < 3) await measureFirst(ours)
    for (const target of targets) {
      if (target === ours) await measureOurs(ours, round)
      else await measure(target.name, target, path.join(temporary, String(round)))
    }
  }
} finally {
  rmSync(temporary, { recursive: true, force: true })
}
console.log(`${''.padEnd(12)} median ms  least ms    MiB`)
for (const [name, { milliseconds, mebibytes }] of table) {
  const [least] = sorted(milliseconds)
  console.log(name.padEnd(12), shown(median(milliseconds)), shown(least), shown(median(mebibytes), 1))
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(Object.fromEntries(table), null, 2)}\n`)
