/**
 * The trace of one transaction of 30 million gas over a URL that has no tracing methods, from nothing: a fork of this build, and
 * `cast run --quick` of Foundry.
 *
 *   node test/bench/forkTrace.bench.mjs [--latency 60] [--rounds 3] [--gas 30000000]
 *
 * The remote is a dev chain of this build behind a proxy that delays each answer. Each round starts new processes without a cache; a
 * row counts from the start of the process to the whole trace, and cells are medians. Needs the built node, and the package
 * @foundry-rs/cast-<platform> in .cache/foundry; without it, that row is skipped.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { selector, word } from './abi.mjs'
import { cell, openProxy } from './forkProxy.mjs'
import { CHAIN_ID, foundry, ourCommand, startNode, TOOLS } from './forkTools.mjs'
import { compileContracts } from './solidity.mjs'

const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const GAS_AT_END = 60_000
const CAST = foundry('cast')

const { values } = parseArgs({
  options: {
    latency: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '3' },
    gas: { type: 'string', default: '30000000' },
  },
})

async function mined(rpc, transaction) {
  const hash = await rpc('eth_sendTransaction', { from: SENDER, ...transaction })
  for (;;) {
    const receipt = await rpc('eth_getTransactionReceipt', hash)
    if (receipt !== null) return receipt
    await delay(2)
  }
}

/** Blocks follow the transaction, so that it is no longer in the newest one. */
async function openRemote() {
  const limit = `--gas-limit=${Number(values.gas)}`
  const options = ['--ephemeral', `--chain-id=${CHAIN_ID}`, '--dev-fork=CANCUN', limit]
  const remote = await startNode((port) => ourCommand(port, options))
  const { creation } = compileContracts(['contracts/Swap.sol']).Work
  const { contractAddress } = await mined(remote.rpc, { data: `0x${creation}`, gas: '0x1e8480' })
  const data = `0x${selector('run(uint256)')}${word(GAS_AT_END)}`
  const gas = `0x${Number(values.gas).toString(16)}`
  const receipt = await mined(remote.rpc, { to: contractAddress, data, gas })
  if (receipt.status !== '0x1') throw new Error('the transaction failed')
  await remote.rpc('anvil_mine', '0x3')
  return { ...remote, hash: receipt.transactionHash, gasUsed: Number(receipt.gasUsed) }
}

/** @returns bytes of the trace */
async function tracedByFork(tracer) {
  const { command } = TOOLS.ours
  const node = await startNode((port, folder) => command({ url: proxy.url, port, folder }))
  try {
    const options = tracer === undefined ? {} : { tracer }
    const headers = { 'content-type': 'application/json' }
    const request = { jsonrpc: '2.0', id: 1, method: 'debug_traceTransaction', params: [remote.hash, options] }
    const response = await fetch(`http://127.0.0.1:${node.port}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(request),
    })
    let start = ''
    let bytes = 0
    for await (const chunk of response.body) {
      start ||= Buffer.from(chunk).toString()
      bytes += chunk.length
    }
    if (!start.includes('"result"')) throw new Error(start.slice(0, 500))
    return bytes
  } finally {
    await node.stop()
  }
}

/** @returns bytes of the trace */
async function tracedByCast() {
  const home = mkdtempSync(path.join(tmpdir(), 'isonode-cast-'))
  const args = ['run', '--quick', remote.hash, '--rpc-url', proxy.url, '--evm-version', 'cancun']
  const child = spawn(CAST, args, { cwd: home, env: { ...process.env, HOME: home }, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const [code] = await once(child, 'close')
  rmSync(home, { recursive: true, force: true })
  if (code !== 0 || !output.includes(`Gas used: ${remote.gasUsed}`)) throw new Error(`cast: ${output.slice(-2000)}`)
  return output.length
}

const ROWS = {
  'isonode, call tree': () => tracedByFork('callTracer'),
  'isonode, all opcodes': () => tracedByFork(),
  'cast run --quick, call tree': existsSync(CAST) ? tracedByCast : undefined,
}
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1]

const remote = await openRemote()
const proxy = await openProxy({
  port: remote.port,
  latencyMs: Number(values.latency),
  isHidden: (method) => /^(?:debug|trace|isonode|ots)_/.test(method),
})
try {
  const measured = new Map()
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [row, work] of Object.entries(ROWS)) {
      if (work === undefined) continue
      const figures = await proxy.measured(work)
      measured.set(row, [...(measured.get(row) ?? []), figures])
    }
  }
  console.log(
    `| ${values.latency} ms, ${remote.gasUsed.toLocaleString('en')} gas | whole trace | size of the trace |\n|---|---|---|`,
  )
  for (const [row, list] of measured) {
    const of = (column) => median(list.map((figures) => figures[column]))
    const kilobytes = Math.round(of('result') / 1000).toLocaleString('en')
    console.log(
      `| ${row} | ${cell({ requests: of('requests'), bytes: of('bytes'), ms: of('ms') })} | ${kilobytes} kB |`,
    )
  }
  if (!existsSync(CAST)) console.error('cast is skipped: it is not in .cache/foundry')
} finally {
  proxy.close()
  await remote.stop()
}
