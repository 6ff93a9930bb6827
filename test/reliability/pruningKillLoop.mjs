/**
 * Kills a node that deletes old states, `db prune` and `db compact` at random moments, and checks the remaining database.
 *
 *   node test/reliability/pruningKillLoop.mjs [--rounds 60] [--seed N]
 *
 * Rounds alternate between a node under transactions, the offline deletion, and the compaction of what is left. After every kill:
 * `db verify` finds nothing, and a node on the directory answers the balances that were recorded for each block whose state it
 * keeps, refuses those below with the bound, and has every acknowledged block.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { RpcClient, startNode } from './devNode.mjs'
import { numberOption, seededRandom } from './random.mjs'

const rounds = numberOption('rounds', 60)
const seed = numberOption('seed', Date.now() % 1_000_000)
const random = seededRandom(seed)

const program = path.resolve(import.meta.dirname, '../../dist/server.js')
const SENDER = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const ACCOUNTS = 60
const RETAINED = 40
const BLOCKS_PER_ROUND = 60
/** Start of the program and some work. */
const COMMAND_MS = { least: 150, most: 1500 }
const ROUNDS_PER_CHAIN = 15

const home = mkdtempSync(path.join(tmpdir(), 'isonode-prune-kill-'))
const hex = (value) => `0x${value.toString(16)}`
const account = (n) =>
  hex(0x1000 + (n % ACCOUNTS))
    .slice(2)
    .padStart(40, '0')
const problems = []
const totals = { killed: 0, blocks: 0, states: 0, refused: 0 }
let directory
/** Balance of the account that each block paid, by the number of the block. */
let paid

function problem(round, text) {
  problems.push(text)
  console.log(`round ${round}: ${text}`)
}

function command(...args) {
  const child = spawn(process.execPath, [program, `--data-path=${directory}`, ...args], { stdio: 'pipe' })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal, output })))
  return { child, ended }
}

const pruning = () => [`--pruning-enabled`, `--pruning-blocks-retained=${RETAINED}`]

/** One transfer per block, until the node has ended. */
async function load(client) {
  try {
    for (let i = 0; i < BLOCKS_PER_ROUND; i++) {
      const number = Number(await client.call('eth_blockNumber')) + 1
      const to = `0x${account(number * 7)}`
      await client.call('eth_sendTransaction', [{ from: SENDER, to, value: '0x1', gas: '0x5208' }])
      paid.set(number, { to, balance: await client.call('eth_getBalance', [to, hex(number)]) })
    }
  } catch (error) {
    // The connection ends with the node; a JSON-RPC error is a failure of the test.
    if (typeof error.code === 'number') throw error
  }
}

async function killNode() {
  const node = await startNode([`--data-path=${directory}`, ...pruning()])
  const client = new RpcClient(node.http, 1)
  const loading = load(client)
  await Promise.race([loading, delay(random() * 3000)])
  node.child.kill('SIGKILL')
  await node.ended
  await loading
  client.close()
  totals.killed++
}

async function killCommand(round, ...args) {
  const { child, ended } = command('db', ...args)
  const { least, most } = COMMAND_MS
  const isInterrupted = args[0] === 'prune' && random() < 0.3
  await Promise.race([ended, delay(least + random() * (most - least))])
  child.kill(isInterrupted ? 'SIGINT' : 'SIGKILL')
  const { code, signal, output } = await ended
  if (signal !== null) totals.killed++
  // A program that has not installed its handler yet ends by the signal.
  else if (code !== 0 && code !== 130) problem(round, `db ${args[0]} ended with ${code}: ${output}`)
}

async function check(round) {
  const verified = await command('db', 'verify').ended
  if (verified.code !== 0) problem(round, `db verify: ${verified.output}`)
  // Without pruning, what is left stays as it is.
  const node = await startNode([`--data-path=${directory}`])
  const client = new RpcClient(node.http, 1)
  const head = Number(await client.call('eth_blockNumber'))
  if (head < Math.max(0, ...paid.keys())) problem(round, `acknowledged block ${Math.max(...paid.keys())} is gone`)
  let keptFrom
  for (const [number, { to, balance }] of [...paid].sort(([a], [b]) => b - a)) {
    try {
      const answer = await client.call('eth_getBalance', [to, hex(number)])
      totals.states++
      if (keptFrom !== undefined) problem(round, `block ${number} is below ${keptFrom} and has a state`)
      if (answer !== balance) problem(round, `block ${number}: balance ${answer}, was ${balance}`)
    } catch (error) {
      totals.refused++
      const [, from] = /this node keeps states from block (\d+) on/.exec(error.message) ?? []
      if (from === undefined || number >= Number(from)) problem(round, `block ${number}: ${error.message}`)
      if (from !== undefined && Number(from) > head - RETAINED) problem(round, `states are kept from ${from} only`)
      keptFrom = from
    }
    const block = await client.call('eth_getBlockByNumber', [hex(number), false])
    if (block?.transactions.length !== 1) problem(round, `block ${number} is incomplete`)
  }
  client.close()
  node.child.kill('SIGTERM')
  await node.ended
  totals.blocks = Math.max(totals.blocks, head)
}

console.log(`kill loop over pruning and compaction: ${rounds} rounds, seed ${seed}`)
let failedRounds = 0
for (let round = 0; round < rounds; round++) {
  const before = problems.length
  if (round % ROUNDS_PER_CHAIN === 0) {
    directory = path.join(home, String(round))
    paid = new Map()
  }
  if (round % 3 === 0) await killNode()
  else if (round % 3 === 1) await killCommand(round, 'prune', `--pruning-blocks-retained=${RETAINED}`)
  else await killCommand(round, 'compact')
  await check(round)
  if (problems.length > before) failedRounds++
}
rmSync(home, { recursive: true, force: true })
const { killed, blocks, states, refused } = totals
console.log(
  `${killed} kills, up to ${blocks} blocks a chain, ${states} states read, ${refused} refused below the bound`,
)
console.log(`${rounds - failedRounds} passed, ${failedRounds} failed`)
process.exit(failedRounds === 0 ? 0 : 1)
