/**
 * The costs of the Worker: replays a mix of requests against it in workerd, over R2 and over Workers KV, and counts the operations of
 * the bindings and the CPU time of the process.
 *
 *   npm run build && node test/bench/edgeCost.bench.mjs [--holders 400] [--requests 600] [--isolates 5]
 *
 * Cold: isolates that have just started answer the mix once. Warm: one isolate answers it again and again. Prices are those of
 * the paid plan beyond what it includes.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { RpcClient, startNode } from '../reliability/devNode.mjs'
import { bundled, fillStore, startIsolate } from './edgeWorker.mjs'
import { compileContracts } from './solidity.mjs'

const root = path.resolve(import.meta.dirname, '../..')
const { values } = parseArgs({
  options: {
    holders: { type: 'string', default: '400' },
    requests: { type: 'string', default: '600' },
    isolates: { type: 'string', default: '5' },
  },
})

/**
 * Dollars. https://developers.cloudflare.com/workers/platform/pricing/, /r2/pricing/, /kv/platform/pricing/, read in November 2026.
 */
const PER_MILLION = { request: 0.3, cpuMs: 0.02, r2Read: 0.36, r2Write: 4.5, kvRead: 0.5, kvWrite: 5 }
const OWNER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const TRANSFER = 'a9059cbb'
const BALANCE_OF = '70a08231'
const home = mkdtempSync(path.join(tmpdir(), 'isonode-edge-cost-'))

/** The Worker with bindings that count. */
const COUNTING_ENTRY = `
import handler, { LiveChain } from './adapters/workers/worker.ts'
export { LiveChain }
let counts = { reads: 0, others: 0 }
const counted = (binding) => new Proxy(binding, {
  get(target, name) {
    const value = target[name]
    if (typeof value !== 'function') return value
    return (...args) => {
      counts[name === 'get' || name === 'head' || name === 'getWithMetadata' ? 'reads' : 'others']++
      return value.apply(target, args)
    }
  },
})
export default {
  fetch(request, env, context) {
    if (new URL(request.url).pathname === '/counts') {
      const answer = Response.json(counts)
      counts = { reads: 0, others: 0 }
      return answer
    }
    const bindings = { ...env }
    for (const name of ['MIRROR', 'MIRROR_KV']) if (env[name]) bindings[name] = counted(env[name])
    return handler.fetch(request, bindings, context)
  },
}`

const word = (value) => BigInt(value).toString(16).padStart(64, '0')
const holder = (i) => `0x${word(0x1000 + i).slice(24)}`

/** The sequence of random numbers is always the same. */
let seed = 1
const below = (limit) => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
  return seed % limit
}

/** Publishes a chain with a token. @returns what the mix asks about */
async function publish(folder) {
  const options = [
    `--data-path=${path.join(home, 'data')}`,
    `--mirror-to=${pathToFileURL(folder).href}`,
    '--mirror-interval=10',
  ]
  const node = await startNode(options)
  const client = new RpcClient(node.http, 1)
  const send = (fields) => client.call('eth_sendTransaction', [{ from: OWNER, gas: '0x1e8480', ...fields }])
  const deployed = await send({ data: `0x${compileContracts().Token.creation}${word(10n ** 9n)}` })
  const { contractAddress: token } = await client.call('eth_getTransactionReceipt', [deployed])
  const hashes = []
  for (let i = 0; i < Number(values.holders); i++) {
    hashes.push(await send({ to: token, data: `0x${TRANSFER}${word(holder(i))}${word(1)}` }))
    await published(client)
  }
  const head = Number(await client.call('eth_blockNumber', []))
  const status = await published(client)
  client.close()
  node.child.kill()
  await node.ended
  const compact = [`--data-path=${path.join(home, 'data')}`, 'mirror', 'compact', pathToFileURL(folder).href]
  execFileSync(process.execPath, [path.join(root, 'dist/server.js'), ...compact])
  return { token, hashes, head, writesPerBlock: status.writes / Number(status.blockNumber) }
}

/** Waits until the mirror has the head, so that each block has its own manifest, as at one block a second. */
async function published(client) {
  const head = await client.call('eth_blockNumber', [])
  for (;;) {
    const status = await client.call('isonode_mirrorStatus', [])
    if (status?.blockNumber === head) return status
    await delay(5)
  }
}

