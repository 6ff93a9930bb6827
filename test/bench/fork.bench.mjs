/**
 * A swap through three pools on a fork, behind a slow remote: requests, bytes and time of this build, anvil, Hardhat 3 and tevm.
 *
 *   node test/bench/fork.bench.mjs [--latency 60] [--rounds 3] [--without METHOD,...] [--tools ours,anvil,hardhat3,tevm] [--plain]
 *
 * The remote is a dev chain of this build behind a proxy that delays each answer, and compresses it for tools that accept it, unless
 * `--plain` is given. `--without` names methods that the remote then lacks. Each round starts new processes without a cache; cells are
 * medians, and bytes are those of the answers on the wire. The last rows are of two runs of this build with one cache: between them,
 * the remote makes 50 blocks, in which a pool and its oracle change.
 *
 * Needs the built node. The others are expected in .cache: foundry (@foundry-rs/anvil-<platform>), hardhat3 (hardhat@3) with
 * Node 22 in node22, and tevm (`npm install --prefix .cache/tevm tevm@2.0.0-next.101`, or its node_modules in ISONODE_TEVM).
 * Missing ones are skipped.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { selector, word } from './abi.mjs'
import { cell, openProxy } from './forkProxy.mjs'
import { CHAIN_ID, installedTools, ourCommand, startNode, TOOLS } from './forkTools.mjs'
import { compileContracts } from './solidity.mjs'

/** The first known account, which has the tokens. */
const TRADER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const AMOUNT = 10n ** 18n
const COINS = 4
const POOLS = 3
/** Router, registry, tokens with two implementations, pools and their oracles. */
const CONTRACTS = 2 + COINS + 2 + 2 * POOLS
/** Of a pool's first reserve, and of the newest price in an oracle. */
const RESERVE_SLOT = 4
const LAST_SLOT = 0
const LATER_BLOCKS = 50
const GAS = '0x2dc6c0'
const POLL_MS = 2
const RECEIPT_LIMIT_MS = 20_000

const { values } = parseArgs({
  options: {
    latency: { type: 'string', default: '60' },
    rounds: { type: 'string', default: '3' },
    without: { type: 'string', default: '' },
    tools: { type: 'string', default: Object.keys(TOOLS).join() },
    plain: { type: 'boolean', default: false },
  },
})
const hidden = new Set(values.without.split(','))

async function openRemote() {
  const options = ['--ephemeral', `--chain-id=${CHAIN_ID}`, '--dev-fork=CANCUN']
  const remote = await startNode((port) => ourCommand(port, options))
  const { creation } = compileContracts(['contracts/Swap.sol']).Market
  const hash = await remote.rpc('eth_sendTransaction', { from: TRADER, data: `0x${creation}`, gas: '0x1c9c380' })
  const { contractAddress } = await mined(remote.rpc, hash)
  const read = async (to, signature, ...words) => {
    const output = await remote.rpc('eth_call', { to, data: calldata(signature, ...words) }, 'latest')
    return `0x${output.slice(26)}`
  }
  const market = { router: await read(contractAddress, 'router()'), coins: [], pools: [], oracles: [] }
  for (let i = 0; i < COINS; i++) market.coins.push(await read(contractAddress, 'path(uint256)', i))
  for (let i = 0; i < POOLS; i++) market.pools.push(await read(contractAddress, 'pools(uint256)', i))
  for (const pool of market.pools) market.oracles.push(await read(pool, 'oracle()'))
  const data = calldata('approve(address,uint256)', market.router, AMOUNT * 1000n)
  await remote.rpc('eth_sendTransaction', { from: TRADER, to: market.coins[0], data })
  await remote.rpc('anvil_mine', '0x3')
  return { ...remote, ...market }
}

const calldata = (signature, ...words) => `0x${selector(signature)}${words.map(word).join('')}`

const swapOf = ({ router, coins }) => ({
  from: TRADER,
  to: router,
  data: calldata('swap(address[],uint256)', 64, AMOUNT, coins.length, ...coins),
  gas: GAS,
})

