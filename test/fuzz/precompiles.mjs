/**
 * Calls precompiles with random input and compares the results with independent implementations based on other
 * libraries (precompiles/oracles.mjs): in WebAssembly, over BigInt, and with Node's faster implementations.
 *
 *   node test/fuzz/precompiles.mjs [--seconds 60] [--cases N] [--from N] [--seed S] [--only NAME]
 *   node test/fuzz/precompiles.mjs --only NAME --input HEX
 *
 * `--only` selects precompiles whose name contains the text. A difference is printed with its input. Needs the built
 * node; `--dist` selects another build.
 */
import path from 'node:path'
import { parseArgs } from 'node:util'
import { fromHex, toHex } from './precompiles/bytes.mjs'
import { curveCases } from './precompiles/curveCases.mjs'
import { oracles } from './precompiles/oracles.mjs'
import { plainCases } from './precompiles/plainCases.mjs'
import { FAILED, startSubject } from './precompiles/subjects.mjs'
import { Choices } from './random.mjs'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    cases: { type: 'string' },
    from: { type: 'string', default: '0' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string', default: '' },
    input: { type: 'string' },
    dist: { type: 'string', default: path.resolve(import.meta.dirname, '../../dist') },
  },
})

/** Maximum number of cases that wait for the threads. */
const CASES_AT_ONCE = 32
/** Number of differences after which the run ends. */
const MAX_DIFFERENCES = 20
const WAYS = ['wasm', 'bigint', 'installed', 'tiny']

/** How often each precompile is called, slow ones less, and the percentage of calls that also run over BigInt. */
const SHARES = {
  ECREC: [8, 100],
  SHA256: [3, 100],
  RIPEMD160: [3, 100],
  ID: [1, 100],
  MODEXP: [12, 100],
  BN254_ADD: [5, 100],
  BN254_MUL: [6, 100],
  BN254_PAIRING: [4, 30],
  BLAKE2F: [3, 100],
  KZG_POINT_EVALUATION: [4, 30],
  BLS12_G1ADD: [5, 100],
  BLS12_G1MSM: [5, 30],
  BLS12_G2ADD: [5, 100],
  BLS12_G2MSM: [4, 30],
  BLS12_PAIRING_CHECK: [3, 30],
  BLS12_MAP_FP_TO_G1: [5, 100],
  BLS12_MAP_FP2_TO_G2: [5, 50],
  P256VERIFY: [8, 100],
}

const makers = { ...plainCases, ...curveCases }
const rows = Object.entries(SHARES)
  .filter(([name]) => name.includes(values.only))
  .map(([name, [weight]]) => [weight, name])
if (rows.length === 0) throw new RangeError(`--only: no precompile's name has ${values.only}`)

/** By precompile: calls, calls that succeeded according to the oracle, and calls by variant. */
const counts = new Map(rows.map(([, name]) => [name, { calls: 0, succeeded: 0, ways: new Map() }]))
const seed = Number(values.seed)
const subjects = (await Promise.all(WAYS.map((way) => startSubject(way, values.dist)))).filter((it) => it !== undefined)
const differences = values.input === undefined ? await fuzz() : await judge(rows[0][1], fromHex(values.input))

for (const [name, { calls, succeeded, ways }] of counts) {
  const shares = [...ways].map(([way, count]) => `${way} ${count}`).join(', ')
  console.log(`${name}: ${calls} inputs, ${succeeded} with an output (${shares})`)
}
const total = [...counts.values()].reduce((sum, { calls }) => sum + calls, 0)
console.log(`${total - differences} passed, ${differences} failed`)
await Promise.all(subjects.map((subject) => subject.close()))
process.exitCode = differences === 0 ? 0 : 1

async function fuzz() {
  const cases = Number(values.cases ?? Number.POSITIVE_INFINITY)
  const seconds = Number(values.seconds ?? (values.cases === undefined ? 60 : Number.POSITIVE_INFINITY))
  console.log(`seed ${seed}, ${subjects.map(({ way }) => way).join(', ')}`)
  const start = performance.now()
  const running = new Set()
  let differences = 0
  for (let i = 0; i < cases && performance.now() - start < seconds * 1000 && differences < MAX_DIFFERENCES; i++) {
    const choices = new Choices(seed, Number(values.from) + i)
    const name = choices.weighted(rows)
    const input = makers[name](choices)
    const isOverBigInt = choices.chance(SHARES[name][1])
    const judged = judge(name, input, { isOverBigInt, label: ` (case ${Number(values.from) + i})` }).then((count) => {
      differences += count
      running.delete(judged)
    })
    running.add(judged)
    if (running.size >= CASES_AT_ONCE) await Promise.race(running)
  }
  await Promise.all(running)
  return differences
}

/**
 * The threads work concurrently with the oracle.
 * @returns 1 if an answer differs
 */
async function judge(name, input, { isOverBigInt = true, label = '' } = {}) {
  const asked = subjects.filter(({ way, names }) => names.has(name) && (way !== 'bigint' || isOverBigInt))
  const answers = asked.map((subject) => subject.run(name, input))
  const expected = expectedOf(name, input)
  const count = counts.get(name)
  count.calls++
  if (expected !== FAILED && expected !== '') count.succeeded++
  const wrong = []
  for (const [i, answer] of (await Promise.all(answers)).entries()) {
    const { way } = asked[i]
    count.ways.set(way, (count.ways.get(way) ?? 0) + 1)
    if (answer !== expected) wrong.push(`  ${way}: ${answer}`)
  }
  if (wrong.length > 0)
    console.log([`${name}${label} differs: ${toHex(input)}`, `  expected: ${expected}`, ...wrong].join('\n'))
  return wrong.length > 0 ? 1 : 0
}

function expectedOf(name, input) {
  try {
    const output = oracles[name](input)
    return output === undefined ? FAILED : toHex(output)
  } catch (error) {
    return `the oracle threw ${error}`
  }
}
