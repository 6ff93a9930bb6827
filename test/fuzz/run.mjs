/**
 * Runs random programs on the native engine and on the reference engine; both have to agree about everything.
 *
 *   node test/fuzz/run.mjs [--seconds 120] [--cases N] [--from N] [--seed S] [--fork F] [--out FOLDER]
 *   node test/fuzz/run.mjs --case FILE
 *   node test/fuzz/run.mjs --wrong gas      (the fuzzer tests itself on an engine that is wrong)
 *
 * A difference is made small and printed as a case, which `--case` runs again and test/vectors/evm takes. `--from` is the
 * number of the first case: a seed and a number make a case. Needs the built node; `--dist` names another build. `--portable` leaves the host's hash functions and
 * precompiles out.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { numberOption } from '../reliability/random.mjs'
import { opcodeReport } from './coverage.mjs'
import { FUZZ_FORKS } from './forks.mjs'
import { Fuzzer } from './fuzzer.mjs'
import { loadProject } from './project.mjs'
import { wrongEngine } from './wrongEngine.mjs'

const text = (name) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? undefined : process.argv[at + 1]
}
const root = path.resolve(import.meta.dirname, '../..')
const clock = { now: () => Date.now(), monotonic: () => performance.now() }
const MAX_DIFFERENCES = 25

const project = await loadProject(
  path.resolve(text('dist') ?? path.join(root, 'dist')),
  process.argv.includes('--portable'),
)
const wrong = text('wrong')
const subject =
  wrong === undefined ? await project.loadNativeEngine(clock) : wrongEngine(project.createReferenceEngine(clock), wrong)
const fuzzer = new Fuzzer(project, subject)
const file = text('case')
process.exit((await (file === undefined ? runMany() : runFile(file))) ? 0 : 1)

async function runFile(name) {
  const { expected, actual, differs } = await fuzzer.run(JSON.parse(readFileSync(name, 'utf8')))
  report(expected, actual, differs)
  console.log(differs.length === 0 ? '1 passed, 0 failed' : '0 passed, 1 failed')
  return differs.length === 0
}

async function runMany() {
  const seed = numberOption('seed', Date.now() % 1_000_000)
  const cases = numberOption('cases', Number.POSITIVE_INFINITY)
  const seconds = numberOption('seconds', cases === Number.POSITIVE_INFINITY ? 120 : Number.POSITIVE_INFINITY)
  const from = numberOption('from', 0)
  const fork = text('fork')
  const forks = fork === undefined ? FUZZ_FORKS : [fork]
  console.log(`seed ${seed}, ${fork ?? 'all forks'}`)
  const start = clock.monotonic()
  let failed = 0
  let count = 0
  const kinds = new Set()
  while (count < cases && clock.monotonic() - start < seconds * 1000 && failed < MAX_DIFFERENCES) {
    const caseNumber = from + count++
    const fuzzCase = fuzzer.generate({ seed, caseNumber, forks })
    const { differs } = await fuzzer.judge(fuzzCase)
    if (differs.length === 0) continue
    failed++
    await show({ seed, caseNumber, fork: fuzzCase.fork, fuzzCase, differs, kinds })
  }
  const elapsed = (clock.monotonic() - start) / 1000
  console.log(`${Math.round(count / elapsed)} cases a second (${count} in ${elapsed.toFixed(1)} s)`)
  console.log(`outcomes: ${fuzzer.outcomes}`)
  console.log(opcodeReport(fuzzer.reference.counts))
  console.log(`${count - failed} passed, ${failed} failed`)
  return failed === 0
}

async function show({ seed, caseNumber, fork, fuzzCase, differs }) {
  console.log(`case ${caseNumber} of seed ${seed} (${fork}, ${fuzzCase.drive}) differs: ${differs.join(', ')}`)
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
