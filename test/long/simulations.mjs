/**
 * Runs seeds of simulated networks in parallel processes, and reports its progress.
 *
 *   node test/long/simulations.mjs --kind agreement [--seeds 20000] [--from 1] [--jobs N]
 *
 * The kinds are in test/simulation/kinds.ts. Each failed seed is printed with the command that replays it.
 */
import { fork } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'

const PROGRESS_MS = 10_000
/** A worker gets this many seeds at a time. */
const CHUNK = 20

const root = path.resolve(import.meta.dirname, '../..')
const { values } = parseArgs({
  options: {
    kind: { type: 'string' },
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    jobs: { type: 'string', default: String(os.availableParallelism()) },
  },
})
const { kind } = values
if (kind === undefined) throw new Error('--kind is missing')
const [seeds, from, jobs] = [values.seeds, values.from, values.jobs].map(Number)

// Inside of the repository, where its packages are found.
const parent = path.join(root, 'node_modules/.cache')
mkdirSync(parent, { recursive: true })
const folder = mkdtempSync(path.join(parent, 'simulation-'))
await build({
  entryPoints: [path.join(root, 'test/simulation/worker.ts')],
  outdir: folder,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
  logLevel: 'error',
})

const end = from + seeds
const started = performance.now()
const failed = []
let next = from
let done = 0
let cpuMs = 0
let file = ''

/** Gives the worker its next seeds, or ends it. */
function assign(worker) {
  if (next >= end) {
    worker.disconnect()
    return
  }
  const count = Math.min(CHUNK, end - next)
  worker.assigned = { from: next, count }
  worker.send(worker.assigned)
  next += count
}

function accept(worker, report) {
  if (report.isReady) file = report.file
  else {
    done += report.count
    cpuMs += report.cpuMs
    for (const problem of report.failed) fail(problem)
    worker.assigned = undefined
  }
  assign(worker)
}

function fail(problem) {
  failed.push(problem)
  const [seed] = problem.match(/\d+/)
  console.log(`${kind}: ${problem}\n  SIM_SEED=${seed} npx vitest run ${file}`)
}

function progress() {
  const seconds = (performance.now() - started) / 1000
  const left = done > 0 ? Math.round((seconds / done) * (seeds - done)) : '?'
  const each = done > 0 ? (cpuMs / done).toFixed(1) : '?'
  console.log(`${kind}: ${done} of ${seeds} seeds, ${failed.length} failed, ${each} ms CPU each, ${left} s left`)
}

function runWorker() {
  return new Promise((resolve) => {
    const worker = fork(path.join(folder, 'worker.mjs'), [kind], { cwd: root })
    worker.on('message', (report) => accept(worker, report))
    worker.on('exit', (code) => {
      if (code !== 0 || worker.assigned !== undefined) {
        const { from: first = next, count = 0 } = worker.assigned ?? {}
        fail(`${first} and the ${count} seeds from it: the process ended with ${code}`)
      }
      resolve()
    })
  })
}

const timer = setInterval(progress, PROGRESS_MS)
await Promise.all(Array.from({ length: Math.max(1, Math.min(jobs, Math.ceil(seeds / CHUNK))) }, runWorker))
clearInterval(timer)
rmSync(folder, { recursive: true })
progress()
process.exit(failed.length === 0 && done === seeds ? 0 : 1)
