/**
 * Reads whole recorded chains through a fork, and compares each answer with that of the remote.
 *
 *   node test/reliability/forkExact.mjs [--calls 2000] [--seed N]
 *
 * Compared: blocks, receipts, logs and traces of every block; balance, nonce, code and slots of every account that a trace or the genesis
 * names, at several heights; output and gas of calls with the inputs of random transactions. The number of calls is shared by the
 * chains. Needs the built node and ISONODE_CONFORMANCE. Ends with `N passed, N failed`.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { numberOption, seededRandom } from './random.mjs'

const root = path.resolve(import.meta.dirname, '../..')
const data = path.resolve(root, process.env.ISONODE_CONFORMANCE ?? '../shared/conformance')
const server = path.join(root, 'dist/server.js')
const seed = numberOption('seed', Date.now() % 1_000_000)
const random = seededRandom(seed)
const below = (limit) => Math.floor(random() * limit)
const CHAINS = [
  { name: 'trace' },
  { name: 'shanghai' },
  { name: 'cancun' },
  { name: 'osaka' },
  { name: 'clique-votes' },
  { name: 'qbft' },
]
const callsPerChain = Math.ceil(numberOption('calls', 2000) / CHAINS.length)
const HEIGHTS = 4
const MAX_SLOTS = 1000
const START_TIMEOUT_MS = 60_000
const MAX_SHOWN = 10

if (!existsSync(data)) {
  console.log(`skipped, no recorded data at ${data} (set ISONODE_CONFORMANCE)`)
  process.exit(process.env.CI ? 1 : 0)
}

const totals = { passed: 0, failed: 0 }

function serve(options) {
  const child = spawn(process.execPath, [server, ...options], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the node did not start: ${output}`)), START_TIMEOUT_MS)
    child.once('exit', (code) => reject(new Error(`the node ended with ${code}: ${output.slice(-2000)}`)))
    child.stdout.on('data', (chunk) => {
      output += chunk
      const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? []
      if (url === undefined) return
      clearTimeout(timer)
      resolve({ url, child })
    })
  })
}

function stop({ child }) {
  return new Promise((resolve) => {
    child.removeAllListeners('exit')
    child.once('exit', resolve)
    child.kill('SIGTERM')
  })
}

/** @returns results in the order of the requests; an error has its code and data only, because nodes word them differently */
async function ask({ url }, requests) {
  if (requests.length === 0) return []
  const body = JSON.stringify(requests.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params })))
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const answers = await response.json()
  const byId = new Map(answers.map((answer) => [answer.id, answer]))
  return requests.map((_, id) => {
    const { result, error } = byId.get(id)
    return error === undefined ? { result } : { error: error.data ?? 'failed' }
  })
}

/** Asks both nodes, in batches, and counts the answers that differ. */
async function compare(chain, nodes, requests) {
  const found = []
  for (let at = 0; at < requests.length; at += 100) {
    const batch = requests.slice(at, at + 100)
    const expected = await ask(nodes.remote, batch)
    const got = await ask(nodes.fork, batch)
    for (const [i, request] of batch.entries()) {
      const isSame = JSON.stringify(got[i]) === JSON.stringify(expected[i])
      totals[isSame ? 'passed' : 'failed']++
      if (!isSame && totals.failed <= MAX_SHOWN) {
        const show = (value) => JSON.stringify(value).slice(0, 400)
        console.log(`${chain}: ${show(request)}\n  remote ${show(expected[i])}\n  fork   ${show(got[i])}`)
      }
    }
    found.push(...expected)
  }
  return found.map(({ result }) => result)
}

const hex = (number) => `0x${number.toString(16)}`