/** Twenty requests: half calls, and a tenth each of blocks, receipts, balances, logs and the number of the head. */
function mixOf({ token, hashes, head }) {
  const some = () => holder(below(Number(values.holders)))
  const number = (i) => `0x${i.toString(16)}`
  const call = () => ['eth_call', { to: token, data: `0x${BALANCE_OF}${word(some())}` }, 'latest']
  const block = () => ['eth_getBlockByNumber', number(below(head)), below(2) === 0]
  const receipt = () => ['eth_getTransactionReceipt', hashes[below(hashes.length)]]
  const balance = () => ['eth_getBalance', some(), 'latest']
  const logs = () => {
    const from = below(Math.max(1, head - 100))
    return ['eth_getLogs', { address: token, fromBlock: number(from), toBlock: number(from + 99) }]
  }
  const newest = () => ['eth_blockNumber']
  return [...Array(10).fill(call), block, block, receipt, receipt, balance, balance, logs, logs, newest, newest].map(
    (ask) => ask(),
  )
}

/** @returns operations and CPU time for each request */
async function measured({ ask, counts, cpu }, requests) {
  await counts()
  const before = cpu()
  for (const request of requests) await ask(request)
  const cpuTime = cpu() - before
  const { reads, others } = await counts()
  if (others > 0) throw new Error(`${others} operations are not reads`)
  return { reads: reads / requests.length, cpuMs: cpuTime / requests.length }
}

function row(name, kind, { reads, cpuMs: cpuTime }) {
  const price = kind === 'r2' ? PER_MILLION.r2Read : PER_MILLION.kvRead
  const dollars = PER_MILLION.request + PER_MILLION.cpuMs * cpuTime + price * reads
  return `| ${name} | ${reads.toFixed(2)} | ${cpuTime.toFixed(1)} | ${dollars.toFixed(2)} |`
}

const STORES = { r2: 'R2', kv: 'Workers KV' }

try {
  const folder = path.join(home, 'mirror')
  const chain = await publish(folder)
  const { publisher } = JSON.parse(readFileSync(path.join(folder, 'mirror.json'), 'utf8'))
  const modules = await bundled(COUNTING_ENTRY)
  console.log(`${chain.head} blocks; ${chain.writesPerBlock.toFixed(2)} writes for a block, merges included`)
  console.log(
    '| | Reads of the store for a request | CPU of workerd, ms | Dollars for a million requests |\n|---|---|---|---|',
  )
  for (const [kind, name] of Object.entries(STORES)) {
    const first = await startIsolate({ modules, home, kind, publisher })
    await fillStore(folder, first, kind)
    await first.close()
    const cold = []
    for (let i = 0; i < Number(values.isolates); i++) {
      const fresh = await startIsolate({ modules, home, kind, publisher })
      cold.push(await measured(fresh, mixOf(chain)))
      await fresh.close()
    }
    const mean = (field) => cold.reduce((sum, each) => sum + each[field], 0) / cold.length
    console.log(row(`${name}, cold`, kind, { reads: mean('reads'), cpuMs: mean('cpuMs') }))
    const warm = await startIsolate({ modules, home, kind, publisher })
    const rounds = Math.ceil(Number(values.requests) / 20)
    for (let i = 0; i < rounds; i++) await measured(warm, mixOf(chain))
    const requests = Array.from({ length: rounds }, () => mixOf(chain)).flat()
    console.log(row(`${name}, warm`, kind, await measured(warm, requests)))
    const calls = requests.filter(([method]) => method === 'eth_call')
    const { cpuMs: callMs } = await measured(warm, calls)
    console.log(`warm eth_call over ${name}: ${callMs.toFixed(2)} ms of CPU in workerd, its HTTP included`)
    await warm.close()
  }
  for (const [name, price] of [
    ['R2', PER_MILLION.r2Write],
    ['Workers KV', PER_MILLION.kvWrite],
  ]) {
    console.log(`a million blocks in ${name}: ${(chain.writesPerBlock * price).toFixed(2)} dollars for writes`)
  }
} finally {
  rmSync(home, { recursive: true, force: true })
}
