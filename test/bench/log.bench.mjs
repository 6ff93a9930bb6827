/**
 * Transfers per second with the default log, which another process reads from a pipe, beside `--silent`.
 *
 *   node test/bench/log.bench.mjs [--rounds 5] [--transactions 1000]
 *
 * Both nodes run at the same time and are loaded in turns; the order alternates by round and by slice of a load. `clock`
 * is the rate by the wall clock; `CPU` is the rate per second of processor time of the node, which does not depend on
 * other load of the machine. Cells are medians over the rounds; the ratio is the median of the rounds' ratios. Exits with
 * 1 unless both ratios of every load reach 0.95.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { makeSenders, signTransfer } from '../reliability/devNode.mjs'
import { startTarget, stopTarget } from './devTargets.mjs'
import { RpcConnection } from './rpcConnection.mjs'

const LEAST_RATIO = 0.95
const FUNDS = 10n ** 24n
const WARM_UP = 300
/** Parts of a load that alternate between the nodes. */
const SLICES = 5
const CONNECTIONS = [1, 16]
/** Clock ticks per second in /proc. */
const TICKS = 100
const SERVER = path.resolve(import.meta.dirname, '../../dist/server.js')

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, transactions: { type: 'string', default: '1000' } },
})
const rounds = Number(values.rounds)
const readers = []

const targets = [
  target('silent', 18721, ['--silent']),
  {
    ...target('default log', 18723, []),
    stdio: () => {
      const reader = spawn('cat', { stdio: ['pipe', 'ignore', 'ignore'] })
      readers.push(reader)
      return ['ignore', reader.stdin, 'ignore']
    },
  },
]

function target(name, port, options) {
  const args = [SERVER, '--ephemeral', `--rpc-http-port=${port}`, `--rpc-ws-port=${port + 1}`, ...options]
  return { name, port, wsPort: port + 1, command: () => [process.execPath, ...args], setBalance: 'anvil_setBalance' }
}

/** load and kind → target → rates by round */
const table = new Map()
const temporary = mkdtempSync(path.join(tmpdir(), 'isonode-log-'))
try {
  for (let round = 0; round < rounds; round++) await runRound(round)
} finally {
  rmSync(temporary, { recursive: true, force: true })
  for (const reader of readers) reader.stdin.destroy()
}
let isGood = true
for (const count of CONNECTIONS) {
  const ratios = ['clock', 'CPU'].map((kind) => print(`${count} connections, ${kind}`))
  isGood &&= ratios.every((ratio) => ratio >= LEAST_RATIO)
}
process.exit(isGood ? 0 : 1)

function print(row) {
  const { silent, logged } = { silent: table.get(row).get('silent'), logged: table.get(row).get('default log') }
  const ratio = median(logged.map((rate, round) => rate / silent[round]))
  const cells = `silent ${median(silent).toFixed(0)}  default log ${median(logged).toFixed(0)}  ratio ${ratio.toFixed(3)}`
  console.log(`${row.padEnd(24)} ${cells}`)
  return ratio
}

async function runRound(round) {
  const running = []
  try {
    for (const one of round % 2 === 0 ? targets : [...targets].reverse())
      running.push(await startTarget(one, temporary))
    for (const count of CONNECTIONS) await runLoad(running, count)
  } finally {
    await Promise.all(running.map(stopTarget))
  }
}

async function runLoad(running, count) {
  const from = 50 * CONNECTIONS.indexOf(count)
  const senders = makeSenders(from + count).slice(from)
  const loads = []
  for (const node of running) {
    for (const { hex } of senders) await node.fund(hex, FUNDS)
    const connections = await Promise.all(senders.map(() => connect(node.port)))
    const load = { node, connections, sent: 0, seconds: 0, cpu: 0 }
    await send(load, senders, WARM_UP)
    loads.push(load)
  }
  const each = Math.ceil(Number(values.transactions) / SLICES)
  for (let slice = 0; slice < SLICES; slice++) {
    for (const load of slice % 2 === 0 ? loads : [...loads].reverse()) await measure(load, senders, each)
  }
  for (const { node, connections, seconds, cpu } of loads) {
    for (const connection of connections) connection.close()
    const total = Math.ceil(each / count) * count * SLICES
    note(`${count} connections, clock`, node.name, total / seconds)
    note(`${count} connections, CPU`, node.name, total / cpu)
  }
}

async function connect(port) {
  const connection = new RpcConnection(port)
  await connection.connect()
  return connection
}

async function measure(load, senders, transactions) {
  const raws = sign(load, senders, transactions)
  const cpu = cpuSeconds(load.node)
  const start = performance.now()
  await run(load, raws)
  load.seconds += (performance.now() - start) / 1000
  load.cpu += cpuSeconds(load.node) - cpu
}

async function send(load, senders, transactions) {
  await run(load, sign(load, senders, transactions))
}

/** The transfers of each sender, with consecutive nonces. */
function sign(load, senders, transactions) {
  const each = Math.ceil(transactions / senders.length)
  const from = load.sent
  load.sent += each
  return senders.map((sender) =>
    Array.from({ length: each }, (_, i) => signTransfer(sender, from + i, senders[0], 1n, load.node.chainId)),
  )
}

/** Each connection sends one transfer after the other and waits for its receipt. */
async function run({ connections }, raws) {
  await Promise.all(
    connections.map(async (connection, i) => {
      for (const raw of raws[i]) {
        const hash = await connection.call('eth_sendRawTransaction', [raw])
        const receipt = await connection.call('eth_getTransactionReceipt', [hash])
        if (receipt?.status !== '0x1') throw new Error(`no receipt of ${hash}`)
      }
    }),
  )
}

/** Processor time of a node's process. */
function cpuSeconds({ child }) {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

function note(row, name, value) {
  const cells = table.get(row) ?? new Map()
  table.set(row, cells)
  cells.set(name, [...(cells.get(name) ?? []), value])
}

function median(list) {
  const sorted = [...list].sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}