const remote = await openRemote()
const swap = swapOf(remote)
const { accessList } = await remote.rpc('eth_createAccessList', swap, 'latest')
const slots = accessList.reduce((sum, { storageKeys }) => sum + storageKeys.length, 0)
const proxy = await openProxy({
  port: remote.port,
  latencyMs: Number(values.latency),
  isHidden: (method) => hidden.has(method),
  compresses: !values.plain,
})

/** Calls the swap. */
async function quoted({ rpc }) {
  const amount = await rpc('eth_call', swap, 'latest')
  const expected = await remote.rpc('eth_call', swap, 'latest')
  if (amount !== expected) throw new Error(`the fork answered ${amount}, not ${expected}`)
}

/** Sends the swap, and waits for its receipt. */
async function swapped({ rpc }) {
  const { logs } = await mined(rpc, await rpc('eth_sendTransaction', swap))
  if (logs.length === 0) throw new Error('the swap failed')
}

async function mined(rpc, hash) {
  for (const limit = performance.now() + RECEIPT_LIMIT_MS; performance.now() < limit; await delay(POLL_MS)) {
    const receipt = await rpc('eth_getTransactionReceipt', hash)
    if (receipt !== null) return receipt
  }
  throw new Error('there is no receipt')
}

async function measuredStart(name, cache) {
  const { command } = TOOLS[name]
  return proxy.measured(() => startNode((port, folder) => command({ url: proxy.url, port, folder, cache })))
}

async function round(name) {
  const start = await measuredStart(name)
  const node = start.result
  try {
    return {
      start,
      'first call': await proxy.measured(() => quoted(node)),
      'second call': await proxy.measured(() => quoted(node)),
      'first transaction': await proxy.measured(() => swapped(node)),
      'second transaction': await proxy.measured(() => swapped(node)),
    }
  } finally {
    await node.stop()
  }
}

async function cachedRun(cache) {
  const start = await measuredStart('ours', cache)
  try {
    return { start, call: await proxy.measured(() => quoted(start.result)) }
  } finally {
    await start.result.stop()
  }
}

/** Changes a pool and its oracle as a swap does. The next swap reads one other slot of the oracle. */
async function changeRemote() {
  await remote.rpc('anvil_setStorageAt', remote.pools[0], `0x${word(RESERVE_SLOT)}`, `0x${word(10n ** 24n + AMOUNT)}`)
  await remote.rpc('anvil_setStorageAt', remote.oracles[0], `0x${word(LAST_SLOT)}`, `0x${word(1)}`)
  await remote.rpc('anvil_mine', `0x${LATER_BLOCKS.toString(16)}`)
}

async function laterRows() {
  const cache = mkdtempSync(path.join(tmpdir(), 'isonode-fork-bench-'))
  try {
    const first = await cachedRun(cache)
    const again = await cachedRun(cache)
    await changeRemote()
    const later = await cachedRun(cache)
    return {
      'with a cache: start': first.start,
      'with a cache: call': first.call,
      'same block, new process: start': again.start,
      'same block, new process: call': again.call,
      [`${LATER_BLOCKS} blocks later: start`]: later.start,
      [`${LATER_BLOCKS} blocks later: call`]: later.call,
    }
  } finally {
    rmSync(cache, { recursive: true, force: true })
  }
}

const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1]

function medians(rounds, row) {
  const of = (column) => median(rounds.map((each) => each[row][column]))
  return { requests: of('requests'), bytes: of('bytes'), ms: of('ms') }
}

try {
  const tools = installedTools(values.tools.split(','))
  const results = Object.fromEntries(tools.map((name) => [name, []]))
  for (let i = 0; i < Number(values.rounds); i++) for (const name of tools) results[name].push(await round(name))
  console.log(`| ${values.latency} ms, ${CONTRACTS} contracts, ${slots} slots | ${tools.join(' | ')} |`)
  console.log(`|---|${tools.map(() => '---').join('|')}|`)
  for (const row of Object.keys(results[tools[0]][0]))
    console.log(`| ${row} | ${tools.map((name) => cell(medians(results[name], row))).join(' | ')} |`)
  console.log('\n| isonode | |\n|---|---|')
  for (const [row, figures] of Object.entries(await laterRows())) console.log(`| ${row} | ${cell(figures)} |`)
} finally {
  proxy.close()
  await remote.stop()
}
