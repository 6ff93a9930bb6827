/**
 * Measures how quickly other requests are answered while endless calls run into their deadline.
 *
 *   node test/bench/deadline.bench.mjs
 *
 * Prints the latency of eth_blockNumber beside zero, one and eight endless calls, and how late the calls ended. Needs
 * the built node.
 */
import { spawn } from 'node:child_process'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const DEADLINE_MS = 3000
const PAUSE_MS = 2

const server = path.resolve(import.meta.dirname, '../../dist/server.js')
const options = ['--ephemeral', '--rpc-http-port=0', `--rpc-call-timeout-ms=${DEADLINE_MS}`, '--rpc-call-gas-cap=0']

/** Starts the node; resolves to the process and its URL. */
function start() {
  const child = spawn(process.execPath, [server, ...options], { stdio: ['ignore', 'pipe', 'inherit'] })
  return new Promise((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
      const match = /http:\/\/\S+:\d+/.exec(output)
      if (match !== null) resolve({ child, url: match[0] })
    })
    child.once('exit', (code) => reject(new Error(`the node stopped with ${code}: ${output}`)))
  })
}

const { child, url } = await start()

async function rpc(method, params = []) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return (await fetch(url, { method: 'POST', body })).json()
}

/** JUMPDEST PUSH1 0 JUMP as creation code. */
async function endlessCall() {
  const begin = performance.now()
  const { error } = await rpc('eth_call', [{ data: '0x5b600056', gas: '0xffffffffff' }, 'latest'])
  return { elapsedMs: performance.now() - begin, message: error?.message }
}

async function measure(count) {
  const state = { done: false }
  const calls = Promise.all(count === 0 ? [delay(DEADLINE_MS)] : Array.from({ length: count }, endlessCall))
  void calls.then(() => {
    state.done = true
  })
  const latencies = []
  while (!state.done) {
    const begin = performance.now()
    await rpc('eth_blockNumber')
    latencies.push(performance.now() - begin)
    await delay(PAUSE_MS)
  }
  latencies.sort((a, b) => a - b)
  const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))].toFixed(1)
  const ended = count === 0 ? [] : await calls
  const late = Math.max(0, ...ended.map(({ elapsedMs }) => elapsedMs - DEADLINE_MS)).toFixed(0)
  const how = count === 0 ? '' : `; calls end ${late} ms late at most: ${ended[0].message}`
  console.log(
    `${count} endless calls: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms of ${latencies.length}${how}`,
  )
}

await rpc('eth_call', [{ data: '0x' }, 'latest'])
for (const count of [0, 1, 8]) await measure(count)
child.kill('SIGTERM')
