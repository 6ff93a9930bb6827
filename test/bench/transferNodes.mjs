/** Transfers over HTTP on running nodes: the first ones of a young process, and those of a warm one. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { makeSenders, signTransfer } from '../reliability/devNode.mjs'
import { startTarget, stopTarget } from './devTargets.mjs'
import { RpcConnection } from './rpcConnection.mjs'

const COLD_TRANSFERS = 300
/** Transfers of each node between the cold and the measured ones. */
const WARM_UP_TRANSFERS = 2_000
/** The nodes take turns after this many transfers, so that other load on the machine meets all of them. */
const TURN_TRANSFERS = 250
const FUNDS = 10n ** 24n
/** A tick of /proc/<pid>/stat. */
const TICK_MS = 10
const EAGER_POLLS = 3
const MAX_PAUSE_MS = 16

/** Senders, one connection each; `unread` transfers are sent before their receipts are read. */
const LOADS = [
  { name: '1 connection', senders: 1, unread: 1 },
  { name: '8 connections', senders: 8, unread: 1 },
  { name: '16 connections', senders: 16, unread: 1 },
  { name: '64 senders, 10 each', senders: 64, unread: 10 },
]

/**
 * Measures each load in new processes of all targets, which run at once and work in turns.
 * @param note called with (load, phase, target, figures); phase is 'cold' or 'warm'; figures are `rate` (transfers per
 *   second), `cpuMs` (CPU time of the node per transfer) and `clientMs` (CPU time of this process per transfer)
 */
export async function measureNodes({ targets, transactions, round, only, note }) {
  for (const load of LOADS.filter(({ name }) => only === undefined || name.includes(only))) {
    const temporary = mkdtempSync(path.join(tmpdir(), 'isonode-transfers-'))
    const running = []
    try {
      for (let i = 0; i < targets.length; i++)
        running.push(await startTarget(targets[(i + round) % targets.length], temporary))
      const runs = []
      for (const target of running) runs.push(await openRun(target, load))
      for (const run of runs) note(load.name, 'cold', run.target.name, figuresOf(await turn(run, COLD_TRANSFERS)))
      await inTurns(runs, WARM_UP_TRANSFERS)
      for (const [run, figures] of await inTurns(runs, transactions)) note(load.name, 'warm', run.target.name, figures)
    } finally {
      await Promise.all(running.map(stopTarget))
      rmSync(temporary, { recursive: true, force: true })
    }
  }
}

async function openRun(target, { senders: count, unread }) {
  const senders = makeSenders(count)
  for (const { hex } of senders) await target.fund(hex, FUNDS)
  return { target, senders, unread, nonce: 0 }
}

/** @returns figures by run */
async function inTurns(runs, count) {
  const totals = new Map(runs.map((run) => [run, { done: 0, ms: 0, cpuMs: 0, clientMs: 0 }]))
  for (let done = 0; done < count; done += TURN_TRANSFERS)
    for (const [run, total] of totals) add(total, await turn(run, TURN_TRANSFERS))
  return [...totals].map(([run, total]) => [run, figuresOf(total)])
}

function add(total, part) {
  for (const key of Object.keys(total)) total[key] += part[key]
}

function figuresOf({ done, ms, cpuMs, clientMs }) {
  return { rate: (1000 * done) / ms, cpuMs: cpuMs / done, clientMs: clientMs / done }
}

/** Signs at least `count` transfers, then sends them and reads their receipts. */
async function turn(run, count) {
  const { target, senders, unread } = run
  const each = Math.ceil(count / senders.length / unread) * unread
  const raws = senders.map((sender, i) => {
    const to = senders[(i + 1) % senders.length]
    return Array.from({ length: each }, (_, k) => signTransfer(sender, run.nonce + k, to, 1n, target.chainId))
  })
  run.nonce += each
  // Servers close connections that are idle for some seconds, as they are while the other targets work.
  const connections = senders.map(() => new RpcConnection(target.port))
  await Promise.all(connections.map((rpc) => rpc.connect()))
  const cpuBefore = cpuMs(target.child.pid)
  const clientBefore = process.cpuUsage()
  const begin = performance.now()
  await Promise.all(connections.map((rpc, i) => sendAll(rpc, raws[i], unread)))
  const ms = performance.now() - begin
  const { user, system } = process.cpuUsage(clientBefore)
  for (const rpc of connections) rpc.close()
  return {
    done: each * senders.length,
    ms,
    cpuMs: cpuMs(target.child.pid) - cpuBefore,
    clientMs: (user + system) / 1000,
  }
}

async function sendAll(rpc, raws, unread) {
  for (let i = 0; i < raws.length; i += unread) {
    const hashes = []
    for (const raw of raws.slice(i, i + unread)) hashes.push(await rpc.call('eth_sendRawTransaction', [raw]))
    for (const hash of hashes) await confirm(rpc, hash)
  }
}

/** Polls until the receipt is there; the first polls follow each other without pauses. */
async function confirm(rpc, hash) {
  let pauseMs = 1
  for (let polls = 1; ; polls++) {
    const receipt = await rpc.call('eth_getTransactionReceipt', [hash])
    if (receipt !== null) {
      if (receipt.status !== '0x1') throw new Error(`transaction ${hash} failed`)
      return
    }
    if (polls < EAGER_POLLS) continue
    await delay(pauseMs)
    pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)
  }
}

/** CPU time of a process with all its threads; NaN without /proc. */
function cpuMs(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ')
    return TICK_MS * (Number(fields[11]) + Number(fields[12]))
  } catch {
    return Number.NaN
  }
}
