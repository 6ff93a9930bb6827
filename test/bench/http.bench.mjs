// Compares our HTTP server with bare node:http, alternating in one run: `node test/bench/http.bench.mjs [rounds]
// [seconds]`. Includes Deno and Bun if they can be started. On a busy machine only the ratios are meaningful.
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { bunBinary, denoBinary } from '../support/host/binaries.mjs'

const here = import.meta.dirname
const [rounds = 5, seconds = 1.5] = process.argv.slice(2).map(Number)
const CONNECTIONS = 16
const BATCH = 100
const call = '{"jsonrpc":"2.0","method":"eth_blockNumber","params":[],"id":1}'
const batch = `[${Array(BATCH).fill(call).join()}]`

const folder = mkdtempSync(path.join(here, '../../node_modules/.bench-'))
const bundle = path.join(folder, 'servers.mjs')
await build({
  entryPoints: [path.join(here, 'httpServers.ts')],
  outfile: bundle,
  bundle: true,
  platform: 'node',
  format: 'esm',
  packages: 'external',
  target: 'node20',
  logLevel: 'error',
})

const runtime = path.join(here, 'httpRuntime.ts')
const COMMANDS = {
  'bare-unread': [process.execPath, bundle, 'bare-unread'],
  bare: [process.execPath, bundle, 'bare'],
  ours: [process.execPath, bundle, 'ours'],
  'ours-app': [process.execPath, bundle, 'ours-app'],
  deno: [denoBinary(), 'run', '-A', '--no-lock', '--node-modules-dir=manual', runtime],
  bun: [bunBinary(), 'run', runtime],
}

/** @returns undefined when it cannot be started on this machine */
function open(kind) {
  const [command, ...rest] = COMMANDS[kind]
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'ignore'] })
  return new Promise((resolve) => {
    child.once('error', () => resolve(undefined))
    child.once('exit', () => resolve(undefined))
    child.stdout.once('data', (text) => resolve({ kind, child, port: String(text).trim() }))
  })
}

const run = promisify(execFile)
const measure = async ({ port }, body) => {
  const load = [path.join(here, 'httpLoad.mjs'), port, CONNECTIONS, seconds, body].map(String)
  return Number((await run(process.execPath, load)).stdout)
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]
const servers = []
try {
  for (const kind of Object.keys(COMMANDS)) {
    const server = await open(kind)
    if (server !== undefined) servers.push(server)
  }
  const ours = servers.find(({ kind }) => kind === 'ours')
  const single = new Map(servers.map(({ kind }) => [kind, []]))
  const batched = []
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < servers.length; i++) {
      const server = servers[(i + round) % servers.length]
      single.get(server.kind).push(await measure(server, call))
    }
    batched.push((await measure(ours, batch)) * BATCH)
  }
  console.log(`eth_blockNumber, ${CONNECTIONS} connections, median of ${rounds} rounds (median of ratios to bare)`)
  for (const [kind, figures] of single) {
    const ratio = median(figures.map((figure, round) => figure / single.get('bare')[round]))
    console.log(`${kind.padEnd(12)} ${String(median(figures)).padStart(7)} /s  ${ratio.toFixed(2)}`)
  }
  console.log(`ours, batches of ${BATCH}: ${median(batched)} calls/s`)
} finally {
  for (const { child } of servers) child.kill()
  rmSync(folder, { recursive: true })
}
