/**
 * Measures opcode traces: the text alone, then over HTTP in comparison with anvil and Hardhat, then with a slow
 * reader. Needs the built node.
 *
 *   npm run build && node test/bench/trace.bench.mjs [--rounds 3] [--seconds 0.5] [--gas 2000000] [--slow-seconds 5]
 *                                   [--targets ours,anvil,hardhat] [--skip inProcess,http,slow] [--profile] [--json FILE]
 *
 * In process: steps per second of CPU time with a sink that only counts; a cell is the median over the rounds. "no
 * hooks" is the EVM alone, "empty hooks" the EVM with hooks that do nothing.
 * Over HTTP: a loop of --gas gas, sent as one transaction and traced with debug_traceTransaction in the usual way
 * (stack and storage, no memory). --gas is small because the others hold the whole trace in memory. The CPU time is
 * that of the server's process. The slow reader reads 64 KiB every 10 ms from the trace of a call with 30 million gas.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { tracesInProcess } from './traceInProcess.mjs'
import { slowReader, tracesOverHttp } from './traceTargets.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '0.5' },
    gas: { type: 'string', default: '2000000' },
    'slow-seconds': { type: 'string', default: '5' },
    targets: { type: 'string', default: 'ours,anvil,hardhat' },
    skip: { type: 'string', default: '' },
    profile: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const skipped = new Set(values.skip.split(','))
const report = {}

if (!skipped.has('inProcess')) {
  report.inProcess = await tracesInProcess({ rounds, seconds: Number(values.seconds), profile: values.profile })
  console.log('\nin process, million steps per CPU second (bytes a step)')
  console.table(report.inProcess)
}
if (!skipped.has('http')) {
  report.http = await tracesOverHttp({ rounds, gas: Number(values.gas), names: values.targets.split(',') })
  console.log('\nover HTTP')
  console.table(report.http)
}
if (!skipped.has('slow')) {
  report.slow = await slowReader(Number(values['slow-seconds']))
  console.log('\nwith a client that reads slowly')
  console.table(report.slow)
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`)
