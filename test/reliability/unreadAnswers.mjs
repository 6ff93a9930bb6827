/**
 * Clients that request long answers and never read them: the node's own memory stays bounded, and other clients are
 * still served.
 *
 *   node test/reliability/unreadAnswers.mjs [--connections 1000] [--seconds 20] [--kind batch|pipelined|websocket]
 *        [--server dist/server.js] [--runtime node]
 */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { RpcClient, startNode } from './devNode.mjs'

const MIB = 1024 * 1024
const MAX_GROWTH_BYTES = 512 * MIB
const HONEST_INTERVAL_MS = 20
/** Without bounds, the flood takes minutes. */
const MAX_HONEST_MS = 20_000
/** Newcomers connect after the flood, and some wait for the end of those that came with it. */
const MAX_NEWCOMER_MS = 30_000
/** Requests of a batch, and those that one connection pipelines. */
const REQUESTS = 1024
const REQUEST = '{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}'

export const KINDS = ['batch', 'pipelined', 'websocket']

/** Resident memory of a process in bytes, without shared pages of files. */
function ownMemory(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/RssAnon:\s+(\d+)/.exec(status)[1]) * 1024
}

function post(body) {
  return `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

/** A masked text frame (RFC 6455 section 5.2) of less than 64 KiB. */
function frame(text) {
  const payload = Buffer.from(text)
  const mask = randomBytes(4)
  const head = Buffer.from([0x81, 0xfe, payload.length >> 8, payload.length & 0xff, ...mask])
  for (let i = 0; i < payload.length; i++) payload[i] ^= mask[i & 3]
  return Buffer.concat([head, payload])
}

const UPGRADE = `GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`
const BATCH = `[${Array(REQUESTS).fill(REQUEST).join(',')}]`

/** The bytes that each connection sends. */
function payload(kind) {
  if (kind === 'batch') return [post(BATCH)]
  if (kind === 'websocket') return [UPGRADE, ...Array.from({ length: 16 }, () => frame(BATCH))]
  return [post(REQUEST).repeat(REQUESTS)]
}

/** Connects, sends all bytes at once and never reads. */
function attacker({ hostname, port }, bytes) {
  const socket = createConnection({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  socket.pause()
  for (const part of bytes) socket.write(part)
  return socket
}

/** @returns the latencies (ms, ascending) of requests that follow each other, and how many were not answered in time */
async function askUntil(isOver, maxMs, ask) {
  const times = []
  let failed = 0
  while (!isOver()) {
    const start = performance.now()
    const answer = await Promise.race([ask().catch((error) => error), sleep(maxMs, new Error('no answer'))])
    if (answer instanceof Error) failed++
    times.push(performance.now() - start)
    await sleep(HONEST_INTERVAL_MS)
  }
  return { times: times.sort((a, b) => a - b), failed }
}

/**
 * @returns the maximum growth of the node (bytes), and the requests of honest clients: of one that keeps its connection,
 *   and of newcomers
 */
export async function attack({ kind, connections, seconds, command }) {
  const limits = ['http', 'ws'].map((name) => `--rpc-${name}-max-active-connections=${connections + 10}`)
  const node = await startNode(['--ephemeral', '--p2p-enabled=false', ...limits], command)
  const honest = new RpcClient(node.http, 1)
  const sockets = []
  let peak = 0
  let ended
  void node.ended.then((end) => {
    ended = end
  })
  const measure = setInterval(() => {
    if (ended === undefined) peak = Math.max(peak, ownMemory(node.child.pid))
  }, 50)
  try {
    for (let i = 0; i < 100; i++) await honest.call('eth_blockNumber')
    const before = ownMemory(node.child.pid)
    const target = new URL(kind === 'websocket' ? node.ws : node.http)
    const bytes = payload(kind)
    for (let i = 0; i < connections; i++) sockets.push(attacker(target, bytes))
    const end = performance.now() + seconds * 1000
    const isOver = () => performance.now() >= end || ended !== undefined
    const keeping = askUntil(isOver, MAX_HONEST_MS, () => honest.call('eth_blockNumber'))
    const coming = askUntil(isOver, MAX_NEWCOMER_MS, async () => {
      const newcomer = new RpcClient(node.http, 1)
      await newcomer.call('eth_blockNumber').finally(() => newcomer.close())
    })
    const [kept, newcomers] = await Promise.all([keeping, coming])
    return { growth: peak - before, kept, newcomers, ended }
  } finally {
    clearInterval(measure)
    for (const socket of sockets) socket.destroy()
    honest.close()
    node.child.kill('SIGKILL')
    await node.ended
  }
}

/** @returns the line to print */
export function judge(kind, { growth, kept, newcomers, ended }) {
  const isServed = kept.failed === 0 && kept.times.length > 0 && newcomers.failed < newcomers.times.length
  const isGood = ended === undefined && growth < MAX_GROWTH_BYTES && isServed
  const memory = `${Math.round(growth / MIB)} MiB`
  const end = ended === undefined ? '' : `; THE NODE ENDED: ${JSON.stringify(ended)}`
  const line = `${kind}: grew by ${memory}; ${describe('honest', kept)}; ${describe('newcomers', newcomers)}${end}`
  return { isGood, line }
}

function describe(name, { times, failed }) {
  const at = (part) => `${times[Math.floor((times.length - 1) * part)]?.toFixed(1)} ms`
  return `${name}: ${times.length} requests (${failed} failed), p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)}`
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { values } = parseArgs({
    options: {
      connections: { type: 'string', default: '1000' },
      seconds: { type: 'string', default: '20' },
      kind: { type: 'string', default: '' },
      command: { type: 'string', default: '' },
    },
  })
  let failures = 0
  for (const kind of KINDS) {
    if (values.kind !== '' && values.kind !== kind) continue
    const command = values.command === '' ? undefined : values.command.split(' ')
    const input = { kind, connections: Number(values.connections), seconds: Number(values.seconds), command }
    const { isGood, line } = judge(kind, await attack(input))
    console.log(`${isGood ? 'ok' : 'FAILED'}: ${line}`)
    if (!isGood) failures++
  }
  process.exit(failures === 0 ? 0 : 1)
}
