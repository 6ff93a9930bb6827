/**
 * Kills a publisher, its Redis and a replica in turn under load, and removes up to 64 blocks, while clients compare what replicas on
 * Node, Deno and Bun say of blocks, by their hash, with what the publisher said when it had made them.
 *
 *   node test/reliability/replicaKillLoop.mjs [--rounds 20] [--servers 3] [--seed N]
 *
 * Each round kills each of the three once. Afterwards all replicas have the newest block. Several servers of Redis are one cluster.
 * Needs redis-server of Debian.
 */
import { execFile, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { fund, makeSenders, RpcClient, signTransfer, startNode } from './devNode.mjs'
import { numberOption, seededRandom } from './random.mjs'
import { COMMANDS } from './validatorMembers.mjs'

const rounds = numberOption('rounds', 20)
const seed = numberOption('seed', Date.now() % 1_000_000)
const random = seededRandom(seed)
const servers = numberOption('servers', 1)
const CLIENTS = 2
const SERVED = ['--rpc-http-enabled', '--rpc-ws-enabled', '--rpc-http-api=ETH']
const KEPT_BLOCKS = 300
const LONGEST_PAUSE_MS = 300
const CATCH_UP_LIMIT_MS = 60_000
const DEEPEST_REORGANISATION = 64

if (spawnSync('redis-server', ['--version']).error !== undefined) {
  console.log('skipped: redis-server is not installed')
  process.exit(0)
}
const root = path.resolve(import.meta.dirname, '../..')
const program = path.join(root, 'dist/server.js')
/** Runtimes of the replicas. */
const REPLICAS = ['node', 'node', 'deno', 'bun']
const home = mkdtempSync(path.join(tmpdir(), 'isonode-replica-kills-'))
const redisFolder = path.join(home, 'redis')
mkdirSync(redisFolder)
const redisPorts = []
while (redisPorts.length < servers) redisPorts.push(await freePort())
const url = servers === 1 ? `redis://127.0.0.1:${redisPorts[0]}/0` : `redis+cluster://127.0.0.1:${redisPorts[0]}`
const [sender, recipient] = makeSenders(2)
const run = promisify(execFile)
const pick = (list) => list[Math.floor(random() * list.length)]

/** The publisher's answers about its blocks, by hash: an answer for each question. */
const known = new Map()
const counts = { compared: 0, absent: 0, unreachable: 0, blocks: 0, reorganisations: 0 }
const problems = []
let isStopping = false

function questionsOf(hash) {
  return [
    ['eth_getBlockByHash', [hash, true]],
    ['eth_getBlockReceipts', [hash]],
    ['eth_getBalance', [recipient.hex, { blockHash: hash }]],
    ['eth_call', [{ to: recipient.hex }, { blockHash: hash }]],
  ]
}

async function freePort() {
  const server = createServer()
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A process that is killed and started again. */
class Killable {
  constructor(name, start) {
    this.name = name
    this.start = start
  }

  async open() {
    this.running = await this.start()
    this.client = this.running.http && new RpcClient(this.running.http, CLIENTS)
  }

  async kill() {
    this.running.child.kill('SIGKILL')
    await this.running.ended
    this.client?.close()
    await delay(random() * LONGEST_PAUSE_MS)
    await this.open()
  }

  async stop() {
    this.client?.close()
    this.running?.child.kill('SIGKILL')
    await this.running?.ended
  }
}

async function startRedis(port) {
  const cluster = servers > 1 ? ['--cluster-enabled', 'yes', '--cluster-config-file', `${port}.conf`] : []
  const files = ['--dir', redisFolder, '--save', '', '--appendonly', 'yes', '--appendfsync', 'always']
  const names = ['--appendfilename', `${port}.aof`, '--appenddirname', String(port)]
  const options = ['--port', String(port), '--bind', '127.0.0.1', ...files, ...names, ...cluster]
  const child = spawn('redis-server', options, { stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('close', resolve))
  for (;;) {
    const { stdout } = await run('redis-cli', ['-p', String(port), 'ping']).catch(() => ({ stdout: '' }))
    if (stdout.startsWith('PONG')) return { child, ended }
    if (child.exitCode !== null) throw new Error('redis-server ended')
    await delay(20)
  }
}

async function joinCluster() {
  const addresses = redisPorts.map((port) => `127.0.0.1:${port}`)
  await run('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes'])
  for (const port of redisPorts) {
    while (!(await run('redis-cli', ['-p', String(port), 'cluster', 'info'])).stdout.includes('cluster_state:ok'))
      await delay(50)
  }
}

const redis = redisPorts.map((port) => new Killable('Redis', () => startRedis(port)))
const publisher = new Killable('the publisher', () =>
  startNode([`--data-path=${path.join(home, 'data')}`, `--mirror-to=${url}`, '--mirror-interval=50']),
)

function newReplica(runtime, address) {
  const options = [`--mirror-from=${url}`, `--mirror-publisher=${address}`, '--mirror-poll=100', ...SERVED]
  return new Killable(`a replica on ${runtime}`, () => startNode(options, COMMANDS[runtime]))
}

/** Removes the newest blocks; the next ones take their places. */
async function reorganise() {
  const { client } = publisher
  const head = Number(await client.call('eth_blockNumber'))
  const depth = 1 + Math.floor(random() * Math.min(DEEPEST_REORGANISATION, head - 2))
  await client.call('debug_setHead', [`0x${(head - depth).toString(16)}`])
  counts.reorganisations++
  return depth
}

/** Sends transfers, and remembers what the publisher says of their blocks. */
async function load() {
  while (!isStopping) {
    try {
      const { client } = publisher
      const nonce = Number(await client.call('eth_getTransactionCount', [sender.hex, 'latest']))
      await client.call('eth_sendRawTransaction', [signTransfer(sender, nonce, recipient)])
      const { hash } = await client.call('eth_getBlockByNumber', ['latest', false])
      const answers = await Promise.all(questionsOf(hash).map(([method, params]) => client.call(method, params)))
      known.set(
        hash,
        answers.map((answer) => JSON.stringify(answer)),
      )
      counts.blocks++
      if (known.size > KEPT_BLOCKS) known.delete(known.keys().next().value)
    } catch {
      // It was killed. The next attempt asks its successor.
      await delay(20)
    }
  }
}

/** Compares what a replica says with what the publisher said. */
async function compare(replica) {
  while (!isStopping) {
    const hash = pick([...known.keys()])
    const expected = known.get(hash)
    const at = Math.floor(random() * expected.length)
    const [method, params] = questionsOf(hash)[at]
    try {
      const answer = await replica.client.call(method, params)
      // A replica does not know yet what was made a moment ago.
      if (answer === null) counts.absent++
      else if (JSON.stringify(answer) === expected[at]) counts.compared++
      else problems.push(`${method} ${hash}: ${JSON.stringify(answer)} instead of ${expected[at]}`)
    } catch ({ code }) {
      if (typeof code === 'number') counts.absent++
      else counts.unreachable++
      await delay(20)
    }
  }
}

/** Waits until the replicas have a block. @returns milliseconds */
async function caughtUp(replicas, hash) {
  const began = performance.now()
  for (const { client, name } of replicas) {
    while ((await client.call('eth_getBlockByHash', [hash, false]).catch(() => null)) === null) {
      if (performance.now() - began > CATCH_UP_LIMIT_MS) {
        problems.push(`${name} has no block ${hash} after ${CATCH_UP_LIMIT_MS} ms`)
        break
      }
      await delay(20)
    }
  }
  return performance.now() - began
}

/** Waits for a block that the publisher makes after this moment. The first one may have been on its way before. */
async function nextBlock() {
  const { blocks } = counts
  while (counts.blocks < blocks + 2) await delay(20)
  return [...known.keys()].at(-1)
}

/** Waits for the first publication. @returns the address of the publisher */
async function publishedBy() {
  for (;;) {
    const status = await publisher.client.call('isonode_mirrorStatus')
    if (status !== null) return status.publisher
    await delay(20)
  }
}

const replicas = []
let slowestMs = 0
try {
  await Promise.all(redis.map((server) => server.open()))
  if (servers > 1) await joinCluster()
  await publisher.open()
  await fund(publisher.client, [sender])
  const loading = load()
  await nextBlock()
  const address = await publishedBy()
  for (const runtime of REPLICAS) {
    const replica = newReplica(runtime, address)
    await replica.open()
    replicas.push(replica)
  }
  await caughtUp(replicas, await nextBlock())
  const comparing = replicas.flatMap((replica) => Array.from({ length: CLIENTS }, () => compare(replica)))
  for (let round = 1; round <= rounds; round++) {
    for (const victim of [pick(redis), publisher, pick(replicas)].sort(() => random() - 0.5)) {
      await delay(random() * LONGEST_PAUSE_MS)
      const began = performance.now()
      await victim.kill()
      const started = performance.now() - began
      const caughtUpMs = await caughtUp(replicas, await nextBlock())
      slowestMs = Math.max(slowestMs, caughtUpMs)
      console.log(
        `round ${round}: ${victim.name} started after ${Math.round(started)} ms, replicas had the next block ${Math.round(caughtUpMs)} ms later`,
      )
      const depth = await reorganise()
      const followedMs = await caughtUp(replicas, await nextBlock())
      console.log(
        `round ${round}: ${depth} blocks were replaced, replicas had the next block ${Math.round(followedMs)} ms later`,
      )
    }
  }
  isStopping = true
  await Promise.all([loading, ...comparing])
  const verified = await run(process.execPath, [program, 'mirror', 'verify', url]).catch((error) => error)
  if (!verified.stdout.startsWith('no problems')) problems.push(verified.stdout)
} finally {
  isStopping = true
  await Promise.all([...replicas, publisher, ...redis].map((killable) => killable.stop()))
  rmSync(home, { recursive: true, force: true })
}
for (const problem of problems.slice(0, 20)) console.log(problem)
const { compared, absent, unreachable, blocks } = counts
console.log(
  `${3 * rounds} kills and ${counts.reorganisations} reorganisations with seed ${seed}: ${blocks} blocks, ${compared} equal answers, ${absent} of blocks not yet there, ` +
    `${unreachable} without an answer; all caught up within ${Math.round(slowestMs)} ms; ${problems.length} problems`,
)
process.exit(problems.length === 0 && compared > 0 ? 0 : 1)
