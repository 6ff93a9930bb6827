/**
 * The first call and the first transaction on a fork, behind a slow remote: requests, bytes and time of this build and anvil.
 *
 *   node test/bench/fork.bench.mjs [--latency 60] [--contracts 15] [--slots 5] [--rounds 3] [--without METHOD,...]
 *
 * The remote is a dev chain of this build behind a proxy that delays each answer. One call reads all slots of all contracts
 * through a router. `--without` names methods that the remote then lacks. Each round starts new processes without a cache; cells
 * are medians. The last rows are of two runs of this build with one cache: between them, the remote makes 50 blocks, in which a tenth
 * of the contracts change.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'

const root = path.resolve(import.meta.dirname, '../..')
const SERVER = path.join(root, 'dist/server.js')
const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : 'arm64'}`
const ANVIL = path.join(root, `.cache/foundry/node_modules/@foundry-rs/anvil-${platform}/bin/anvil`)
const ROUTER = `0x${'aa'.repeat(20)}`
const REMOTE_PORT = 18731
const TOOL_PORT = 18732
const METHOD_NOT_FOUND = -32601

const { values } = parseArgs({
  options: {
    latency: { type: 'string', default: '60' },
    contracts: { type: 'string', default: '15' },
    slots: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    without: { type: 'string', default: '' },
  },
})
const [latencyMs, contracts, slots, rounds] = ['latency', 'contracts', 'slots', 'rounds'].map((name) =>
  Number(values[name]),
)
const hidden = new Set(values.without.split(','))

const TOOLS = {
  ours: (url, cache = 'none') => [
    process.execPath,
    SERVER,
    `--fork-url=${url}`,
    `--fork-cache=${cache}`,
    '--logging=OFF',
    `--rpc-http-port=${TOOL_PORT}`,
    '--rpc-ws-port=0',
  ],
  anvil: (url) => [ANVIL, '--silent', '--no-storage-caching', '--port', String(TOOL_PORT), '--fork-url', url],
}

const push2 = (value) => `61${value.toString(16).padStart(4, '0')}`
const readerAddress = (i) => `0x${(0xb000 + i).toString(16).padStart(40, '0')}`
const slotOf = (i, j) => 256 * (i + 1) + j
const RETURN_WORD = '60005260206000f3'

/** Adds its slots. */
function readerCode(i) {
  const sum = Array.from({ length: slots }, (_, j) => `${push2(slotOf(i, j))}5401`).join('')
  return `0x6000${sum}${RETURN_WORD}`
}

/** Adds what all readers return. */
function routerCode() {
  const calls = Array.from({ length: contracts }, (_, i) => {
    return `602060006000600073${readerAddress(i).slice(2)}5afa50600051`
  })
  return `0x6000${calls.map((call) => `${call}01`).join('')}${RETURN_WORD}`
}

let id = 0
async function rpc(port, method, ...params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: ++id, method, params })
  const headers = { 'content-type': 'application/json' }
  const answer = await (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })).json()
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`)
  return answer.result
}

async function start([command, ...args], port) {
  const child = spawn(command, args, { stdio: 'ignore' })
  for (const limit = performance.now() + 60_000; performance.now() < limit; await delay(2)) {
    if (child.exitCode !== null) throw new Error(`${command} ended`)
    try {
      await rpc(port, 'eth_chainId')
      return child
    } catch {}
  }
  throw new Error(`${command} did not start`)
}

async function stop(child) {
  const end = once(child, 'exit')
  child.kill()
  await end
}

async function openRemote() {
  const options = ['--ephemeral', '--logging=OFF', '--chain-id=4242', '--dev-fork=CANCUN', '--rpc-ws-port=0']
  const child = await start([process.execPath, SERVER, ...options, `--rpc-http-port=${REMOTE_PORT}`], REMOTE_PORT)
  for (let i = 0; i < contracts; i++) {
    await rpc(REMOTE_PORT, 'anvil_setCode', readerAddress(i), readerCode(i))
    for (let j = 0; j < slots; j++) {
      const [slot, value] = [slotOf(i, j), j + 1].map((each) => `0x${each.toString(16).padStart(64, '0')}`)
      await rpc(REMOTE_PORT, 'anvil_setStorageAt', readerAddress(i), slot, value)
    }
  }
  await rpc(REMOTE_PORT, 'anvil_setCode', ROUTER, routerCode())
  await rpc(REMOTE_PORT, 'anvil_mine', 3)
  return child
}

const traffic = { requests: 0, bytes: 0 }

function answerHidden(text) {
  const calls = JSON.parse(text)
  if (!Array.isArray(calls) ? !hidden.has(calls.method) : calls.every(({ method }) => !hidden.has(method)))
    return undefined
  return calls
}

async function forward(text) {
  const calls = answerHidden(text)
  if (calls === undefined) return post(text)
  const error = { code: METHOD_NOT_FOUND, message: 'the method does not exist' }
  const one = async (call) =>
    hidden.has(call.method) ? { jsonrpc: '2.0', id: call.id, error } : JSON.parse(await post(JSON.stringify(call)))
  return JSON.stringify(Array.isArray(calls) ? await Promise.all(calls.map(one)) : await one(calls))
}

async function post(body) {
  const headers = { 'content-type': 'application/json' }
  return (await fetch(`http://127.0.0.1:${REMOTE_PORT}`, { method: 'POST', headers, body })).text()
}

