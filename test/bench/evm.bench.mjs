/**
 * Compares the native EVM with the reference EVM and bare @ethereumjs/evm, alternating in one process. Run on built
 * code:
 *
 *   npm run build && node test/bench/evm.bench.mjs [--rounds 3] [--seconds 0.3] [--only TEXT] [--profile] [--json FILE]
 *
 * A cell is the median over the rounds in Mgas per second of the process's CPU time, which a busy machine affects
 * less. The ratios are medians of the rounds' ratios to @ethereumjs/evm and are comparable between machines. All EVMs
 * must use the same gas. `--only` selects programs whose name contains the text; `--profile` shows where the native
 * EVM spends its time.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { installNodeCrypto } from '../../dist/adapters/server/crypto/crypto.js'
import { NativeInstance } from '../../dist/src/evm/native/instance.js'
import { WASM_BASE64 } from '../../dist/src/evm/native/wasmBase64.js'
import { profiled, selfTimes, shortUrl, topEntries } from './cpuProfile.mjs'
import { ENGINES } from './evmEngines.mjs'
import { evmPrograms } from './evmPrograms.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '0.3' },
    only: { type: 'string', default: '' },
    profile: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const milliseconds = Number(values.seconds) * 1000
const NAMES = Object.keys(ENGINES)
const BASE = NAMES.at(-1)
const PROFILE_ENTRIES = 12
/** Number of compilations and instantiations for a median. */
const STARTS = 15

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

/**
 * Runs whole units until the time is over.
 * @returns Mgas per second of CPU time
 */
async function measure(run, { repeat }, forMs = milliseconds) {
  let gas = 0
  const started = performance.now()
  const cpuBefore = process.cpuUsage()
  for (;;) {
    for (let i = 0; i < repeat; i++) {
      const used = run()
      gas += used instanceof Promise ? await used : used
    }
    if (performance.now() - started < forMs) continue
    const { user, system } = process.cpuUsage(cpuBefore)
    return gas / (user + system)
  }
}

async function bench(program, engines) {
  const runs = {}
  const gas = {}
  for (const name of NAMES) {
    runs[name] = await engines[name](program)
    gas[name] = await runs[name]()
    if (gas[name] !== gas[NAMES[0]]) throw new Error(`${program.name}: gas differs, ${JSON.stringify(gas)}`)
    await measure(runs[name], program, milliseconds / 2)
  }
  const rates = Object.fromEntries(NAMES.map((name) => [name, []]))
  for (let round = 0; round < rounds; round++) {
    for (const i of NAMES.keys()) {
      const name = NAMES[(i + round) % NAMES.length]
      rates[name].push(await measure(runs[name], program))
    }
  }
  const row = { name: program.name, gas: gas[BASE], rate: {}, ratio: {} }
  for (const name of NAMES) {
    row.rate[name] = median(rates[name])
    row.ratio[name] = median(rates[name].map((rate, i) => rate / rates[BASE][i]))
  }
  if (values.profile) row.profile = await profileOf(runs.native, program)
  return row
}

async function profileOf(run, program) {
  const profile = await profiled(() => measure(run, program, 3 * milliseconds))
  // The profiler itself appears as a function of this name.
  const isProfiler = ({ functionName, url }) => functionName === 'dispatch' && url === ''
  const times = selfTimes(profile, (callFrame) =>
    isProfiler(callFrame) ? undefined : `${callFrame.functionName || '(anonymous)'} ${shortUrl(callFrame.url)}`,
  )
  return topEntries(times, PROFILE_ENTRIES)
}

async function moduleFigures() {
  const bytes = Buffer.from(WASM_BASE64, 'base64')
  const compile = []
  const instantiate = []
  let instance
  for (let i = 0; i < STARTS; i++) {
    // Appends a different custom section each time, because V8 does not compile identical bytes twice.
    const unlike = Buffer.concat([bytes, Buffer.of(0, 3, 1, 0x78, i)])
    const started = performance.now()
    const module = await WebAssembly.compile(unlike)
    const compiled = performance.now()
    instance = new NativeInstance(module, new Uint8Array(40))
    instance.reset()
    instantiate.push(performance.now() - compiled)
    compile.push(compiled - started)
  }
  return {
    wasmBytes: bytes.length,
    gzipBytes: gzipSync(bytes).length,
    firstCompileMs: compile[0],
    compileMs: median(compile),
    firstInstanceMs: instantiate[0],
    instanceMs: median(instantiate),
    newInstanceBytes: instance.size,
  }
}

const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`

function printModule(figures) {
  const ms = (value) => `${value.toFixed(2)} ms`
  console.log(`module: ${kib(figures.wasmBytes)}, ${kib(figures.gzipBytes)} with gzip`)
  console.log(`compile: ${ms(figures.firstCompileMs)} the first time, ${ms(figures.compileMs)} later`)
  console.log(`instance: ${ms(figures.firstInstanceMs)} the first time, ${ms(figures.instanceMs)} later`)
  console.log(`memory of a new instance: ${kib(figures.newInstanceBytes)}\n`)
}

function printRow({ name, rate, ratio, profile = [] }) {
  const cells = NAMES.map((engine) => {
    const times = engine === BASE ? '' : ` (${ratio[engine].toFixed(ratio[engine] < 10 ? 2 : 1)}x)`
    return `${rate[engine].toFixed(1)}${times}`.padStart(22)
  })
  console.log(name.padEnd(26) + cells.join(''))
  for (const { key, share } of profile) console.log(`${(share * 100).toFixed(1).padStart(10)} %  ${key}`)
}

const figures = await moduleFigures()
printModule(figures)
const crypto = await installNodeCrypto()
const engines = {}
for (const name of NAMES) engines[name] = await ENGINES[name]()
console.log('Mgas/s'.padEnd(26) + NAMES.map((name) => name.padStart(22)).join(''))
const rows = []
for (const program of evmPrograms().filter(({ name }) => name.includes(values.only))) {
  const row = await bench(program, engines)
  rows.push(row)
  printRow(row)
}
const { version } = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../../node_modules/@ethereumjs/evm/package.json'), 'utf8'),
)
const versions = { node: process.version, '@ethereumjs/evm': version }
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify({ versions, crypto, module: figures, rows }))
