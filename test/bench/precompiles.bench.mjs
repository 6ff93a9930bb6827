/**
 * Measures precompiled contracts in Mgas per second of CPU time and prints a Markdown table. Run on built code, on any
 * runtime:
 *
 *   npm run build && node test/bench/precompiles.bench.mjs
 *   deno run -A test/bench/precompiles.bench.mjs, bun test/bench/precompiles.bench.mjs
 *     [--portable] [--bigint] [--chromium] [--all] [--rounds 3] [--seconds 0.2] [--only TEXT] [--json FILE]
 *
 * A row is the worst call of a precompile; `--all` shows every call. `--portable` installs nothing; curves then still
 * use WebAssembly, unless `--bigint` forbids compiling it, as Workers do. `--chromium` measures in a page with the
 * implementations that the browser's adapter installs (Node only; ISONODE_CHROMIUM is the browser's path), by
 * wall-clock instead of CPU time.
 */
import { writeFileSync } from 'node:fs'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { installNodeCrypto } from '../../dist/adapters/server/crypto/crypto.js'
import { measurePrecompiles } from './precompileRounds.mjs'

const { values } = parseArgs({
  options: {
    portable: { type: 'boolean', default: false },
    bigint: { type: 'boolean', default: false },
    chromium: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '0.2' },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
  },
})
const options = { rounds: Number(values.rounds), seconds: Number(values.seconds), only: values.only }

function cpuMs() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function worst(rows) {
  const byPrecompile = new Map()
  for (const row of rows) {
    const found = byPrecompile.get(row.precompile)
    if (found === undefined || row.rate < found.rate) byPrecompile.set(row.precompile, row)
  }
  return [...byPrecompile.values()]
}

function line({ precompile, label, gas, rate }) {
  return `| ${precompile} | ${label} | ${gas} | ${rate.toFixed(rate < 10 ? 2 : 0)} |`
}

function forbidCompiling() {
  WebAssembly.compile = () => Promise.reject(new WebAssembly.CompileError('forbidden'))
}

async function rowsHere() {
  if (values.bigint) forbidCompiling()
  else if (!values.portable) await installNodeCrypto()
  return measurePrecompiles({ cpuMs, ...options, onRow: values.all ? (row) => console.log(line(row)) : undefined })
}

console.log('| Precompile | Call | Gas | Mgas/s |\n|---|---|---:|---:|')
const rows = values.chromium
  ? await (await import('./precompilePage.mjs')).measureInChromium({ ...options, portable: values.portable })
  : await rowsHere()
if (!values.all) for (const row of worst(rows)) console.log(line(row))
else if (values.chromium) for (const row of rows) console.log(line(row))
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(rows))
