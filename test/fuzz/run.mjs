/**
 * Runs random programs on the native and on the reference EVM, which must agree on everything.
 *
 *   node test/fuzz/run.mjs [--seconds 120] [--cases N] [--from N] [--seed S] [--fork F] [--out FOLDER]
 *   node test/fuzz/run.mjs --case FILE
 *   node test/fuzz/run.mjs --wrong gas      (the fuzzer tests itself on a faulty EVM)
 *
 * A differing case is shrunk and printed; `--case` runs it again, and it can be added to test/vectors/evm. `--from` is
 * the number of the first case; seed and number determine a case. A case that does not end fails the run. Needs the
 * built node; `--dist` selects another build. `--quick` ends with the first difference, without shrinking it.
 * `--portable` omits the host's hash functions and precompiles; `--module` uses another WASM module for the native
 * EVM.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { isMainThread, Worker, workerData } from 'node:worker_threads'
import { numberOption } from '../reliability/random.mjs'
import { opcodeReport } from './coverage.mjs'
import { FUZZ_FORKS } from './forks.mjs'
import { Fuzzer } from './fuzzer.mjs'
import { loadProject } from './project.mjs'
import { wrongEvm } from './wrongEvm.mjs'

const text = (name) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? undefined : process.argv[at + 1]
}
const root = path.resolve(import.meta.dirname, '../..')
const clock = { now: () => Date.now(), monotonic: () => performance.now() }
const random = { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) }
/** Number of kinds of differences after which the run ends. */
const MAX_KINDS = 20
/** A case takes milliseconds; shrinking one takes seconds. */
const PATIENCE_MS = 60_000
const CASES_A_TURN = 100

const seed = numberOption('seed', Date.now() % 1_000_000)
if (isMainThread) watch()
else process.exit((await work()) ? 0 : 1)

/** Runs everything in a separate thread, which an EVM that never returns may block. */
function watch() {
  const progress = new Int32Array(new SharedArrayBuffer(8))
  const worker = new Worker(new URL(import.meta.url), {
    workerData: progress,
    argv: [...process.argv.slice(2), '--seed', String(seed)],
  })
  let ticks = 0
  let since = performance.now()
  const timer = setInterval(() => {
    if (Atomics.load(progress, 1) !== ticks) {
      ticks = Atomics.load(progress, 1)
      since = performance.now()
    }
    if (performance.now() - since < PATIENCE_MS) return
    console.log(`case ${Atomics.load(progress, 0)} of seed ${seed} does not end\n0 passed, 1 failed`)
    process.exit(1)
  }, 1000)
  worker.on('error', (error) => {
    console.error(error)
    process.exit(1)
  })
  worker.on('exit', (code) => {
    clearInterval(timer)
    process.exitCode = code
  })
}

async function work() {
  const dist = path.resolve(text('dist') ?? path.join(root, 'dist'))
  const project = await loadProject(dist, process.argv.includes('--portable'))
  const wrong = text('wrong')
  const subject =
    wrong === undefined
      ? await project.loadNativeEvm(clock, random, await moduleOf(text('module')))
      : wrongEvm(project.createReferenceEvm(clock), wrong)
  const fuzzer = new Fuzzer(project, subject, () => Atomics.add(workerData, 1, 1))
  const file = text('case')
  return file === undefined ? runMany(fuzzer) : runFile(fuzzer, file)
}

async function moduleOf(file) {
  return file === undefined ? undefined : WebAssembly.compile(readFileSync(file))
}

async function runFile(fuzzer, name) {
  const { expected, actual, differs } = await fuzzer.run(JSON.parse(readFileSync(name, 'utf8')))
  report(expected, actual, differs)
  console.log(differs.length === 0 ? '1 passed, 0 failed' : '0 passed, 1 failed')
  return differs.length === 0
}

async function runMany(fuzzer) {
  const cases = numberOption('cases', Number.POSITIVE_INFINITY)
  const seconds = numberOption('seconds', cases === Number.POSITIVE_INFINITY ? 120 : Number.POSITIVE_INFINITY)
  const from = numberOption('from', 0)
  const fork = text('fork')
  const forks = fork === undefined ? FUZZ_FORKS : [fork]
  console.log(`seed ${seed}, ${fork ?? 'all forks'}`)
  const start = clock.monotonic()
  const kinds = new Set()
  let failed = 0
  let count = 0
  while (count < cases && clock.monotonic() - start < seconds * 1000 && kinds.size < MAX_KINDS) {
    const caseNumber = from + count++
    Atomics.store(workerData, 0, caseNumber)
    // Output leaves the thread only when its event loop turns.
    if (count % CASES_A_TURN === 0) await setImmediate()
    const fuzzCase = fuzzer.generate({ seed, caseNumber, forks })
    const outcome = await fuzzer.judge(fuzzCase)
    if (outcome.differs.length === 0) continue
    failed++
    console.log(
      `case ${caseNumber} of seed ${seed} (${fuzzCase.fork}, ${fuzzCase.drive}) differs: ${outcome.differs.join(', ')}`,
    )
    if (process.argv.includes('--quick')) break
    const kind = kindOf(outcome)
    if (kinds.has(kind)) continue
    kinds.add(kind)
    await show(fuzzer, fuzzCase, outcome.differs, caseNumber)
    await setImmediate()
  }
  const elapsed = (clock.monotonic() - start) / 1000
  console.log(`${Math.round(count / elapsed)} cases a second (${count} in ${elapsed.toFixed(1)} s)`)
  console.log(`outcomes: ${fuzzer.outcomes}`)
  console.log(opcodeReport(fuzzer.reference.counts))
  console.log(`${count - failed} passed, ${failed} failed`)
  return failed === 0
}

/** A key shared by differences that probably have the same cause; only the first of each is shrunk. */
function kindOf({ expected, actual, differs }) {
  return [...differs, expected.halt ?? expected.outcome, actual.halt ?? actual.outcome].join()
}

async function show(fuzzer, fuzzCase, differs, caseNumber) {
  const small = await fuzzer.shrink(fuzzCase, differs)
  const outcome = await fuzzer.run(small)
  report(outcome.expected, outcome.actual, outcome.differs)
  console.log(JSON.stringify(small))
  const out = text('out')
  if (out === undefined) return
  mkdirSync(out, { recursive: true })
  writeFileSync(path.join(out, `${seed}-${caseNumber}.json`), `${JSON.stringify(small, undefined, 2)}\n`)
}

function report(expected, actual, differs) {
  for (const name of differs) {
    console.log(`  ${name}: reference ${JSON.stringify(expected[name])}, native ${JSON.stringify(actual[name])}`)
  }
}
