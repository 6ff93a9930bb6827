/**
 * The costs of the first transfers of a new process: one sender that waits for each receipt, over HTTP. Targets take
 * turns, each round in new processes.
 *
 *   node test/bench/youngTransfers.bench.mjs [--rounds 7] [--before DIR] [--targets ours,anvil,hardhat]
 *
 * Needs the built node, and /proc. Our processes find the code that V8 compiled for an earlier one, which did the same.
 * `--before` names the root of another built checkout. The rows are spans of transfers.
 * A cell has the processor time of all threads of the target in milliseconds per transfer, that of its main thread, and
 * the transfers per second by the clock: medians of the rounds. Only processor time is meaningful on a busy machine.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { makeSenders, signTransfer } from '../reliability/devNode.mjs'
import { beforeTarget, installedTargets, startTarget, stopTarget } from './devTargets.mjs'
import { RpcConnection } from './rpcConnection.mjs'

/** A span ends before the transfer of the next one. */
const SPANS = [0, 50, 100, 300, 1000]
const FUNDS = 10n ** 24n
/** After this time, a node has stored the code of its start and of its work (adapters/server/build/loadProgram.ts). */
const STORING_MS = 8_000

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    before: { type: 'string' },
    targets: { type: 'string', default: 'ours,anvil,hardhat' },
  },
})
const targets = installedTargets(values.targets.split(','))
if (values.before !== undefined) targets.push(beforeTarget(path.resolve(values.before)))
const temporary = mkdtempSync(path.join(tmpdir(), 'isonode-young-'))
/** span -> target -> figures of each round */
const table = new Map()

try {
  for (const target of targets.filter(({ name }) => name === 'ours' || name === 'before')) await storeCode(target)
  for (let round = 0; round < Number(values.rounds); round++) {
    for (let i = 0; i < targets.length; i++) await measure(targets[(i + round) % targets.length], `${round}-${i}`)
  }
} finally {
  rmSync(temporary, { recursive: true, force: true })
}
for (const [span, cells] of table) {
  const texts = [...cells].map(([name, list]) => {
    const [all, main, rate] = ['cpuMs', 'mainMs', 'rate'].map((key) => median(list.map((figures) => figures[key])))
    return `${name} ${all.toFixed(2)} (${main.toFixed(2)}) ms, ${rate.toFixed(0)}/s`
  })
  console.log(`${span}: ${texts.join('   ')}`)
}

async function storeCode(target) {
  const { running, rpc, raws } = await prepared(target, 'storing')
  for (const raw of raws) await transfer(rpc, raw)
  await delay(STORING_MS)
  rpc.close()
  await stopTarget(running)
}

async function measure(target, folder) {
  const { running, rpc, raws } = await prepared(target, folder)
  for (let i = 1; i < SPANS.length; i++) {
    const [from, to] = [SPANS[i - 1], SPANS[i]]
    const before = processorTimes(running.child.pid)
    const begin = performance.now()
    for (const raw of raws.slice(from, to)) await transfer(rpc, raw)
    const ms = performance.now() - begin
    const after = processorTimes(running.child.pid)
    note(`${from + 1} to ${to}`, target.name, {
      cpuMs: (after.all - before.all) / (to - from),
      mainMs: (after.main - before.main) / (to - from),
      rate: (1000 * (to - from)) / ms,
    })
  }
  rpc.close()
  await stopTarget(running)
}

/** A new process, a connection to it, and signed transfers of one sender. */
async function prepared(target, folder) {
  const running = await startTarget(target, path.join(temporary, folder))
  const [sender, other] = makeSenders(2)
  await running.fund(sender.hex, FUNDS)
  const raws = Array.from({ length: SPANS.at(-1) }, (_, nonce) =>
    signTransfer(sender, nonce, other, 1n, running.chainId),
  )
  const rpc = new RpcConnection(running.port)
  await rpc.connect()
  return { running, rpc, raws }
}

async function transfer(rpc, raw) {
  const hash = await rpc.call('eth_sendRawTransaction', [raw])
  for (;;) {
    const receipt = await rpc.call('eth_getTransactionReceipt', [hash])
    if (receipt?.status === '0x1') return
    if (receipt !== null) throw new Error(`transfer ${hash} failed`)
  }
}

/** Milliseconds of all threads, and of the first one. */
function processorTimes(pid) {
  const times = new Map(readdirSync(`/proc/${pid}/task`).map((thread) => [thread, threadMs(pid, thread)]))
  return { all: [...times.values()].reduce((sum, ms) => sum + ms, 0), main: times.get(String(pid)) ?? 0 }
}

/** In contrast to `stat`, `schedstat` counts nanoseconds. A thread may have ended. */
function threadMs(pid, thread) {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return 0
  }
}

function note(span, name, figures) {
  const cells = table.get(span) ?? new Map()
  table.set(span, cells)
  cells.set(name, [...(cells.get(name) ?? []), figures])
}

function median(list) {
  return [...list].sort((a, b) => a - b)[list.length >> 1]
}
