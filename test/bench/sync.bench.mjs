/**
 * Measures synchronisation from one peer over loopback beside `blocks import` of the same chain, alternating. Run on
 * built code:
 *
 *   npm run build && node test/bench/sync.bench.mjs [--blocks 300] [--transfers 100] [--rounds 3] [--chain FOLDER]
 *     [--json FILE]
 *
 * The chain consists of ERC-20 transfers, sealed with Clique by one signer; `--chain` keeps it for later runs. Both nodes share the machine.
 * If geth 1.10.26 is installed (../shared/peers/install.sh geth-1.10.26), it synchronises with the same peer as well.
 * Rates are medians and exclude the start of the processes; CPU times cover the importing process with its start. The
 * ratio is the median over the rounds.
 */
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { NodeProcess } from '../support/nodes/nodeProcess.mjs'
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

const folder = path.join(values.chain ?? temporary, `clique-transfers-${blocks}x${transfers}`)
const { genesisFile, blocksFile } = await transferChain(folder, { blocks, transfers, isClique: true })

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

const GETH = path.resolve(process.env.PEERS_CACHE ?? '.cache/peers', 'geth-1.10.26/bin/geth')
const POLL_MS = 20
const CLOCK_TICKS = 100
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** CPU time of all threads of a process, in seconds; NaN where the system does not show it. */
function cpuOfProcess(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
    return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS
  } catch {
    return Number.NaN
  }
}

/** geth fetches the chain from the peer. The time begins with its first block. */
async function gethFrom(peer, megagas) {
  const directory = newDirectory()
  await promisify(execFile)(GETH, ['--datadir', directory, 'init', genesisFile])
  const chainId = Number(await peer.call('eth_chainId'))
  const port = 20_000 + Math.floor(Math.random() * 20_000)
  const network = ['--networkid', `${chainId}`, '--nodiscover', '--nat', 'none', '--port', `${port}`]
  const http = ['--http', '--http.port', `${port + 1}`, '--http.api', 'eth,admin', '--authrpc.port', `${port + 2}`]
  const rest = ['--ipcdisable', '--syncmode', 'full', '--datadir', directory]
  const child = spawn(GETH, [...rest, ...network, ...http], { stdio: ['ignore', 'pipe', 'pipe'] })
  const closed = new Promise((resolve) => child.once('close', resolve))
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const ask = async (method, ...params) => {
    const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`http://127.0.0.1:${port + 1}`, { method: 'POST', headers, body: request })
    return (await response.json()).result
  }
  const height = () => ask('eth_blockNumber').then(Number, () => -1)
  try {
    while ((await height()) < 0) await pause(POLL_MS)
    await ask('admin_addPeer', await peer.call('net_enode'))
    const end = performance.now() + SYNC_LIMIT_MS
    let [first, startedMs] = [0, performance.now()]
    for (let at = 0; at < blocks; ) {
      const now = await height()
      if (at === 0 && now > 0) [first, startedMs] = [now, performance.now()]
      at = now
      if (performance.now() > end || child.exitCode !== null)
        throw new Error(`geth is at ${now}: ${output.slice(-2000)}`)
      await pause(POLL_MS)
    }
    const seconds = (performance.now() - startedMs) / 1000
    const share = (blocks - first) / blocks
    const cpuSeconds = cpuOfProcess(child.pid)
    return { blocksPerSecond: (blocks - first) / seconds, megagasPerSecond: (megagas * share) / seconds, cpuSeconds }
  } finally {
    child.kill('SIGKILL')
    await closed
    rmSync(directory, { recursive: true, force: true })
  }
}

const hasGeth = existsSync(GETH)
if (!hasGeth) console.log(`geth is skipped: ${GETH} does not exist`)
const runs = { import: [], sync: [], ...(hasGeth ? { geth: [] } : {}) }
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
    const geths = async () => hasGeth && runs.geth.push(await gethFrom(peer, megagas))
    for (const run of round % 2 === 0 ? [imports, syncs, geths] : [geths, syncs, imports]) await run()
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
