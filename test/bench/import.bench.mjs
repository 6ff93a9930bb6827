/**
 * Measures `blocks import` into LMDB with both EVMs, alternating, each time in a separate process. Run on built code:
 *
 *   npm run build && node test/bench/import.bench.mjs [--blocks 300] [--transfers 100] [--rounds 3] [--chain FOLDER]
 *     [--only TEXT] [--json FILE]
 *
 * Imports a chain of ERC-20 transfers, and the recorded chains if available (ISONODE_CONFORMANCE). `--chain` keeps the
 * generated chain for later runs, in one folder per size. Rates are medians over the rounds and exclude the start of
 * the process; CPU times cover all threads and include the start. The shares of the stages come from one more run
 * under the profiler, including its start: the time of the main thread, and beside it the busy time of the threads
 * that recover senders.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { topEntries } from './cpuProfile.mjs'
import { importStages } from './importStages.mjs'

const root = path.resolve(import.meta.dirname, '../..')
const conformance = path.resolve(root, process.env.ISONODE_CONFORMANCE ?? '../shared/conformance')
const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '300' },
    transfers: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '3' },
    chain: { type: 'string' },
    only: { type: 'string', default: '' },
    json: { type: 'string' },
  },
})
const [blocks, transfers, rounds] = [values.blocks, values.transfers, values.rounds].map(Number)
const ENGINES = ['native', 'reference']
const RECORDED = ['mainnet-1000', 'snap']
const PROFILE_ENTRIES = 12
const SUMMARY =
  /(\d+) blocks imported \((\d+) transactions\), \d+ skipped in ([\d.]+) s: (\d+) blocks\/s, ([\d.]+) Mgas\/s/

/** Prints the CPU time of all threads at the end, in microseconds. */
const REPORT_CPU =
  'data:text/javascript,process.on("exit",()=>{const{user,system}=process.cpuUsage();console.log("cpu",user+system)})'

const temporary = mkdtempSync(path.join(tmpdir(), 'isonode-bench-'))
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]
let directories = 0

async function chains() {
  const found = []
  const made = `${blocks} blocks of ${transfers} ERC-20 transfers`
  if (made.includes(values.only)) {
    // Loaded on demand: takes a second and needs packages that importing recorded chains does not.
    const { transferChain } = await import('./transferChain.mjs')
    const folder = path.join(values.chain ?? temporary, `transfers-${blocks}x${transfers}`)
    found.push({ name: made, ...(await transferChain(folder, { blocks, transfers })) })
  }
  for (const name of RECORDED.filter((recorded) => recorded.includes(values.only))) {
    const folder = path.join(conformance, 'besu', name)
    const [genesisFile, blocksFile] = ['genesis.json', 'blocks.bin'].map((file) => path.join(folder, file))
    if (existsSync(blocksFile)) found.push({ name, genesisFile, blocksFile })
  }
  return found
}

/**
 * The seals of some recorded chains are empty.
 * @param nodeOptions options for the profiler
 */
async function importOnce({ genesisFile, blocksFile }, engine, nodeOptions = []) {
  const directory = path.join(temporary, `data-${directories++}`)
  const options = [`--genesis-file=${genesisFile}`, `--data-path=${directory}`, `--evm=${engine}`]
  const command = ['blocks', 'import', `--from=${blocksFile}`, '--skip-pow-validation-enabled']
  const server = path.join(root, 'dist/server.js')
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...nodeOptions,
    `--import=${REPORT_CPU}`,
    server,
    ...options,
    ...command,
  ])
  rmSync(directory, { recursive: true })
  const match = SUMMARY.exec(stdout)
  if (match === null) throw new Error(`no summary: ${stdout}`)
  const [imported, transactions, seconds, , megagasPerSecond] = match.slice(1).map(Number)
  return {
    blocksPerSecond: imported / seconds,
    transactionsPerSecond: transactions / seconds,
    megagasPerSecond,
    cpuSeconds: Number(/^cpu (\d+)$/m.exec(stdout)?.[1]) / 1e6,
  }
}

async function stagesOf(chain, engine) {
  const folder = mkdtempSync(path.join(temporary, 'profile-'))
  await importOnce(chain, engine, ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=500'])
  const { stages, functions, workersMs } = importStages(folder)
  const totalMs = [...stages.values()].reduce((sum, ms) => sum + ms, 0)
  return { totalMs, workersMs, stages: topEntries(stages, stages.size), top: topEntries(functions, PROFILE_ENTRIES) }
}

async function bench(chain) {
  const runs = Object.fromEntries(ENGINES.map((engine) => [engine, []]))
  for (let round = 0; round < rounds; round++) {
    for (const i of ENGINES.keys()) {
      const engine = ENGINES[(i + round) % ENGINES.length]
      runs[engine].push(await importOnce(chain, engine))
    }
  }
  const rates = {}
  const stages = {}
  for (const engine of ENGINES) {
    const fields = Object.keys(runs[engine][0])
    rates[engine] = Object.fromEntries(fields.map((field) => [field, median(runs[engine].map((run) => run[field]))]))
    stages[engine] = await stagesOf(chain, engine)
  }
  const ratioOf = (field) => median(runs.native.map((run, i) => run[field] / runs.reference[i][field]))
  return { name: chain.name, rates, ratio: ratioOf('blocksPerSecond'), cpuRatio: ratioOf('cpuSeconds'), stages }
}

const percent = (share) => `${(share * 100).toFixed(1)} %`

function print({ name, rates, ratio, cpuRatio, stages }) {
  console.log(`\n${name}: native ${ratio.toFixed(2)} times as fast, ${cpuRatio.toFixed(2)} of the CPU time`)
  for (const [engine, rate] of Object.entries(rates)) {
    const cells = [
      `${rate.blocksPerSecond.toFixed(0)} blocks/s`,
      `${rate.transactionsPerSecond.toFixed(0)} tx/s`,
      `${rate.megagasPerSecond.toFixed(1)} Mgas/s`,
      `${rate.cpuSeconds.toFixed(2)} s of CPU`,
    ]
    console.log(engine.padEnd(12) + cells.map((cell) => cell.padStart(18)).join(''))
  }
  for (const [engine, { totalMs, workersMs, stages: shares, top }] of Object.entries(stages)) {
    const threads = `recovery threads busy ${(workersMs / 1000).toFixed(2)} s`
    console.log(`  ${engine}, main thread ${(totalMs / 1000).toFixed(2)} s, ${threads}`)
    console.log(`    ${shares.map(({ key, share }) => `${key} ${percent(share)}`).join(', ')}`)
    for (const { key, share } of top) console.log(`    ${percent(share).padStart(8)}  ${key}`)
  }
}

try {
  const rows = []
  for (const chain of await chains()) {
    const row = await bench(chain)
    rows.push(row)
    print(row)
  }
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(rows))
} finally {
  rmSync(temporary, { recursive: true, force: true })
}
