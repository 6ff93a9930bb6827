/**
 * Times of `hardhat_mine` for many blocks, with and without an interval, on a chain in memory and on a stored one, with
 * the CPU time of the process and the size of the database before and after.
 *
 *   node test/bench/emptyRuns.bench.mjs [--rounds 3] [--counts 1000,10000,100000,10000000]
 *
 * Needs the built node. Prints the minimum and the median of the rounds; each round mines on one chain after another,
 * so the first count includes the start of the compiler's work. On a busy machine only the minimum is meaningful.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { connected, cpuMs } from './measuredNode.mjs'
import { RpcConnection } from './rpcConnection.mjs'

const PORT = 18721
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    counts: { type: 'string', default: '1000,10000,100000,10000000' },
  },
})
const counts = values.counts.split(',').map(Number)
const program = path.resolve(import.meta.dirname, '../../dist/server.js')
/** row -> { ms, cpuMs, kib } by round */
const table = new Map()

for (let round = 0; round < Number(values.rounds); round++) {
  for (const isStored of [false, true]) await runRound(isStored)
}
for (const [row, figures] of table) {
  const [ms, cpuMs, kib] = ['ms', 'cpuMs', 'kib'].map((name) => figures.map((figure) => figure[name]))
  const size = kib[0] === undefined ? '' : `, database +${median(kib).toFixed(0)} KiB`
  console.log(
    `${row}: ${Math.min(...ms).toFixed(0)} ms (median ${median(ms).toFixed(0)}), CPU ${median(cpuMs)} ms${size}`,
  )
}

async function runRound(isStored) {
  const folder = mkdtempSync(path.join(tmpdir(), 'isonode-runs-'))
  const place = isStored ? [`--data-path=${folder}`] : ['--ephemeral']
  const child = spawn(process.execPath, [program, ...place, '--logging=OFF', `--rpc-http-port=${PORT}`], {
    stdio: 'ignore',
  })
  const rpc = new RpcConnection(PORT)
  try {
    await connected(rpc)
    for (const count of counts) {
      for (const interval of [undefined, 12]) {
        const before = { ms: performance.now(), cpuMs: cpuMs(child.pid), kib: kibOf(folder) }
        await rpc.call('hardhat_mine', [hex(count), ...(interval === undefined ? [] : [hex(interval)])])
        const figure = {
          ms: performance.now() - before.ms,
          cpuMs: cpuMs(child.pid) - before.cpuMs,
          kib: isStored ? kibOf(folder) - before.kib : undefined,
        }
        const row = `${isStored ? 'stored' : 'memory'} ${count} ${interval === undefined ? 'no interval' : `${interval} s`}`
        table.set(row, [...(table.get(row) ?? []), figure])
      }
    }
  } finally {
    rpc.close()
    child.kill()
    await new Promise((resolve) => child.once('exit', resolve))
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Allocated space of all files below a folder. */
function kibOf(folder) {
  let blocks = 0
  for (const entry of readdirSync(folder, { recursive: true })) blocks += statSync(path.join(folder, entry)).blocks ?? 0
  return blocks / 2
}

function median(list) {
  const sorted = [...list].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)]
}

function hex(value) {
  return `0x${value.toString(16)}`
}
