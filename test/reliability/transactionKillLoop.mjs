/**
 * Kills a dev node under transaction load at random moments and checks the remaining database.
 *
 *   node test/reliability/transactionKillLoop.mjs [--rounds 100] [--seed N] [--fork]
 *
 * Rounds alternate between instant sealing and blocks every 40 ms. After every `kill -9`: the store is intact and its
 * state root is the header's (inspect.mjs); the node starts again; every receipt ever returned is returned again, equal
 * in every field; every acknowledged transaction is in the chain or, with interval sealing, in the pool. With --fork, the node
 * continues the chain of another node; what that one has below the fork never changes.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { fund, makeSenders, RpcClient, signTransfer, startNode } from './devNode.mjs'
import { numberOption, seededRandom } from './random.mjs'

const rounds = numberOption('rounds', 100)
const seed = numberOption('seed', Date.now() % 1_000_000)
const random = seededRandom(seed)

const SENDERS = 4
const LONGEST_ROUND_MS = 1500
/** Rounds on one data directory. */
const ROUNDS_PER_CHAIN = 20
/** Number of receipts of earlier rounds to read again. */
const SAMPLE = 200

const isFork = process.argv.includes('--fork')
/** Slots of a contract of the remote. */
const CONTRACT = '0x00000000000000000000000000000000000c0de1'
const SLOTS = 8

const home = mkdtempSync(path.join(tmpdir(), 'isonode-kill-'))
const senders = makeSenders(SENDERS)
let directory
let known = new Map()
const problems = []
const totals = { acknowledged: 0, receipts: 0, blocks: 0 }

function problem(round, text) {
  problems.push(text)
  console.log(`round ${round}: ${text}`)
}

/** Sends one transfer after another until the node has ended. */
async function load(client, sender, sent, isInstant) {
  try {
    let nonce = Number(await client.call('eth_getTransactionCount', [sender.hex, 'pending']))
    for (; ; nonce++) {
      const raw = signTransfer(sender, nonce, senders[nonce % SENDERS])
      const hash = await client.call('eth_sendRawTransaction', [raw])
      sent.set(hash, undefined)
      if (!isInstant && nonce % 8 !== 0) continue
      const receipt = await client.call('eth_getTransactionReceipt', [hash])
      if (receipt !== null) sent.set(hash, receipt)
      else if (isInstant) throw Object.assign(new Error(`no receipt of ${hash}`), { code: 'MISSING' })
    }
  } catch (error) {
    // The connection ends with the node; a JSON-RPC error is a failure of the test.
    return typeof error.code === 'number' || error.code === 'MISSING' ? error : undefined
  }
}

async function checkReceipts(round, client, sent, isInstant) {
  const earlier = [...known.keys()].filter(() => random() < SAMPLE / Math.max(known.size, 1))
  for (const hash of earlier) {
    const receipt = await client.call('eth_getTransactionReceipt', [hash])
    if (!isDeepStrictEqual(receipt, known.get(hash))) problem(round, `the receipt of ${hash} has changed`)
  }
  for (const [hash, before] of sent) {
    const receipt = await client.call('eth_getTransactionReceipt', [hash])
    if (before !== undefined && !isDeepStrictEqual(receipt, before))
      problem(round, `the receipt of ${hash} has changed`)
    if (receipt === null && (isInstant || (await client.call('eth_getTransactionByHash', [hash])) === null)) {
      problem(round, `transaction ${hash} was acknowledged and is gone`)
    }
    if (receipt !== null) known.set(hash, receipt)
  }
}

/** The node whose chain the killed ones continue. */
async function startRemote() {
  const node = await startNode(['--ephemeral'])
  const client = new RpcClient(node.http, 1)
  await client.call('hardhat_setCode', [CONTRACT, '0x600054600155'])
  for (let at = 0; at < SLOTS; at++) await client.call('hardhat_setStorageAt', [CONTRACT, `0x${at}`, word(at + 1)])
  await client.call('evm_mine')
  const lower = await client.call('eth_blockNumber')
  // Changes of state on the block of the fork are those of its head; the block below stays as it is.
  await client.call('evm_mine')
  return {
    node,
    client,
    lower,
    forkOptions: [`--fork-url=${node.http}`, `--fork-cache=${path.join(home, 'cache')}`],
  }
}

const word = (number) => `0x${number.toString(16).padStart(64, '0')}`

/** Changes a slot of the remote's contract on the fork only. */
async function changeSlot(client, round) {
  await client.call('hardhat_setStorageAt', [CONTRACT, `0x${round % SLOTS}`, word(1000 + round)])
}

async function checkRemoteValues(round, client) {
  for (let at = 0; at < SLOTS; at++) {
    const value = await client.call('eth_getStorageAt', [CONTRACT, `0x${at}`, remote.lower])
    if (value !== word(at + 1)) problem(round, `slot ${at} of the remote is ${value}`)
  }
}

/** Runs a node under load and kills it, then starts another to check the remaining data. */
async function playRound(round) {
  if (round % ROUNDS_PER_CHAIN === 0) {
    directory = path.join(home, String(round))
    known = new Map()
  }
  const isInstant = round % 2 === 0
  const forkOptions = remote?.forkOptions ?? []
  const options = [`--data-path=${directory}`, ...forkOptions, ...(isInstant ? [] : ['--dev-block-time=0.04'])]
  const node = await startNode(options)
  const client = new RpcClient(node.http, SENDERS)
  if (round % ROUNDS_PER_CHAIN === 0) await fund(client, senders)
  if (remote !== undefined) await changeSlot(client, round)
  const sent = new Map()
  const loads = senders.map((sender) => load(client, sender, sent, isInstant))
  await new Promise((resolve) => setTimeout(resolve, random() * LONGEST_ROUND_MS))
  node.child.kill('SIGKILL')
  await node.ended
  for (const error of await Promise.all(loads)) if (error !== undefined) problem(round, `refused: ${error.message}`)
  client.close()

  const script = path.join(import.meta.dirname, 'inspect.mjs')
  const found = JSON.parse(execFileSync(process.execPath, [script, directory], { encoding: 'utf8' }))
  if (!found.linked || !found.rootMatches) problem(round, `the store is damaged: ${found.problem}`)

  const again = await startNode([`--data-path=${directory}`, ...forkOptions, '--dev-block-time=3600'])
  const reader = new RpcClient(again.http, 1)
  if (remote !== undefined) await checkRemoteValues(round, reader)
  await checkReceipts(round, reader, sent, isInstant)
  reader.close()
  again.child.kill('SIGTERM')
  await again.ended
  totals.acknowledged += sent.size
  totals.receipts += [...sent.values()].filter((receipt) => receipt !== undefined).length
  totals.blocks = Math.max(totals.blocks, found.number)
}

console.log(`kill loop under transactions: ${rounds} rounds, seed ${seed}`)
const remote = isFork ? await startRemote() : undefined
let failedRounds = 0
for (let round = 0; round < rounds; round++) {
  const before = problems.length
  await playRound(round)
  if (problems.length > before) failedRounds++
}
if (remote !== undefined) {
  remote.client.close()
  remote.node.child.kill('SIGTERM')
  await remote.node.ended
}
rmSync(home, { recursive: true, force: true })
const { acknowledged, receipts, blocks } = totals
console.log(
  `kill loop: ${rounds} kills, ${acknowledged} transactions acknowledged, ${receipts} receipts returned before a kill, up to ${blocks} blocks a chain`,
)
console.log(`${rounds - failedRounds} passed, ${failedRounds} failed`)
process.exit(failedRounds === 0 ? 0 : 1)
