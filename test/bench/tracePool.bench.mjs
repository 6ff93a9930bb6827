/**
 * Compares traces on threads with traces on the main thread: latency of simple reads meanwhile, and traces per second.
 * Needs the built node.
 *
 *   npm run build && node test/bench/tracePool.bench.mjs [--seconds 5] [--traces 8] [--gas 30000000] [--opcode-gas 1000000]
 *                                                    [--json FILE]
 *
 * "threads" is a node on a data directory, "in place" one with --ephemeral. --traces clients trace one call after the
 * other: a loop of --gas gas with callTracer, or one of --opcode-gas gas with the opcode tracer. They run in a
 * separate process. Another client alternates between eth_blockNumber and eth_getBalance, one call at a time. All
 * processes share the machine's cores; on a machine with two, the clients occupy part of the second.
 */
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { installedTargets, residentMiB, startTarget, stopTarget } from './devTargets.mjs'
import { loop } from './evmAssembler.mjs'

const SENDER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const CONTRACT = `0x${'c0'.repeat(20)}`
const CODE = loop('DUP6 DUP5 ADD 0xffffff AND SWAP5 POP', { before: '1 2 SSTORE 5 6 7 8 9 10' })
const GAS_PER_ROUND = 48
const [PORT, WS_PORT] = [18731, 18732]
const IS_CLIENT = process.argv[2] === '--client'

if (IS_CLIENT) traceForEver(...process.argv.slice(3))
else await main()

async function main() {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '5' },
      traces: { type: 'string', default: '8' },
      gas: { type: 'string', default: '30000000' },
      'opcode-gas': { type: 'string', default: '1000000' },
      json: { type: 'string' },
    },
  })
  const loads = {
    callTracer: { gas: Number(values.gas), options: { tracer: 'callTracer' } },
    opcodes: { gas: Number(values['opcode-gas']), options: {} },
  }
  const report = {}
  for (const place of ['threads', 'in place']) {
    const figures = await measured(place, loads, Number(values.traces), Number(values.seconds) * 1000)
    for (const [load, row] of Object.entries(figures)) report[`${load}, ${place}`] = row
  }
  console.table(report)
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`)
}

async function measured(place, loads, traces, milliseconds) {
  const folder = mkdtempSync(path.join(tmpdir(), 'isonode-bench-'))
  const [ours] = installedTargets(['ours'])
  const command = () => [
    ...ours.command().filter((argument) => !/^--(ephemeral|rpc-http-port|rpc-ws-port)/.test(argument)),
    place === 'threads' ? `--data-path=${path.join(folder, 'data')}` : '--ephemeral',
    `--rpc-http-port=${PORT}`,
    `--rpc-ws-port=${WS_PORT}`,
  ]
  const running = await startTarget({ ...ours, port: PORT, wsPort: WS_PORT, command }, folder)
  try {
    const { rpc } = running
    await rpc.call('anvil_setCode', [CONTRACT, `0x${CODE}`])
    const table = { idle: { ...(await latencies(rpc, milliseconds)), 'traces a second': 0 } }
    for (const [name, { gas, options }] of Object.entries(loads)) {
      const rounds = Math.floor((gas - 60_000) / GAS_PER_ROUND)
      const data = `0x${rounds.toString(16).padStart(64, '0')}`
      const call = { from: SENDER, to: CONTRACT, gas: `0x${gas.toString(16)}`, data }
      table[name] = await underLoad(running, [call, 'latest', options], traces, milliseconds)
    }
    return table
  } finally {
    await stopTarget(running)
    rmSync(folder, { recursive: true, force: true })
  }
}

async function underLoad(running, params, traces, milliseconds) {
  const client = fork(fileURLToPath(import.meta.url), ['--client', String(traces), JSON.stringify(params)])
  let count = 0
  const first = Promise.withResolvers?.() ?? withResolvers()
  client.on('message', () => {
    count++
    first.resolve()
  })
  await first.promise
  const before = count
  const begun = performance.now()
  const row = await latencies(running.rpc, milliseconds)
  const perSecond = ((count - before) * 1000) / (performance.now() - begun)
  client.kill()
  await new Promise((resolve) => client.once('exit', resolve))
  const memory = Math.round(residentMiB(running))
  await delay(500)
  return { ...row, 'traces a second': Math.round(perSecond * 10) / 10, residentMiB: memory }
}

function withResolvers() {
  let resolve
  const promise = new Promise((done) => {
    resolve = done
  })
  return { promise, resolve }
}

async function latencies(rpc, milliseconds) {
  const times = []
  for (const end = performance.now() + milliseconds; performance.now() < end; ) {
    for (const [method, params] of [
      ['eth_blockNumber', []],
      ['eth_getBalance', [SENDER, 'latest']],
    ]) {
      const begun = performance.now()
      await rpc.call(method, params)
      times.push(performance.now() - begun)
    }
    await delay(1)
  }
  times.sort((a, b) => a - b)
  const at = (share) => Math.round(times[Math.floor(times.length * share)] * 100) / 100
  return { reads: times.length, p50: at(0.5), p99: at(0.99), max: at(0.9999) }
}

function traceForEver(traces, params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug_traceCall', params: JSON.parse(params) })
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  const once = () => {
    const sent = request({ port: PORT, host: '127.0.0.1', method: 'POST', headers }, (response) => {
      response.resume()
      response.on('end', () => {
        process.send('done')
        once()
      })
    })
    sent.end(body)
  }
  for (let i = 0; i < Number(traces); i++) once()
}
