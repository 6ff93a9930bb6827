/**
 * Measures the methods of the debugger on a transaction of 30 million gas that fails near its end, beside
 * debug_traceTransaction of the other nodes, which sends all steps. Needs the built node.
 *
 *   npm run build && node test/bench/debugger.bench.mjs [--rounds 3] [--jumps 20] [--gas 30000000]
 *                                                      [--targets ours,stored,anvil,hardhat3] [--max-mib 4096]
 *                                                      [--other-gas 3000000] [--json FILE]
 *
 * "ours" keeps its chain in memory and answers on its main thread; "stored" is a node with a database, which answers on
 * worker threads. A cell is the median over the rounds, each with a new process; `jump` is the slowest of --jumps random
 * steps, and the processor time is the mean of all. `first` is the first request, for which a worker thread starts. Opening is the search for the failure and the 200 steps before it. Growth is that of the process's resident
 * memory from before the first request to its peak. The others hold the whole trace in memory, about 3 kB a step, so they get
 * a transaction of --other-gas gas, and are ended beyond --max-mib of resident memory.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { installedTargets, residentMiB, startTarget, stopTarget } from './devTargets.mjs'

const SENDER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const CONTRACT = `0x${'c0'.repeat(20)}`
const MORE_ARGUMENTS = { ours: ['--hardfork=prague'], anvil: ['--steps-tracing', '--hardfork', 'prague'] }
const WINDOW = 200
const POLL_MS = 20
const SEED = 27
const MS_A_TICK = 10
/** Writes slot 0 every 64 rounds, calls itself every 256, and fails in a call at the end. */
const SOURCE = `
pragma solidity ^0.8.0;
contract Ledger {
  uint256 total;
  mapping(uint256 => uint256) entries;
  error TooLittle(uint256 left, uint256 wanted);
  function work(uint256 gasAtEnd) external {
    uint256 sum = 1;
    for (uint256 round = 1; gasleft() > gasAtEnd; round++) {
      uint256 mixed = (sum ^ round) + ((sum >> 3) & 0xffff);
      sum = mixed % 1000003 + round;
      if (round % 64 == 0) total = sum;
      if (round % 256 == 0) entries[round % 7] = this.scaled(sum);
    }
    this.spend(sum, 10);
  }
  function scaled(uint256 value) external pure returns (uint256) { return value * 3 / 2; }
  function spend(uint256 wanted, uint256 left) external { total = left; if (wanted > left) revert TooLittle(left, wanted); }
}`

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    jumps: { type: 'string', default: '20' },
    gas: { type: 'string', default: '30000000' },
    targets: { type: 'string', default: 'ours,stored,anvil,hardhat3' },
    'max-mib': { type: 'string', default: '4096' },
    'other-gas': { type: 'string', default: '3000000' },
    json: { type: 'string' },
  },
})
const OWN = ['ours', 'stored']
const SET_CODE = { hardhat: 'hardhat_setCode', hardhat3: 'hardhat_setCode' }
const code = compiled()
const report = {}
for (const name of values.targets.split(',')) {
  const rounds = []
  for (let round = 0; round < Number(values.rounds); round++) rounds.push(await withTarget(name, measured))
  report[name] = Object.fromEntries(
    Object.keys(rounds[0]).map((column) => [column, median(rounds.map((figures) => figures[column]))]),
  )
}
console.table(report)
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`)

async function measured(running, name) {
  const { rpc } = running
  const gas = Number(OWN.includes(name) ? values.gas : values['other-gas'])
  await rpc.call(SET_CODE[name] ?? 'anvil_setCode', [CONTRACT, code.runtime])
  const data = code.call(60_000)
  // A node may report the failure as an error of the request.
  await rpc.call('eth_sendTransaction', [{ from: SENDER, to: CONTRACT, gas: hex(gas), data }]).catch(() => {})
  const hash = await minedTransaction(rpc)
  const growth = memoryGrowth(running)
  const figures = OWN.includes(name)
    ? await debugged(running, hash)
    : await bounded(running, () => wholeTrace(running, hash))
  return { ...figures, 'growth, MiB': growth() }
}

async function minedTransaction(rpc) {
  for (;;) {
    const { transactions } = await rpc.call('eth_getBlockByNumber', ['latest', false])
    if (transactions.length > 0) return transactions[0]
    await delay(POLL_MS)
  }
}

/** Ends a target that takes too much memory. */
async function bounded(running, work) {
  const sampler = setInterval(() => {
    if (residentMiB(running) > Number(values['max-mib'])) running.child.kill('SIGKILL')
  }, POLL_MS)
  try {
    return await work()
  } catch (error) {
    console.error(`${running.name}: ${error.message}`)
    return { steps: Number.NaN }
  } finally {
    clearInterval(sampler)
  }
}

/** The requests of a debugger. */
async function debugged({ rpc, child }, hash) {
  const first = await timed(() => rpc.call('debug_traceSteps', [hash, { count: 1 }]))
  const opening = await timed(async () => {
    const failure = await rpc.call('debug_findStep', [hash, { where: { failure: true } }])
    return { failure, steps: await rpc.call('debug_traceSteps', [hash, windowAt(failure.index - WINDOW + 1)]) }
  })
  const { failure, steps } = opening.result
  const random = generator(SEED)
  const jumps = []
  const cpuBefore = cpuMs(child)
  for (let jump = 0; jump < Number(values.jumps); jump++) {
    const from = Math.floor(random() * steps.total)
    jumps.push((await timed(() => rpc.call('debug_traceSteps', [hash, windowAt(from)]))).ms)
  }
  const jumpCpuMs = (cpuMs(child) - cpuBefore) / jumps.length
  const backward = { direction: 'backward', where: { slot: '0x0', write: true } }
  const last = await rpc.call('debug_findStep', [hash, backward])
  const write = await timed(() => rpc.call('debug_findStep', [hash, { ...backward, from: last.index }]))
  const back = await timed(() =>
    rpc.call('debug_findStep', [
      hash,
      { from: failure.index, direction: 'backward', where: { pc: failure.pc, address: CONTRACT, depth: { max: 1 } } },
    ]),
  )
  return {
    steps: steps.total,
    'answer, kB': Math.round(JSON.stringify(steps).length / 1000),
    'first, ms': Math.round(first.ms),
    'open at the failure, ms': Math.round(opening.ms),
    'jump, ms': Math.round(Math.max(...jumps)),
    'processor time of a jump, ms': Math.round(jumpCpuMs),
    'write before the last, ms': Math.round(write.ms),
    'breakpoint before, ms': Math.round(back.ms),
  }
}

/** The whole trace, which other debuggers have to load. */
async function wholeTrace({ port }, hash) {
  let bytes = 0
  let steps = 0
  const { ms } = await timed(async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'debug_traceTransaction', params: [hash, {}] })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })
    for await (const chunk of response.body) {
      bytes += chunk.length
      steps += occurrences(chunk)
    }
  })
  return { steps, 'answer, kB': Math.round(bytes / 1000), 'open at the failure, ms': Math.round(ms) }
}

/** Number of `"pc"` in the chunk, without those that are cut by its ends. */
function occurrences(chunk) {
  const text = Buffer.from(chunk).toString('latin1')
  let count = 0
  for (let at = text.indexOf('"pc"'); at >= 0; at = text.indexOf('"pc"', at + 4)) count++
  return count
}

function windowAt(from) {
  return { from, count: WINDOW, stack: true, memory: false, storage: true }
}

async function withTarget(name, work) {
  const [target] = installedTargets([name === 'stored' ? 'ours' : name])
  if (target === undefined) return { steps: Number.NaN }
  const temporary = mkdtempSync(path.join(tmpdir(), 'isonode-bench-'))
  const command = (folder) => {
    // Later forks allow half the gas.
    const words = [...target.command(folder), ...(MORE_ARGUMENTS[target.name] ?? [])]
    if (name !== 'stored') return words
    return [...words.filter((word) => word !== '--ephemeral'), `--data-path=${path.join(folder, 'data')}`]
  }
  const running = await startTarget({ ...target, command }, temporary)
  try {
    return await work(running, name)
  } finally {
    await stopTarget(running)
    rmSync(temporary, { recursive: true, force: true })
  }
}

/** @returns the growth since the call, in MiB */
function memoryGrowth(running) {
  const before = residentMiB(running)
  // From here on, VmHWM is the peak since this moment.
  writeFileSync(`/proc/${running.child.pid}/clear_refs`, '5')
  return () => {
    if (running.child.exitCode !== null || running.child.signalCode !== null) return Number(values['max-mib'])
    const status = readFileSync(`/proc/${running.child.pid}/status`, 'utf8')
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024 - before)
  }
}

/** Processor time of all threads. */
function cpuMs({ pid }) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) * MS_A_TICK
}

function compiled() {
  const solc = createRequire(import.meta.url)('solc')
  const settings = { evmVersion: 'paris', outputSelection: { '*': { '*': ['evm'] } } }
  const input = { language: 'Solidity', sources: { a: { content: SOURCE } }, settings }
  const { contracts, errors = [] } = JSON.parse(solc.compile(JSON.stringify(input)))
  if (contracts === undefined) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const { deployedBytecode, methodIdentifiers } = contracts.a.Ledger.evm
  return {
    runtime: `0x${deployedBytecode.object}`,
    call: (value) => `0x${methodIdentifiers['work(uint256)']}${value.toString(16).padStart(64, '0')}`,
  }
}

async function timed(work) {
  const begun = performance.now()
  const result = await work()
  return { result, ms: performance.now() - begun }
}

/** Equal sequences for equal seeds. */
function generator(seed) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1]
}

function hex(number) {
  return `0x${number.toString(16)}`
}
