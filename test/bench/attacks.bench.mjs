/**
 * Latency of one client's eth_blockNumber while others attack the node. Run on built code:
 *
 *   npm run build && node test/bench/attacks.bench.mjs [--only TEXT] [--rounds 3] [--seconds 3] [--rate 50] [--sockets 2000]
 *
 * Two nodes run, and the client polls the first at most every 2 ms. Each round has three slices: `idle`; `elsewhere`, with
 * the attack on the second node, which shows how much the machine is slowed; `here`, with the attack on the polled node.
 * Cells are medians over the rounds. The rate is that of attacking requests per second. Exits with 1 when
 * the median latency or the 99th percentile under an attack exceeds twice that of `idle` and of `elsewhere`.
 */
import { fork, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import bcrypt from 'bcryptjs'

const root = path.resolve(import.meta.dirname, '../..')
const MOST = 2
const CLOCK_TICKS = 100
const ATTACKERS = 8
const BATCH = 50
const START_MS = 1500
const OPEN_LIMIT_MS = 15_000
const RIGHT = JSON.stringify({ username: 'user', password: 'right' })
const POLL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
const OTHER_CALL = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_accounts', params: [] })

const nested = (depth) => `{block{${'parent{'.repeat(depth)}number${'}'.repeat(depth)}}}`
const aliases = (count) => `{${Array.from({ length: count }, (_, i) => `a${i}:block{number}`).join(' ')}}`
const BOMBS = [
  nested(1000),
  aliases(5000),
  `{block{transactions{${'block{transactions{hash}}'.repeat(200)}}}}`,
  `query a{...f} fragment f on Query{...g} fragment g on Query{...f}`,
  `{${'['.repeat(20_000)}`,
  `query(${Array.from({ length: 2000 }, (_, i) => `$v${i}:Long`).join(' ')}){block{number}}`,
].map((query) => JSON.stringify({ query }))

/** Answers of the attacked node by status, in the attacking process. */
const answers = {}

function tell(status) {
  answers[status] = (answers[status] ?? 0) + 1
  process.send?.(answers)
}

/** Sends one request after the other over `ATTACKERS` connections, `rate` per second together. */
async function sendPaced(url, rate, requestOf) {
  const agent = new Agent({ keepAlive: true, maxSockets: ATTACKERS })
  const pauseMs = (1000 * ATTACKERS) / rate
  let count = 0
  const one = async () => {
    for (;;) {
      const { target = url, body, headers = {} } = requestOf(count++)
      const { status } = await post(target, body, agent, headers).catch(() => ({ status: 'closed' }))
      tell(status)
      await sleep(pauseMs)
    }
  }
  await Promise.all(Array.from({ length: ATTACKERS }, one))
}

/** Attacks by name; each runs in a process until it is killed. */
const ATTACKS = {
  'GraphQL bombs': async ({ http, graphql, rate }) => {
    const { token } = JSON.parse((await post(`${http}/login`, RIGHT)).text)
    await sendPaced(graphql, rate, (i) => ({
      body: BOMBS[i % BOMBS.length],
      headers: { Authorization: `Bearer ${token}` },
    }))
  },
  'wrong passwords': ({ http, rate }) =>
    sendPaced(http, rate, (i) => ({
      target: `${http}/login`,
      body: JSON.stringify({ username: i % 2 === 0 ? 'user' : `nobody${i}`, password: `wrong${i}` }),
    })),
  'forged tokens': ({ http, rate, tokens }) =>
    sendPaced(http, rate, (i) => ({
      body: OTHER_CALL,
      headers: { Authorization: `Bearer ${tokens[i % tokens.length]}` },
    })),
  'slow-loris': async ({ http }) => {
    const { port } = new URL(http)
    const hold = async () => {
      for (;;) {
        const socket = connect(Number(port), '127.0.0.1')
        socket.on('error', () => {})
        let isOpen = true
        socket.once('data', (bytes) => tell(bytes.toString('latin1', 9, 12)))
        socket.once('close', () => {
          isOpen = false
        })
        socket.write(
          'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 4096\r\n\r\n',
        )
        while (isOpen) {
          socket.write(' ')
          await sleep(50)
        }
      }
    }
    await Promise.all(Array.from({ length: 60 }, hold))
  },
  'idle WebSockets': async ({ ws, sockets }) => {
    const { port } = new URL(ws)
    for (let i = 0; i < sockets; i++) {
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('error', () => {})
      socket.once('data', (bytes) => tell(bytes.toString('latin1', 9, 12)))
      socket.write(
        'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
      )
      if (i % BATCH === BATCH - 1) await sleep(20)
    }
    await sleep(2 ** 30)
  },
}

function post(url, body, agent, headers = {}) {
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', agent, headers: { 'Content-Type': 'application/json', ...headers } }
    const sent = httpRequest(url, options, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode, text }))
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** In the polling thread: milliseconds of each answer, until it is stopped. */
async function poll(url) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times = []
  let isStopped = false
  parentPort.once('message', () => {
    isStopped = true
  })
  parentPort.postMessage('ready')
  while (!isStopped) {
    const started = performance.now()
    const { status } = await post(url, POLL, agent)
    if (status !== 200) throw new Error(`status ${status}`)
    times.push(performance.now() - started)
    await sleep(2)
  }
  parentPort.postMessage(times)
  agent.destroy()
}

async function polled(url, seconds) {
  const worker = new Worker(import.meta.filename, { workerData: url })
  const next = () =>
    new Promise((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
    })
  await next()
  const answer = next()
  await sleep(seconds * 1000)
  worker.postMessage('stop')
  const times = await answer
  await worker.terminate()
  return times
}

