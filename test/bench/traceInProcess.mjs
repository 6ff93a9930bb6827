/** Measures the tracers on the native EVM, without a node around them. */

import { JsonWriter } from '../../dist/src/base/primitives/jsonWriter.js'
import { forkRules } from '../../dist/src/config/forks.js'
import { TransactionTracer } from '../../dist/src/tracing/besu/transactionTracer.js'
import { eip3155Tracer } from '../../dist/src/tracing/structLog/eip3155.js'
import { structLogTracer } from '../../dist/src/tracing/structLog/structLogTracer.js'
import { word } from './abi.mjs'
import { profiled, selfTimes, shortUrl, topEntries } from './cpuProfile.mjs'
import { loop } from './evmAssembler.mjs'
import { ENGINES, environment } from './evmEngines.mjs'
import { evmPrograms } from './evmPrograms.mjs'

const PROFILE_ENTRIES = 16
const TARGET = '10'.repeat(20)
const GAS = 30_000_000n
const rules = forkRules('prague')
const EMPTY = new Uint8Array(0)
const OPTIONS = { showsMemory: false, monotonic: () => performance.now() }

/** A loop over a stack of eight words, one of them wide, after writing two slots. */
function mixedLoop() {
  const wide = `0x${'9e3779b97f4a7c15'.repeat(4)}`
  const before = `1 2 SSTORE 3 4 SSTORE ${wide} 5 6 7 8 0x${'ab'.repeat(20)}`
  const code = loop('DUP6 DUP5 ADD 0xffffff AND SWAP5 POP DUP1 64 MSTORE', { before })
  return {
    name: 'mixed loop',
    accounts: [{ address: TARGET, code, storage: {} }],
    to: TARGET,
    data: word(20_000),
    repeat: 1,
  }
}

const ROWS = {
  'no hooks': undefined,
  'empty hooks': () => ({ hooks: { step: () => {}, stepEnd: () => {} }, begin: () => {}, end: () => {} }),
  'besu, no memory': structLogTracer({ disableMemory: true }, { profile: 'besu' }),
  'besu, all': structLogTracer({}, { profile: 'besu' }),
  geth: structLogTracer({}, { profile: 'geth' }),
  'geth, memory': structLogTracer({ enableMemory: true }, { profile: 'geth' }),
  'EIP-3155': eip3155Tracer(OPTIONS),
  vmTrace: (out) => new TransactionTracer(out, { trace: false, vmTrace: true, stateDiff: false }, undefined),
  'flat trace': (out) => new TransactionTracer(out, { trace: true, vmTrace: false, stateDiff: false }, undefined),
}

/** @returns row -> program -> text */
export async function tracesInProcess({ rounds, seconds, profile }) {
  const wanted = ['ERC-20 transfer', 'nested CALL', 'storage, 1,000 slots']
  const programs = [mixedLoop(), ...evmPrograms().filter(({ name }) => wanted.includes(name))]
  const load = await ENGINES.native()
  const table = Object.fromEntries(Object.keys(ROWS).map((row) => [row, {}]))
  for (const program of programs) {
    // Every entry shows the written slots, so a few are written.
    const data =
      program.repeat === 1 ? word(program.name.includes('slots') ? 20 : 2000) + program.data.slice(64) : program.data
    const short = { ...program, data: program.name === 'mixed loop' ? program.data : data, gas: GAS }
    const run = await load(short)
    const steps = await countSteps(run)
    const cells = Object.fromEntries(Object.keys(ROWS).map((row) => [row, []]))
    for (let round = 0; round < rounds; round++) {
      for (const [row, factory] of Object.entries(ROWS)) cells[row].push(await measure(run, steps, factory, seconds))
    }
    for (const [row, measured] of Object.entries(cells)) table[row][program.name] = textOf(measured)
  }
  if (profile) await show(await load({ ...programs[0], gas: GAS }))
  return table
}

function textOf(measured) {
  const { rate, size } = measured.toSorted((a, b) => a.rate - b.rate)[measured.length >> 1]
  return `${rate.toFixed(2)}${size === 0 ? '' : ` (${Math.round(size)})`}`
}

async function countSteps(run) {
  let steps = 0
  await run({ step: () => void steps++ })
  return steps
}

/**
 * Traces one message.
 * @returns the bytes of its text
 */
async function trace(run, factory) {
  if (factory === undefined) {
    await run()
    return 0
  }
  let bytes = 0
  const write = (chunk) => {
    bytes += chunk.length
  }
  const out = new JsonWriter({ write, isFull: false, drained: async () => {} })
  const tracer = factory(out)
  tracer.begin({ rules, block: environment.block, transaction: {}, before: {}, now: {} })
  const gas = await run(tracer.hooks)
  tracer.end({
    result: { outcome: 'success', output: EMPTY },
    gasUsed: BigInt(gas),
    gasUsedBeforeRefund: 0n,
    changed: [],
  })
  out.flush()
  return bytes
}

async function measure(run, steps, factory, seconds) {
  let runs = 0
  let bytes = 0
  const cpuBefore = process.cpuUsage()
  for (;;) {
    bytes += await trace(run, factory)
    runs++
    const { user, system } = process.cpuUsage(cpuBefore)
    const micros = user + system
    if (micros >= seconds * 1e6) return { rate: (runs * steps) / micros, size: bytes / (runs * steps) }
  }
}

async function show(run) {
  const profile = await profiled(async () => {
    for (let i = 0; i < 10; i++) await trace(run, ROWS['besu, no memory'])
  })
  const keyOf = ({ functionName, url, lineNumber }) =>
    `${functionName || '(anonymous)'} ${shortUrl(url)}:${lineNumber + 1}`
  for (const { key, share } of topEntries(selfTimes(profile, keyOf), PROFILE_ENTRIES))
    console.log(`${(100 * share).toFixed(1).padStart(6)} %  ${key}`)
}
