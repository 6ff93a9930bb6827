/**
 * Transfers until their receipts, this build beside another one and beside Hardhat and anvil, in one run, in turns.
 *
 *   node test/bench/transfers.bench.mjs [--rounds 3] [--transactions 2000] [--before DIR] [--targets ours,anvil,hardhat,hardhat3]
 *     [--only LOAD] [--in-process] [--profile FILE]
 *
 * `--before` names the root of another built checkout. In process, each build runs in its own process over a database on
 * disk, and requests go to the exchange without a socket; `--profile` writes a CPU profile of the last round. Over HTTP,
 * each connection is one sender that waits for its receipt before it sends the next transfer; `64 senders` send ten each
 * without waiting. A cold node is measured on its first 300 transfers, a warm one after 2,300. Cells are medians; in
 * brackets is the ratio to Hardhat (over HTTP) or to the other build (in process).
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Session as Inspector } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { makeSenders, signTransfer } from '../reliability/devNode.mjs'
import { beforeTarget, installedTargets } from './devTargets.mjs'
import { measureNodes } from './transferNodes.mjs'

const root = path.resolve(import.meta.dirname, '../..')
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    before: { type: 'string' },
    transactions: { type: 'string', default: '2000' },
    targets: { type: 'string', default: 'ours,anvil,hardhat' },
    'in-process': { type: 'boolean', default: false },
    only: { type: 'string' },
    one: { type: 'string' },
    profile: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const transactions = Number(values.transactions)

if (values.one !== undefined) console.log(JSON.stringify(await runInProcess(values.one)))
else if (values['in-process']) await compareBuilds()
else await compareNodes()

/** Runs both builds in turns, each round in new processes. */
async function compareBuilds() {
  const builds = { ours: root, ...(values.before === undefined ? {} : { before: path.resolve(values.before) }) }
  const results = {}
  for (let round = 0; round < rounds; round++) {
    const names = round % 2 === 0 ? Object.keys(builds) : Object.keys(builds).reverse()
    for (const name of names) {
      const profile = values.profile !== undefined && name === 'ours' ? [`--profile=${values.profile}`] : []
      const args = [import.meta.filename, `--one=${builds[name]}`, `--transactions=${transactions}`, ...profile]
      const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' })
      if (status !== 0) throw new Error(`${name}: ${stderr}`)
      for (const [row, rates] of Object.entries(JSON.parse(stdout)))
        for (const [kind, rate] of Object.entries(rates)) note(results, `${row}, ${kind}`, name, round, rate)
    }
  }
  for (const [row, cells] of Object.entries(results)) {
    const ours = median(cells.ours)
    const ratio = cells.before && median(cells.ours.map((rate, i) => rate / cells.before[i]))
    console.log(
      `${row.padEnd(40)} ${ours.toFixed(0)} ${cells.before ? `before ${median(cells.before).toFixed(0)} (${ratio.toFixed(2)})` : ''}`,
    )
  }
}

/** @returns transfers per second, by row */
async function runInProcess(build) {
  const load = (file) => import(path.join(build, 'dist', file))
  await setHeapFlags(load)
  const unstable = await load('adapters/server/unstable.js')
  // The build to compare with may have the name `openSession`.
  const open = unstable.openServerNode ?? unstable.openSession
  const { defaultOptions } = await load('src/config/options.js')
  const { silentLogger } = await load('src/base/ports/logging.js')
  const folder = mkdtempSync(path.join(tmpdir(), 'isonode-transfers-'))
  try {
    const options = { ...defaultOptions(true), 'data-path': folder }
    const { node, close } = await open({ options, logger: silentLogger, runtimeName: 'bench' })
    const exchange = node.exchange ?? node.endpoints.get('http').exchange
    let id = 0
    const call = async (method, params) => {
      const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params }))
      const { result, error } = JSON.parse((await exchange.handle({ body })).body)
      if (error !== undefined) throw new Error(`${method}: ${error.message}`)
      return result
    }
    const [single, ...others] = makeSenders(65)
    for (const { hex } of [single, ...others]) await call('anvil_setBalance', [hex, `0x${(10n ** 24n).toString(16)}`])
    const chainId = Number(await call('eth_chainId', []))
    const sign = (sender, count, from) =>
      Array.from({ length: count }, (_, i) => signTransfer(sender, from + i, others[0], 1n, chainId))
    const send = async (raw) => {
      const hash = await call('eth_sendRawTransaction', [raw])
      const receipt = await call('eth_getTransactionReceipt', [hash])
      if (receipt?.status !== '0x1') throw new Error(`no receipt of ${hash}`)
    }
    const sendAll = async (raws) => {
      for (const raw of raws) await send(raw)
    }
    await sendAll(sign(single, 300, 0))
    const one = sign(single, transactions, 300)
    const each = Math.ceil(transactions / others.length)
    const many = others.map((sender) => sign(sender, each, 0))
    const inspector = values.profile === undefined ? undefined : new Inspector()
    inspector?.connect()
    await inspector?.post('Profiler.enable')
    await inspector?.post('Profiler.start')
    const rates = {
      'one sender, one after the other': await rate(one.length, () => sendAll(one)),
      '64 senders at once': await rate(each * others.length, () => Promise.all(many.map(sendAll))),
    }
    if (inspector !== undefined) {
      const { profile } = await inspector.post('Profiler.stop')
      writeFileSync(values.profile, JSON.stringify(profile))
    }
    await close()
    return rates
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** As the command line program does. */
async function setHeapFlags(load) {
  const program = await load('adapters/server/program/heapFlags.js')
  program.setHeapFlags()
}

/** @returns transfers per second, and per second of CPU time, which other load on the machine disturbs less */
async function rate(count, work) {
  const start = performance.now()
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return { byClock: (1000 * count) / (performance.now() - start), byCpu: (1e6 * count) / (user + system) }
}

/** Prints the rate and, per transfer, the CPU time of the node and of the client. */
async function compareNodes() {
  const targets = installedTargets(values.targets.split(','))
  if (values.before !== undefined) targets.push(beforeTarget(path.resolve(values.before)))
  const table = {}
  const noteFigures = (round) => (load, phase, name, figures) => {
    for (const [figure, value] of Object.entries(figures))
      note(table, `${load}, ${phase}: ${figure}`, name, round, value)
  }
  for (let round = 0; round < rounds; round++)
    await measureNodes({ targets, transactions, round, only: values.only, note: noteFigures(round) })
  for (const [row, cells] of Object.entries(table)) {
    const text = Object.entries(cells).map(([name, list]) => {
      const ratio = median(list.map((value, round) => value / cells.hardhat?.[round]))
      return `${name} ${median(list).toFixed(row.endsWith('rate') ? 0 : 2)} (${ratio.toFixed(2)})`
    })
    console.log(`${row}: ${text.join('  ')}`)
  }
}

function note(table, row, name, round, value) {
  table[row] ??= {}
  table[row][name] ??= []
  table[row][name][round] = value
}

function median(list) {
  const sorted = list.filter((value) => Number.isFinite(value)).sort((a, b) => a - b)
  return sorted[sorted.length >> 1] ?? Number.NaN
}