function secrets(folder) {
  const credentials = path.join(folder, 'users.toml')
  writeFileSync(credentials, `[Users.user]\npassword = "${bcrypt.hashSync('right', 10)}"\npermissions = ["*:*"]\n`)
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = part({ permissions: ['*:*'], exp: 4_000_000_000 })
  const tokens = [
    `${part({ alg: 'none' })}.${claims}.`,
    `${part({ alg: 'RS256' })}.${claims}.${'A'.repeat(342)}`,
    `${part({ alg: 'HS256' })}.${claims}.${'A'.repeat(43)}`,
  ]
  return { credentials, tokens }
}

async function start(credentials, sockets) {
  const child = spawn(
    process.execPath,
    [
      path.join(root, 'dist/server.js'),
      '--ephemeral',
      '--quiet',
      '--color-enabled=false',
      '--rpc-http-port=0',
      '--rpc-ws-enabled',
      '--rpc-ws-port=0',
      `--rpc-ws-max-active-connections=${4 * sockets + 10}`,
      '--graphql-http-enabled',
      '--graphql-http-port=0',
      '--rpc-http-authentication-enabled',
      `--rpc-http-authentication-credentials-file=${credentials}`,
      '--rpc-http-api-methods-no-auth=eth_blockNumber',
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  let text = ''
  child.stdout.setEncoding('utf8')
  const urls = await new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the node ended with ${code}: ${text}`)))
    child.stdout.on('data', (chunk) => {
      text += chunk
      const find = (pattern) => pattern.exec(text)?.[0]
      const [http, ws, graphql] = [
        /http:\/\/127\.0\.0\.1:\d+(?!\d*\/)/,
        /ws:\/\/127\.0\.0\.1:\d+/,
        /http:\/\/\S+\/graphql/,
      ].map(find)
      if (http && ws && graphql) resolve({ http, ws, graphql })
    })
  })
  return { child, urls }
}

async function attack(name, urls, parameters) {
  const child = fork(import.meta.filename, ['--attacker', name, JSON.stringify({ ...urls, ...parameters })])
  let counts = {}
  child.on('message', (message) => {
    counts = message
  })
  await sleep(START_MS)
  // The attack is that they are idle, not that they are opened.
  const latest = performance.now() + OPEN_LIMIT_MS
  const opened = () => counts['101'] ?? 0
  while (name === 'idle WebSockets' && opened() < parameters.sockets && performance.now() < latest) await sleep(100)
  return async () => {
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await ended
    return counts
  }
}

function cpuSeconds({ pid }) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS
}

function percentile(times, share) {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? Number.NaN
}

const median = (list) => percentile(list, 0.5)

async function compare(name, [polledNode, otherNode], { rounds, seconds, ...parameters }) {
  const slices = { idle: undefined, elsewhere: otherNode, here: polledNode }
  const cells = Object.fromEntries(Object.keys(slices).map((slice) => [slice, { p50: [], p99: [], cpu: [] }]))
  let answered
  for (let round = 0; round < rounds; round++) {
    for (const [slice, target] of Object.entries(slices)) {
      const end = target && (await attack(name, target.urls, parameters))
      const cpu = cpuSeconds(polledNode.child)
      const times = await polled(polledNode.urls.http, seconds)
      cells[slice].cpu.push((100 * (cpuSeconds(polledNode.child) - cpu)) / seconds)
      cells[slice].p50.push(percentile(times, 0.5))
      cells[slice].p99.push(percentile(times, 0.99))
      const counts = await end?.()
      if (slice === 'here') answered = counts
      await sleep(200)
    }
  }
  const row = {}
  for (const [slice, { p50, p99, cpu }] of Object.entries(cells)) {
    row[slice] = `${median(p50).toFixed(2)} / ${median(p99).toFixed(2)} (${median(cpu).toFixed(0)} % CPU)`
  }
  const ratio = (to, key) => median(cells.here[key].map((ms, i) => ms / cells[to][key][i]))
  const ratios = (to) => [ratio(to, 'p50'), ratio(to, 'p99')]
  row['here to idle'] = ratios('idle')
    .map((it) => it.toFixed(2))
    .join(' / ')
  row['here to elsewhere'] = ratios('elsewhere')
    .map((it) => it.toFixed(2))
    .join(' / ')
  row['answers by status'] = Object.entries(answered)
    .map(([status, count]) => `${count} × ${status}`)
    .join(', ')
  const isGood = [0, 1].every((i) => Math.min(ratios('idle')[i], ratios('elsewhere')[i]) <= MOST)
  return { row, isGood }
}

async function main() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '3' },
      rate: { type: 'string', default: '50' },
      sockets: { type: 'string', default: '2000' },
    },
  })
  const folder = mkdtempSync(path.join(tmpdir(), 'isonode-attacks-'))
  const sockets = Number(values.sockets)
  const { tokens, credentials } = secrets(folder)
  const nodes = []
  const table = {}
  let isGood = true
  try {
    for (let i = 0; i < 2; i++) nodes.push(await start(credentials, sockets))
    for (const node of nodes) await polled(node.urls.http, 2)
    const parameters = { rounds: Number(values.rounds), seconds: Number(values.seconds), rate: Number(values.rate) }
    for (const name of Object.keys(ATTACKS).filter((it) => it.includes(values.only))) {
      const result = await compare(name, nodes, { ...parameters, sockets, tokens })
      table[name] = result.row
      isGood &&= result.isGood
    }
  } finally {
    for (const { child } of nodes) child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  }
  console.log('median / 99th percentile, ms')
  console.table(table)
  process.exitCode = isGood ? 0 : 1
}

if (!isMainThread) await poll(workerData)
else if (process.argv[2] === '--attacker') await ATTACKS[process.argv[3]](JSON.parse(process.argv[4]))
else await main()