async function openProxy() {
  const proxy = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    traffic.requests++
    await delay(latencyMs)
    const answer = await forward(text)
    traffic.bytes += answer.length
    response.setHeader('content-type', 'application/json')
    response.end(answer)
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  return proxy
}

/** @returns requests, bytes and time of some work */
async function measured(work) {
  const before = { ...traffic }
  const begin = performance.now()
  await work()
  const ms = performance.now() - begin
  return { requests: traffic.requests - before.requests, bytes: traffic.bytes - before.bytes, ms }
}

async function round(tool, url) {
  let child
  const begun = await measured(async () => {
    child = await start(TOOLS[tool](url), TOOL_PORT)
  })
  try {
    const expected = contracts * ((slots * (slots + 1)) / 2)
    const call = async () => {
      const sum = await rpc(TOOL_PORT, 'eth_call', { to: ROUTER }, 'latest')
      if (BigInt(sum) !== BigInt(expected)) throw new Error(`${tool} answered ${sum}, not ${expected}`)
    }
    const [from] = await rpc(TOOL_PORT, 'eth_accounts')
    const send = () => rpc(TOOL_PORT, 'eth_sendTransaction', { from, to: ROUTER, gas: '0x4c4b40' })
    return {
      start: begun,
      'first call': await measured(call),
      'second call': await measured(call),
      'first transaction': await measured(send),
      'second transaction': await measured(send),
    }
  } finally {
    await stop(child)
  }
}

const LATER_BLOCKS = 50

/** Start and first call of a fork of the newest block, with a cache. */
async function cachedRun(url, cache, expected) {
  let child
  const begun = await measured(async () => {
    child = await start(TOOLS.ours(url, cache), TOOL_PORT)
  })
  try {
    const called = await measured(async () => {
      const sum = await rpc(TOOL_PORT, 'eth_call', { to: ROUTER }, 'latest')
      if (BigInt(sum) !== BigInt(expected)) throw new Error(`the fork answered ${sum}, not ${expected}`)
    })
    return { begun, called }
  } finally {
    await stop(child)
  }
}

/** Changes a tenth of the contracts, in one slot each. @returns the sum of all slots */
async function changeRemote() {
  const changed = Math.ceil(contracts / 10)
  for (let i = 0; i < changed; i++) {
    await rpc(
      REMOTE_PORT,
      'anvil_setStorageAt',
      readerAddress(i),
      `0x${slotOf(i, 0).toString(16)}`,
      `0x${'7'.padStart(64, '0')}`,
    )
  }
  await rpc(REMOTE_PORT, 'anvil_mine', LATER_BLOCKS)
  return contracts * ((slots * (slots + 1)) / 2) + 6 * changed
}

async function laterRows(url) {
  const cache = mkdtempSync(path.join(tmpdir(), 'isonode-fork-bench-'))
  try {
    const first = await cachedRun(url, cache, contracts * ((slots * (slots + 1)) / 2))
    const sum = await changeRemote()
    const later = await cachedRun(url, cache, sum)
    return {
      'with a cache: start': first.begun,
      'with a cache: first call': first.called,
      [`${LATER_BLOCKS} blocks later: start`]: later.begun,
      [`${LATER_BLOCKS} blocks later: first call`]: later.called,
    }
  } finally {
    rmSync(cache, { recursive: true, force: true })
  }
}

const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)]

const remote = await openRemote()
const proxy = await openProxy()
try {
  const url = `http://127.0.0.1:${proxy.address().port}`
  const tools = Object.keys(TOOLS).filter((tool) => tool !== 'anvil' || existsSync(ANVIL))
  const results = Object.fromEntries(tools.map((tool) => [tool, []]))
  for (let i = 0; i < rounds; i++) for (const tool of tools) results[tool].push(await round(tool, url))
  console.log(`| ${latencyMs} ms, ${contracts + 1} contracts, ${contracts * slots} slots | ${tools.join(' | ')} |`)
  console.log(`|---|${tools.map(() => '---').join('|')}|`)
  for (const row of Object.keys(results.ours[0])) {
    const cells = tools.map((tool) => {
      const of = (name) => median(results[tool].map((each) => each[row][name]))
      return `${of('requests')} requests, ${(of('bytes') / 1000).toFixed(1)} kB, ${of('ms').toFixed(0)} ms`
    })
    console.log(`| ${row} | ${cells.join(' | ')} |`)
  }
  for (const [row, { requests, bytes, ms }] of Object.entries(await laterRows(url))) {
    console.log(`| ${row} | ${requests} requests, ${(bytes / 1000).toFixed(1)} kB, ${ms.toFixed(0)} ms |`)
  }
} finally {
  proxy.close()
  await stop(remote)
}
