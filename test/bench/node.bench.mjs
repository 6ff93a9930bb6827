/**
 * Compares the whole node with a bare node:http server and anvil, alternating in one run.
 *
 *   node test/bench/node.bench.mjs [rounds] [seconds]
 *
 * Measures start-up, idle memory, and requests per second of eth_blockNumber, eth_getBalance and eth_call at 16
 * connections and in batches of 100. anvil is expected in .cache/foundry (npm package @foundry-rs/anvil-linux-amd64),
 * Deno and Bun among the packages. On a busy machine only the ratios are meaningful.
 */
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { bunBinary, denoBinary } from '../support/host/binaries.mjs'

const here = import.meta.dirname
const root = path.resolve(here, '../..')
const [rounds = 3, seconds = 1.5] = process.argv.slice(2).map(Number)
const CONNECTIONS = 16
const IDLE_MS = 1500

const TOKEN = '0x00000000000000000000000000000000000070ce'
/** balanceOf of a token: one hash and one slot. */
const TOKEN_CODE = '0x6004355f525f60205260405f20545f5260205ff3'
const ACCOUNT = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'

const call = (method, params) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
const balanceOf = { to: TOKEN, data: `0x70a08231${ACCOUNT.slice(2).padStart(64, '0')}` }
const BODIES = {
  eth_blockNumber: call('eth_blockNumber', []),
  eth_getBalance: call('eth_getBalance', [ACCOUNT, 'latest']),
  eth_call: call('eth_call', [balanceOf, 'latest']),
  'batch of 100': `[${Array(100).fill(call('eth_blockNumber', [])).join()}]`,
}

if (process.argv[2] === 'bare') {
  const answer = '{"jsonrpc":"2.0","id":1,"result":"0x0"}'
  const server = createServer((request, response) => {
    request.on('data', () => {})
    request.on('end', () => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': answer.length })
      response.end(answer)
    })
  })
  server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
} else await main()

function commands(folder) {
  const genesis = path.join(folder, 'genesis.json')
  const config = { chainId: 1337, londonBlock: 0, terminalTotalDifficulty: 0, shanghaiTime: 0, cancunTime: 0 }
  const alloc = { [TOKEN]: { balance: '0x0', code: TOKEN_CODE }, [ACCOUNT]: { balance: '0x21e19e0c9bab2400000' } }
  writeFileSync(genesis, JSON.stringify({ config, difficulty: '0x0', gasLimit: '0x1c9c380', alloc }))
  const options = (name) => [
    `--genesis-file=${genesis}`,
    `--data-path=${folder}/${name}`,
    '--rpc-http-enabled',
    '--rpc-http-port=0',
    '--rpc-profile=geth',
    '--p2p-enabled=false',
  ]
  const mod = path.join(root, 'mod.ts')
  return {
    bare: [process.execPath, import.meta.filename, 'bare'],
    node: [process.execPath, path.join(root, 'dist/server.js'), ...options('node')],
    deno: [denoBinary(), 'run', '-A', '--no-lock', '--node-modules-dir=manual', mod, ...options('deno')],
    bun: [bunBinary(), 'run', mod, ...options('bun')],
    anvil: [path.join(root, '.cache/foundry/node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil'), '--port', '8599'],
  }
}

/** Starts a server and measures the time to its first answer. */
async function open(name, [command, ...rest]) {
  if (!existsSync(command)) return undefined
  const started = performance.now()
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'inherit'], cwd: tmpdir() })
  const url = await new Promise((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (chunk) => {
      text += chunk
      const match = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? /Listening on (127\.0\.0\.1:\d+)/.exec(text)
      if (match !== null) resolve(match[1] === undefined ? match[0] : `http://${match[1]}`)
    })
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)))
  })
  await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: BODIES.eth_blockNumber,
  }).then((r) => r.text())
  return { name, child, url, port: new URL(url).port, startMs: performance.now() - started }
}

function residentMiB({ child }) {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024
}

async function close({ child }) {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

async function measure({ port }, body) {
  const load = [path.join(here, 'httpLoad.mjs'), port, CONNECTIONS, seconds, body].map(String)
  return Number((await promisify(execFile)(process.execPath, load)).stdout)
}

async function main() {
  const folder = mkdtempSync(path.join(tmpdir(), 'isonode-bench-'))
  const table = commands(folder)
  const servers = []
  const figures = {}
  const note = (row, name, value) => {
    figures[row] ??= {}
    figures[row][name] ??= []
    figures[row][name].push(value)
  }
  try {
    for (let round = 0; round < rounds; round++) {
      for (const name of Object.keys(table)) {
        const server = await open(name, table[name])
        if (server === undefined) continue
        note('start, ms', name, server.startMs)
        if (round < rounds - 1) await close(server)
        else servers.push(server)
      }
    }
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS))
    for (const server of servers) note('idle memory, MiB', server.name, residentMiB(server))
    const anvil = servers.find(({ name }) => name === 'anvil')
    if (anvil !== undefined)
      await fetch(anvil.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: call('anvil_setCode', [TOKEN, TOKEN_CODE]),
      })
    for (let round = 0; round < rounds; round++) {
      for (const [row, body] of Object.entries(BODIES)) {
        const order = servers.map((_, i) => servers[(i + round) % servers.length])
        for (const server of order) {
          if (server.name === 'bare' && row === 'batch of 100') continue
          const rate = await measure(server, body)
          note(
            row === 'batch of 100' ? 'batch of 100, calls/s' : `${row}, req/s`,
            server.name,
            row === 'batch of 100' ? rate * 100 : rate,
          )
        }
      }
    }
  } finally {
    for (const server of servers) await close(server)
    rmSync(folder, { recursive: true, force: true })
  }
  print(
    figures,
    servers.map(({ name }) => name),
  )
}

function print(figures, names) {
  const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]
  console.log(['', ...names, 'node/bare', 'node/anvil'].map((text, i) => text.padEnd(i === 0 ? 24 : 11)).join(''))
  for (const [row, byName] of Object.entries(figures)) {
    const value = (name) => (byName[name] === undefined ? undefined : median(byName[name]))
    const ratio = (name) => (value(name) === undefined ? '' : (value('node') / value(name)).toFixed(2))
    const cells = [...names.map((name) => value(name)?.toFixed(0) ?? '-'), ratio('bare'), ratio('anvil')]
    console.log(row.padEnd(24) + cells.map((text) => text.padEnd(11)).join(''))
  }
}
