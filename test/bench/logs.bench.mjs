/**
 * Measures eth_getLogs over HTTP, with a filter that few logs match and with one that all logs match, and the cost of
 * the index during import. Run on built code:
 *
 *   npm run build && node test/bench/logs.bench.mjs [--blocks 10000] [--rounds 5] [--chain FOLDER] [--without FOLDER]
 *
 * `--without` is the checkout of a build without the index: both import the same blocks (100 ERC-20 transfers each),
 * alternating. `--chain` keeps the generated chains for later runs. Times are medians until the last byte of the
 * answer. On a busy machine only the CPU times are meaningful: of all threads of the server per answer, and of all
 * threads of an import including its start.
 */
import { execFile, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { LOGS_PER_BLOCK, logChain, RARE_HOLDER, TOKEN, TRANSFER } from './logChain.mjs'
import { transferChain } from './transferChain.mjs'

const root = path.resolve(import.meta.dirname, '../..')
const { values } = parseArgs({
  options: {
    blocks: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '5' },
    chain: { type: 'string' },
    without: { type: 'string' },
  },
})
const [blocks, rounds] = [values.blocks, values.rounds].map(Number)
const TRANSFER_BLOCKS = 600
const TRANSFERS = 100
const SUMMARY = /in ([\d.]+) s: /
/** Prints the CPU time of all threads at the end, in microseconds. */
const REPORT_CPU =
  'data:text/javascript,process.on("exit",()=>{const{user,system}=process.cpuUsage();console.log("cpu",user+system)})'
/** Unit of the times in /proc. */
const TICK_MS = 10
/** Minimum duration of the repetitions of a query. */
const QUERY_MS = 1000

const temporary = mkdtempSync(path.join(tmpdir(), 'isonode-bench-'))
const chains = values.chain ?? temporary
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

const serverOf = (checkout) => path.join(checkout, 'dist/server.js')
const optionsOf = ({ genesisFile }, directory) => [`--genesis-file=${genesisFile}`, `--data-path=${directory}`]

/** @returns seconds: wall-clock time without the start of the process, and CPU time including it */
async function importInto(checkout, chain, directory) {
  const command = ['blocks', 'import', `--from=${chain.blocksFile}`]
  const args = [`--import=${REPORT_CPU}`, serverOf(checkout), ...optionsOf(chain, directory), ...command]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return { clock: Number(SUMMARY.exec(stdout)[1]), cpu: Number(/^cpu (\d+)$/m.exec(stdout)[1]) / 1e6 }
}

function startServer(chain, directory) {
  const options = [
    '--rpc-http-enabled',
    '--rpc-http-port=0',
    '--p2p-enabled=false',
    '--rpc-max-logs-range=0',
    '--logging=INFO',
  ]
  const args = [serverOf(root), ...optionsOf(chain, directory), ...options]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      const match = /http:\/\/127\.0\.0\.1:(\d+)/.exec(text)
      if (match !== null) resolve({ child, port: Number(match[1]) })
    })
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${text}`)))
  })
}

const agent = new Agent({ keepAlive: true })

/** @returns the answer as bytes, and its duration in milliseconds */
function ask(port, filter) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getLogs', params: [filter] })
  const headers = { 'content-type': 'application/json', 'content-length': body.length }
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', method: 'POST', agent, headers }, (response) => {
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => resolve({ ms: performance.now() - started, bytes: Buffer.concat(chunks) }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** CPU time of all threads since the start of the process, milliseconds. */
function cpuMs({ pid }) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

async function benchQuery(name, { child, port }, filter, expected) {
  const times = []
  let cpuBefore = 0
  let length = 0
  const started = performance.now()
  for (let round = 0; round <= rounds || performance.now() - started < QUERY_MS; round++) {
    const { ms, bytes } = await ask(port, { fromBlock: '0x0', toBlock: 'latest', ...filter })
    times.push(ms)
    length = bytes.length
    if (round > 0) continue
    const { result, error } = JSON.parse(bytes)
    cpuBefore = cpuMs(child)
    if (result?.length !== expected) throw new Error(`${name}: ${result?.length} logs, ${error?.message}`)
  }
  const [first, ...later] = times
  const ms = median(later)
  const cpu = (cpuMs(child) - cpuBefore) / later.length
  const rate = (of) => `${((expected / of) * 1000).toFixed(0)} logs/s`
  console.log(`${name}: ${expected} logs, ${(length / 1e6).toFixed(1)} MB`)
  console.log(`  ${ms.toFixed(1)} ms (the first time ${first.toFixed(1)} ms), ${rate(ms)}`)
  console.log(`  ${cpu.toFixed(1)} ms of CPU, ${rate(cpu)}`)
}

async function benchQueries() {
  const chain = await logChain(path.join(chains, `logs-${blocks}`), { blocks })
  const directory = path.join(temporary, 'logs')
  await importInto(root, chain, directory)
  const server = await startServer(chain, directory)
  try {
    const transfer = `0x${TRANSFER}`
    const total = blocks * LOGS_PER_BLOCK
    const few = Math.ceil(blocks / 100)
    console.log(`eth_getLogs over ${blocks} blocks with ${total} logs`)
    await benchQuery('narrow', server, { address: `0x${TOKEN}`, topics: [transfer, `0x${RARE_HOLDER}`] }, few)
    await benchQuery('none', server, { topics: [null, null, `0x${RARE_HOLDER}`] }, 0)
    await benchQuery('wide', server, { address: `0x${TOKEN}`, topics: [transfer] }, total)
    await benchQuery('everything', server, {}, total)
  } finally {
    agent.destroy()
    const ended = new Promise((resolve) => server.child.once('exit', resolve))
    server.child.kill('SIGTERM')
    await ended
  }
}

async function benchImport() {
  if (values.without === undefined) return
  const folder = path.join(chains, `transfers-${TRANSFER_BLOCKS}x${TRANSFERS}`)
  const chain = await transferChain(folder, { blocks: TRANSFER_BLOCKS, transfers: TRANSFERS })
  const checkouts = { with: root, without: path.resolve(values.without) }
  const seconds = { with: [], without: [] }
  for (let round = 0; round < rounds; round++) {
    for (const name of round % 2 === 0 ? ['with', 'without'] : ['without', 'with']) {
      const directory = path.join(temporary, `import-${name}-${round}`)
      seconds[name].push(await importInto(checkouts[name], chain, directory))
      rmSync(directory, { recursive: true })
    }
  }
  const ratioOf = (kind) =>
    median(seconds.with.map((time, round) => time[kind] / seconds.without[round][kind])).toFixed(3)
  console.log(`import of ${TRANSFER_BLOCKS} blocks of ${TRANSFERS} transfers, beside a build without the index`)
  console.log(`  ${ratioOf('clock')} of the time, ${ratioOf('cpu')} of the CPU time`)
  for (const [name, times] of Object.entries(seconds)) {
    const [clock, cpu] = ['clock', 'cpu'].map((kind) => median(times.map((time) => time[kind])))
    console.log(`  ${name}: ${(TRANSFER_BLOCKS / clock).toFixed(0)} blocks/s, ${cpu.toFixed(2)} s of CPU`)
  }
}

try {
  await benchQueries()
  await benchImport()
} finally {
  rmSync(temporary, { recursive: true, force: true })
}
