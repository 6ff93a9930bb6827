/**
 * Measures synchronisation from one peer over loopback beside `blocks import` of the same chain, alternating. Run on
 * built code:
 *
 *   npm run build && node test/bench/sync.bench.mjs [--blocks 300] [--transfers 100] [--rounds 3] [--chain FOLDER]
 *     [--json FILE]
 *
 * The chain consists of ERC-20 transfers without seals; `--chain` keeps it for later runs. Both nodes share the machine.
 * Rates are medians and exclude the start of the processes; CPU times cover the importing process with its start. The
 * ratio is the median over the rounds.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { NodeProcess } from '../support/nodeProcess.mjs'
import { transferChain } from './transferChain.mjs'

const server = path.resolve(import.meta.dirname, '../../dist/server.js')
const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '300' },
    transfers: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '3' },
    chain: { type: 'string' },
    json: { type: 'string' },
  },
})
const [blocks, transfers, rounds] = [values.blocks, values.transfers, values.rounds].map(Number)
const SUMMARY =
  /(\d+) blocks imported \((\d+) transactions\), \d+ skipped in ([\d.]+) s: (\d+) blocks\/s, ([\d.]+) Mgas\/s/
const SYNC_LIMIT_MS = 600_000
/** Prints the CPU time of all threads at the end, in microseconds. */
const REPORT_CPU =
  'data:text/javascript,process.on("exit",()=>{const{user,system}=process.cpuUsage();console.log("cpu",user+system)})'

const temporary = mkdtempSync(path.join(tmpdir(), 'isonode-sync-'))
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]
const cpuOf = (output) => Number(/^cpu (\d+)$/m.exec(output)?.[1]) / 1e6
let directories = 0
const newDirectory = () => path.join(temporary, `data-${directories++}`)

const folder = path.join(values.chain ?? temporary, `transfers-${blocks}x${transfers}`)
const { genesisFile, blocksFile } = await transferChain(folder, { blocks, transfers })

async function importInto(directory) {
  const options = [`--genesis-file=${genesisFile}`, `--data-path=${directory}`]
  const command = ['blocks', 'import', `--from=${blocksFile}`]
  const args = [`--import=${REPORT_CPU}`, server, ...options, ...command]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  const match = SUMMARY.exec(stdout)
  if (match === null) throw new Error(`no summary: ${stdout}`)
  const [imported, , seconds, , megagasPerSecond] = match.slice(1).map(Number)
  const rate = { blocksPerSecond: imported / seconds, megagasPerSecond, cpuSeconds: cpuOf(stdout) }
  return { rate, megagas: megagasPerSecond * seconds }
}

async function syncFrom(peer, megagas) {
  const directory = newDirectory()
  const node = new NodeProcess({ genesisFile, directory, nodeOptions: [`--import=${REPORT_CPU}`] })
  try {
    await node.connect(peer)
    const [, imported, seconds] = (
      await node.printed(/in sync block=\d+ imported=(\d+) seconds=([\d.]+)/, SYNC_LIMIT_MS)
    ).map(Number)
    if (imported !== blocks) throw new Error(`${imported} of ${blocks} blocks were imported: ${node.output}`)
    await node.kill()
    const rate = { blocksPerSecond: imported / seconds, megagasPerSecond: megagas / seconds }
    return { ...rate, cpuSeconds: cpuOf(node.output) }
  } finally {
    await node.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  }
}

const runs = { import: [], sync: [] }
const served = newDirectory()
const { megagas } = await importInto(served)
const peer = new NodeProcess({ genesisFile, directory: served })
try {
  for (let round = 0; round < rounds; round++) {
    const imports = async () => {
      const directory = newDirectory()
      runs.import.push((await importInto(directory)).rate)
      rmSync(directory, { recursive: true })
    }
    const syncs = async () => runs.sync.push(await syncFrom(peer, megagas))
    for (const run of round % 2 === 0 ? [imports, syncs] : [syncs, imports]) await run()
  }
} finally {
  await peer.kill()
  rmSync(temporary, { recursive: true, force: true })
}

const rates = Object.fromEntries(
  Object.entries(runs).map(([name, list]) => {
    const fields = Object.keys(list[0])
    return [name, Object.fromEntries(fields.map((field) => [field, median(list.map((run) => run[field]))]))]
  }),
)
const ratio = median(runs.sync.map((run, i) => run.blocksPerSecond / runs.import[i].blocksPerSecond))
console.log(
  `${blocks} blocks of ${transfers} ERC-20 transfers: synchronisation at ${ratio.toFixed(2)} of the rate of the import`,
)
for (const [name, rate] of Object.entries(rates)) {
  const cells = [
    `${rate.blocksPerSecond.toFixed(0)} blocks/s`,
    `${rate.megagasPerSecond.toFixed(1)} Mgas/s`,
    `${rate.cpuSeconds.toFixed(2)} s of CPU`,
  ]
  console.log(name.padEnd(12) + cells.map((cell) => cell.padStart(18)).join(''))
}
if (values.json !== undefined)
  writeFileSync(values.json, JSON.stringify({ blocks, transfers, ratio, rates }, undefined, 2))
