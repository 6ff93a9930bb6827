/**
 * Measures the cost of the native EVM's hooks: steps per second of the process's CPU time with hooks that do little.
 * Run on built code:
 *
 *   npm run build && node test/bench/hooks.bench.mjs [--rounds 5] [--seconds 0.3] [--only TEXT]
 *
 * A cell is the median over the rounds, in millions of opcodes per second; all columns of a row run the same opcodes.
 */
import { parseArgs } from 'node:util'
import { installNodeCrypto } from '../../dist/adapters/server/crypto/crypto.js'
import { ENGINES } from './evmEngines.mjs'
import { evmPrograms } from './evmPrograms.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '0.3' },
    only: { type: 'string', default: '' },
  },
})
const rounds = Number(values.rounds)
const milliseconds = Number(values.seconds) * 1000
const PROGRAMS = ['small numbers', 'memory', 'storage, 1,000 slots', 'nested CALL', 'ERC-20 transfer']

/** Values are stored here so that reading them is not optimized away. */
let sink = 0
const look = ({ pc, opcode, gas, stackSize }) => {
  sink += pc + opcode + gas + stackSize
}
const storageOpcodes = new Uint8Array(256)
storageOpcodes[0x54] = storageOpcodes[0x55] = 1

/** By column; undefined means no hooks. */
const HOOKS = {
  untraced: undefined,
  'calls alone': { enter() {}, exit() {} },
  'SLOAD, SSTORE': { opcodes: storageOpcodes, step: look },
  'empty step': { step() {} },
  'step and end': { step: look, stepEnd: look },
  'and stack': {
    step(frame) {
      look(frame)
      sink += frame.stack.length
    },
    stepEnd: look,
  },
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

/**
 * Runs whole units until the time is over.
 * @returns units per microsecond of CPU time
 */
function measure(run, repeat) {
  let units = 0
  const started = performance.now()
  const cpuBefore = process.cpuUsage()
  do {
    for (let i = 0; i < repeat; i++) run()
    units++
  } while (performance.now() - started < milliseconds)
  const { user, system } = process.cpuUsage(cpuBefore)
  return units / (user + system)
}

async function bench(program, load) {
  let steps = 0
  const count = await load(program, { step: () => steps++ })
  for (let i = 0; i < program.repeat; i++) count()
  const runs = {}
  const rates = {}
  for (const [name, hooks] of Object.entries(HOOKS)) {
    runs[name] = await load(program, hooks)
    rates[name] = []
    measure(runs[name], program.repeat)
  }
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(HOOKS)) rates[name].push(measure(runs[name], program.repeat) * steps)
  }
  const cells = Object.keys(HOOKS).map((name) => median(rates[name]).toFixed(1).padStart(16))
  console.log(program.name.padEnd(26) + cells.join(''))
}

await installNodeCrypto()
const load = await ENGINES.native()
console.log(
  'M opcodes/s'.padEnd(26) +
    Object.keys(HOOKS)
      .map((name) => name.padStart(16))
      .join(''),
)
for (const program of evmPrograms()) {
  if (PROGRAMS.includes(program.name) && program.name.includes(values.only)) await bench(program, load)
}
if (!Number.isFinite(sink)) throw new Error('nothing was read')
