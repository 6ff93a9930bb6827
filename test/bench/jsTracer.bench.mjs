/**
 * Measures tracers in JavaScript over HTTP, beside anvil. Needs the built node.
 *
 *   npm run build && node test/bench/jsTracer.bench.mjs [--rounds 3] [--gas 1000000] [--targets ours,anvil]
 *
 * Each tracer traces a call that loops until its gas is used. Steps per second of wall-clock time and of the CPU time
 * of the server's process; a cell is the best of the rounds, because other programs may share the machine. The first
 * trace of a server, which loads the engine, is not counted. A target that gives another result than the first one has
 * that result instead of figures.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { installedTargets, startTarget, stopTarget } from './devTargets.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    gas: { type: 'string', default: '1000000' },
    targets: { type: 'string', default: 'ours,anvil' },
  },
})
const rounds = Number(values.rounds)
const SENDER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const CONTRACT = `0x${'c0'.repeat(20)}`
/** JUMPDEST PUSH1 1 PUSH1 2 ADD POP PUSH1 0 JUMP: 7 steps of 23 gas. */
const CODE = '0x5b60016002015060005600'
const CLOCK_TICKS = 100
const END = 'fault:function(){},result:function(){return this.h}'

const TRACERS = {
  'counts opcodes': `{h:{},step:function(l){var o=l.op.toString();this.h[o]=(this.h[o]||0)+1},${END}}`,
  'counts steps': `{h:0,step:function(l){this.h++},${END}}`,
  'adds gas and cost': `{h:0,step:function(l){this.h+=l.getGas()-l.getCost()},${END}}`,
  'reads the stack': `{h:0,step:function(l){if(l.stack.length()>1)this.h+=l.stack.peek(0).toJSNumber()},${END}}`,
  'reads the state': `{h:0,step:function(l,db){if(l.getPC()===0)this.h+=db.getNonce(l.contract.getAddress())},${END}}`,
}
const COUNT_STEPS = TRACERS['counts steps']

function cpuSeconds({ pid }) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS
}

/** Results of the first target, by tracer. */
const results = new Map()

async function measure({ rpc, child }, tracer, steps) {
  const call = { from: SENDER, to: CONTRACT, gas: `0x${Number(values.gas).toString(16)}` }
  const trace = (own) => rpc.call('debug_traceCall', [call, 'latest', { tracer: own, timeout: '120s' }])
  const figures = { wall: 0, cpu: 0 }
  for (let round = 0; round < rounds; round++) {
    const cpu = cpuSeconds(child)
    const start = performance.now()
    const result = JSON.stringify(await trace(tracer))
    figures.wall = Math.max(figures.wall, steps / (performance.now() - start) / 1000)
    figures.cpu = Math.max(figures.cpu, steps / (cpuSeconds(child) - cpu) / 1e6)
    if (!results.has(tracer)) results.set(tracer, result)
    if (results.get(tracer) !== result) return `other result: ${result.slice(0, 40)}`
  }
  return `${figures.wall.toFixed(2)} (${figures.cpu.toFixed(2)})`
}

const table = {}
for (const target of installedTargets(values.targets.split(','))) {
  const folder = mkdtempSync(path.join(tmpdir(), 'js-tracer-bench-'))
  const running = await startTarget(target, folder)
  try {
    await running.rpc.call('anvil_setCode', [CONTRACT, CODE])
    const call = { from: SENDER, to: CONTRACT, gas: `0x${Number(values.gas).toString(16)}` }
    const steps = await running.rpc.call('debug_traceCall', [call, 'latest', { tracer: COUNT_STEPS, timeout: '120s' }])
    for (const [name, tracer] of Object.entries(TRACERS)) {
      table[name] ??= {}
      table[name][target.name] = await measure(running, tracer, steps).catch((error) => error.message.slice(0, 60))
    }
  } finally {
    await stopTarget(running)
    rmSync(folder, { recursive: true, force: true })
  }
}
console.log(`million steps per second (per CPU second), ${values.gas} gas`)
console.table(table)
