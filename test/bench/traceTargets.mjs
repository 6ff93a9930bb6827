/** Traces over HTTP, of this node and of others. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { installedTargets, residentMiB, startTarget, stopTarget } from './devTargets.mjs'
import { loop } from './evmAssembler.mjs'

const SENDER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const CONTRACT = `0x${'c0'.repeat(20)}`
const CLOCK_TICKS = 100
const SLOW_CHUNK = 65_536
const SLOW_PAUSE_MS = 10
const SLOW_GAS = 30_000_000
const FEW = 'DUP6 DUP5 ADD 0xffffff AND SWAP5 POP'
const WIDE = `0x${'9e3779b97f4a7c15'.repeat(4)}`
/** Does not use PUSH0; runs until only the gas needed for ending is left. */
const CODE = loop(FEW, { before: `1 2 SSTORE ${WIDE} 5 6 7 8 0x${'ab'.repeat(20)}` })
const MORE_ARGUMENTS = { anvil: ['--steps-tracing'] }
const SET_CODE = { ours: 'anvil_setCode', anvil: 'anvil_setCode', hardhat: 'hardhat_setCode' }

/** @returns target -> figures, the medians of the rounds */
export async function tracesOverHttp({ rounds, gas, names }) {
  const table = {}
  for (const target of installedTargets(names)) {
    const measured = []
    for (let round = 0; round < rounds; round++) {
      const figures = await withTarget(target, (running) => traced(running, gas)).catch((error) => ({
        error: error.message,
      }))
      measured.push(figures)
      if (figures.error !== undefined) break
    }
    table[target.name] = measured.toSorted((a, b) => a.cpuSeconds - b.cpuSeconds)[measured.length >> 1]
  }
  return table
}

/** Measures the peak memory of this node while a long trace is read slowly. */
export async function slowReader(seconds) {
  const [target] = installedTargets(['ours'])
  return withTarget(target, async (running) => {
    await running.rpc.call('anvil_setCode', [CONTRACT, `0x${CODE}`])
    const before = residentMiB(running)
    const call = { from: SENDER, to: CONTRACT, gas: hex(SLOW_GAS), data: `0x${'f'.repeat(8).padStart(64, '0')}` }
    let peak = before
    const sampler = setInterval(() => {
      peak = Math.max(peak, residentMiB(running) ?? 0)
    }, 50)
    const { bytes, answerMs } = await readSlowly(running, 'debug_traceCall', [call, 'latest', {}], seconds)
    clearInterval(sampler)
    return {
      readMiB: mib(bytes),
      beforeMiB: Math.round(before),
      peakMiB: Math.round(peak),
      otherAnswerMs: Math.round(answerMs),
    }
  })
}

async function withTarget(target, work) {
  const temporary = mkdtempSync(path.join(tmpdir(), 'isonode-bench-'))
  const more = MORE_ARGUMENTS[target.name] ?? []
  const running = await startTarget({ ...target, command: (folder) => [...target.command(folder), ...more] }, temporary)
  try {
    return await work(running)
  } finally {
    await stopTarget(running)
    rmSync(temporary, { recursive: true, force: true })
  }
}

async function traced(running, gas) {
  const { rpc, name, child } = running
  await rpc.call(SET_CODE[name], [CONTRACT, `0x${CODE}`])
  const count = Math.floor((gas - 50_000) / 48)
  const data = `0x${count.toString(16).padStart(64, '0')}`
  const hash = await rpc.call('eth_sendTransaction', [{ from: SENDER, to: CONTRACT, gas: hex(gas), data }])
  while ((await rpc.call('eth_getTransactionReceipt', [hash])) === null) await delay(SLOW_PAUSE_MS)
  const before = residentMiB(running)
  const cpuBefore = cpuSeconds(child)
  const begun = performance.now()
  const { bytes, steps, firstMs } = await read(running, 'debug_traceTransaction', [hash, {}])
  const wallSeconds = (performance.now() - begun) / 1000
  const cpu = cpuSeconds(child) - cpuBefore
  return {
    steps,
    sizeMiB: mib(bytes),
    firstByteMs: Math.round(firstMs),
    wallSeconds: round2(wallSeconds),
    cpuSeconds: round2(cpu),
    'steps per CPU second': Math.round(steps / cpu),
    growthMiB: Math.round((peakMiB(child) ?? 0) - before),
  }
}

function post({ port }, method, params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, method: 'POST', headers }, resolve)
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Reads the answer and counts its bytes and steps. */
async function read(running, method, params) {
  const begun = performance.now()
  const response = await post(running, method, params)
  let firstMs
  let bytes = 0
  let steps = 0
  let tail = ''
  for await (const chunk of response) {
    firstMs ??= performance.now() - begun
    bytes += chunk.length
    const text = tail + chunk.toString('latin1')
    for (let at = text.indexOf('"pc":'); at >= 0; at = text.indexOf('"pc":', at + 5)) steps++
    tail = text.slice(-4)
  }
  if (steps === 0) throw new Error(`no steps: ${tail}`)
  return { bytes, steps, firstMs }
}

/** Reads slowly for the given time, during which the node must answer other requests. */
async function readSlowly(running, method, params, seconds) {
  const response = await post(running, method, params)
  const end = performance.now() + 1000 * seconds
  let bytes = 0
  let answerMs = 0
  while (performance.now() < end) {
    bytes += response.read(SLOW_CHUNK)?.length ?? 0
    const asked = performance.now()
    await running.rpc.call('eth_chainId')
    answerMs = Math.max(answerMs, performance.now() - asked)
    await delay(SLOW_PAUSE_MS)
  }
  response.destroy()
  return { bytes, answerMs }
}

function cpuSeconds({ pid }) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS
}

function peakMiB({ pid }) {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

const hex = (number) => `0x${number.toString(16)}`
const mib = (bytes) => Math.round(bytes / 2 ** 20)
const round2 = (number) => Math.round(100 * number) / 100