async function compareBlocks(chain, nodes, head) {
  const numbers = Array.from({ length: head + 1 }, (_, number) => hex(number))
  const blocks = await compare(
    chain,
    nodes,
    numbers.map((number) => ['eth_getBlockByNumber', number, true]),
  )
  const transactions = blocks.flatMap((block) => block.transactions)
  const prestate = { tracer: 'prestateTracer' }
  const hashes = transactions.map(({ hash }) => hash)
  const [traces] = [
    await compare(
      chain,
      nodes,
      numbers.slice(1).map((number) => ['debug_traceBlockByNumber', number, prestate]),
    ),
    await compare(chain, nodes, [
      ...numbers.flatMap((number) => [
        ['eth_getBlockReceipts', number],
        ['trace_block', number],
      ]),
      ...blocks.flatMap(({ hash }) => [
        ['eth_getBlockByHash', hash, false],
        ['eth_getLogs', { blockHash: hash }],
        ['debug_traceBlockByHash', hash, { tracer: 'callTracer', tracerConfig: { withLog: true } }],
      ]),
      ...hashes.flatMap((hash) => [
        ['eth_getTransactionByHash', hash],
        ['eth_getTransactionReceipt', hash],
        ['debug_traceTransaction', hash, { tracer: 'prestateTracer', tracerConfig: { diffMode: true } }],
        ['trace_replayTransaction', hash, ['trace', 'vmTrace', 'stateDiff']],
      ]),
      ['eth_getLogs', { fromBlock: '0x0', toBlock: 'latest' }],
      ['trace_filter', { fromBlock: '0x1', toBlock: hex(head) }],
    ]),
  ]
  const touched = traces.flat().flatMap(({ result }) => Object.entries(result))
  return { transactions, touched }
}

async function compareState(chain, nodes, head, { alloc }, touched) {
  const slots = new Map()
  const slotsOf = (address) => {
    const key = address.toLowerCase().replace(/^(?:0x)?/, '0x')
    if (!slots.has(key)) slots.set(key, new Set())
    return slots.get(key)
  }
  const add = (address, { storage = {} }) => {
    for (const slot of Object.keys(storage).slice(0, MAX_SLOTS)) slotsOf(address).add(slot.replace(/^(?:0x)?/, '0x'))
    slotsOf(address)
  }
  for (const [address, account] of [...Object.entries(alloc), ...touched]) add(address, account)
  const heights = new Set([0, head, ...Array.from({ length: HEIGHTS - 2 }, () => below(head + 1))])
  const requests = [...heights]
    .map(hex)
    .flatMap((height) =>
      [...slots].flatMap(([address, keys]) => [
        ['eth_getBalance', address, height],
        ['eth_getTransactionCount', address, height],
        ['eth_getCode', address, height],
        ...[...keys].map((slot) => ['eth_getStorageAt', address, `0x${slot.slice(2).padStart(64, '0')}`, height]),
      ]),
    )
  await compare(chain, nodes, requests)
}

async function compareCalls(chain, nodes, head, transactions) {
  const requests = Array.from({ length: callsPerChain }, () => {
    const pick = () => transactions[below(transactions.length)]
    const { from, input, gas } = pick()
    const { to, value } = pick()
    const call = { from, ...(to === null ? {} : { to }), input, value, gas }
    const height = hex(below(head + 1))
    return [
      ['eth_call', call, height],
      ['debug_traceCall', call, height, { tracer: 'callTracer' }],
    ]
  })
  await compare(chain, nodes, requests.flat())
}

async function runChain({ name }, home) {
  const folder = path.join(data, 'besu', name)
  const genesisFile = path.join(folder, 'genesis.json')
  const base = [`--genesis-file=${genesisFile}`, `--data-path=${path.join(home, 'remote')}`]
  execFileSync(process.execPath, [server, ...base, 'blocks', 'import', `--from=${path.join(folder, 'blocks.bin')}`])
  const quiet = ['--p2p-enabled=false', '--rpc-http-enabled', '--rpc-http-port=0', '--rpc-http-api=ETH,DEBUG,TRACE']
  const remote = await serve([...base, ...quiet])
  const fork = await serve([
    `--data-path=${path.join(home, 'fork')}`,
    `--fork-url=${remote.url}`,
    '--fork-cache=none',
    '--rpc-http-port=0',
    `--genesis-file=${genesisFile}`,
  ]).catch(async (error) => {
    await stop(remote)
    throw error
  })
  try {
    const nodes = { remote, fork }
    const [{ result }] = await ask(remote, [['eth_blockNumber']])
    const head = Number(result)
    const { transactions, touched } = await compareBlocks(name, nodes, head)
    await compareState(name, nodes, head, JSON.parse(readFileSync(genesisFile, 'utf8')), touched)
    await compareCalls(name, nodes, head, transactions)
  } finally {
    await Promise.all([stop(fork), stop(remote)])
  }
}

console.log(`seed ${seed}`)
for (const chain of CHAINS) {
  const home = mkdtempSync(path.join(tmpdir(), 'isonode-fork-exact-'))
  const before = totals.passed
  try {
    await runChain(chain, home)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
  console.log(`${chain.name}: ${totals.passed - before} equal answers, ${totals.failed} different ones so far`)
}
console.log(`${totals.passed} passed, ${totals.failed} failed`)
process.exit(totals.failed === 0 ? 0 : 1)
