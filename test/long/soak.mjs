/**
 * Many clients over HTTP, WebSocket and GraphQL against the built node: no request fails, and memory does not grow after the
 * start.
 *
 *   node test/long/soak.mjs [--seconds 600] [--clients 200]
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { WebSocket } from 'ws'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '600' }, clients: { type: 'string', default: '200' } },
})
const seconds = Number(values.seconds)
const clients = Number(values.clients)
/** Pause of a client between two requests. */
const PAUSE_MS = 250
const SAMPLE_MS = 1_000
/** Memory is compared from here on; before, code is compiled and buffers reach their size. */
const warmUpSeconds = Math.min(60, seconds / 3)
/** Growth that the garbage collector may cause. */
const ALLOWED_GROWTH = 1.15
/** A short run shows only that memory is bounded. */
const ALLOWED_MIB = seconds < 120 ? 64 : 24

const server = path.resolve(import.meta.dirname, '../../dist/server.js')
const folder = mkdtempSync(path.join(tmpdir(), 'isonode-soak-'))
const node = spawn(
  process.execPath,
  [server, `--data-path=${folder}`, '--rpc-http-port=0', '--graphql-http-enabled', '--graphql-http-port=0', '--quiet'],
  { stdio: ['ignore', 'pipe', 'inherit'] },
)

let isOver = false
let requests = 0
const failures = new Map()

function failed(error) {
  if (!isOver) failures.set(String(error), (failures.get(String(error)) ?? 0) + 1)
}

async function addresses() {
  let printed = ''
  for await (const chunk of node.stdout.setEncoding('utf8')) {
    printed += chunk
    const graphql = /http:\/\/[\d.]+:\d+\/graphql/.exec(printed)?.[0]
    const http = /http:\/\/[\d.]+:\d+(?=\s)/.exec(printed)?.[0]
    if (graphql !== undefined && http !== undefined) return { http, graphql }
  }
  throw new Error('the node ended')
}

function post(url, body, agent) {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () =>
        response.statusCode === 200 ? resolve(text) : reject(new Error(`${response.statusCode}`)),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const FROM = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const CALLS = [
  ['eth_blockNumber', []],
  ['eth_getBalance', [FROM, 'latest']],
  ['eth_getBlockByNumber', ['latest', true]],
  ['eth_call', [{ to: FROM, data: '0x' }, 'latest']],
  ['eth_getLogs', [{ fromBlock: 'latest' }]],
  ['eth_feeHistory', ['0x5', 'latest', [50]]],
]
const QUERIES = [
  '{ block { number hash transactions { hash from { address balance } } } }',
  `{ block { account(address: "${FROM}") { balance transactionCount } } gasPrice chainID }`,
  '{ pending { transactionCount } syncing { currentBlock } }',
]

function rpcBody(index) {
  const [method, params] = CALLS[index % CALLS.length]
  return JSON.stringify({ jsonrpc: '2.0', id: index, method, params })
}

function checked(text) {
  if (text.includes('"error')) throw new Error(text.slice(0, 200))
}

/** Sends one request after the other until the end. */
async function repeat(first, send) {
  await delay((first * PAUSE_MS) / clients)
  for (let index = first; !isOver; index++) {
    try {
      checked(await send(index))
      requests++
    } catch (error) {
      failed(error)
    }
    await delay(PAUSE_MS)
  }
}

async function overHttp(first, url, bodyOf) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  await repeat(first, (index) => post(url, bodyOf(index), agent))
  agent.destroy()
}

async function overWebSocket(first, url) {
  const socket = new WebSocket(url.replace('http', 'ws'))
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  let answered = () => {}
  socket.on('message', (data) => {
    const text = String(data)
    if (!text.includes('"eth_subscription"')) answered(text)
  })
  socket.on('close', () => failed('a WebSocket was closed'))
  const ask = (body) =>
    new Promise((resolve) => {
      answered = resolve
      socket.send(body)
    })
  await ask('{"jsonrpc":"2.0","id":0,"method":"eth_subscribe","params":["newHeads"]}')
  await repeat(first, (index) => ask(rpcBody(index)))
  socket.terminate()
}

/** One transaction per second. */
async function transact(url) {
  while (!isOver) {
    const params = [{ from: FROM, to: FROM, value: '0x1' }]
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendTransaction', params })
    await post(url, body).then(checked).catch(failed)
    await delay(1_000)
  }
}

function residentMib() {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${node.pid}/status`, 'utf8'))?.[1]) / 1024
}

function median(numbers) {
  return [...numbers].sort((a, b) => a - b)[numbers.length >> 1]
}

const { http, graphql } = await addresses()
node.stdout.resume()
const running = Array.from({ length: clients }, (_, index) => {
  if (index % 3 === 0) return overHttp(index, http, rpcBody)
  if (index % 3 === 1) return overWebSocket(index, http).catch(failed)
  return overHttp(index, graphql, (n) => JSON.stringify({ query: QUERIES[n % QUERIES.length] }))
})
running.push(transact(http))
const samples = []
for (let second = 1; second <= seconds; second++) {
  await delay(SAMPLE_MS)
  samples.push(residentMib())
}
isOver = true
await Promise.all(running)
node.kill('SIGTERM')
const code = await new Promise((resolve) => node.once('close', resolve))
rmSync(folder, { recursive: true })

const measured = samples.slice(warmUpSeconds)
const third = Math.max(1, Math.floor(measured.length / 3))
const [early, late] = [median(measured.slice(0, third)), median(measured.slice(-third))]
const mib = (value) => `${value.toFixed(0)} MiB`
console.log(
  `${clients} clients, ${seconds} s: ${requests} requests, ${[...failures.values()].reduce((a, b) => a + b, 0)} failures; ` +
    `resident after the start ${mib(early)}, at the end ${mib(late)}, maximum ${mib(Math.max(...samples))}`,
)
for (const [error, count] of failures) console.error(`${count} times: ${error}`)
const isFlat = late <= early * ALLOWED_GROWTH + ALLOWED_MIB
if (!isFlat) console.error('memory grows')
process.exitCode = isFlat && failures.size === 0 && code === 0 && requests > 0 ? 0 : 1
