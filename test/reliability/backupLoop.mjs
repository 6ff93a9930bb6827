/**
 * Backs up a dev node under transaction load, and checks the restored copies.
 *
 *   node test/reliability/backupLoop.mjs [--rounds 20] [--seed N]
 *
 * The node runs all the time. Each round: what was acknowledged when the backup began is in the restored chain, receipts
 * are equal in every field, the store is intact, and its state root is the header's (inspect.mjs).
 */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isDeepStrictEqual, promisify } from 'node:util'
import { fund, makeSenders, RpcClient, signTransfer, startNode } from './devNode.mjs'
import { numberOption, seededRandom } from './random.mjs'

const rounds = numberOption('rounds', 20)
const seed = numberOption('seed', Date.now() % 1_000_000)
const random = seededRandom(seed)

const SENDERS = 4
const LONGEST_PAUSE_MS = 1000
/** Transactions per round that are looked for in the copy, besides the newest. */
const SAMPLE = 200
const NEWEST = 50

const run = promisify(execFile)
const program = path.resolve(import.meta.dirname, '../../dist/server.js')
const home = mkdtempSync(path.join(tmpdir(), 'isonode-backup-'))
const directory = path.join(home, 'data')
const senders = makeSenders(SENDERS)
/** Receipts by hash, in the order of acknowledgement. */
const acknowledged = new Map()
let isLoaded = true

async function load(client, sender) {
  for (let nonce = 0; isLoaded; nonce++) {
    const hash = await client.call('eth_sendRawTransaction', [signTransfer(sender, nonce, senders[nonce % SENDERS])])
    acknowledged.set(hash, await client.call('eth_getTransactionReceipt', [hash]))
  }
}

function sampled(hashes) {
  const rate = SAMPLE / Math.max(hashes.length, 1)
  return hashes.filter((_, i) => i >= hashes.length - NEWEST || random() < rate)
}

/** @returns what is wrong */
async function playRound(round) {
  const [backup, restored] = [path.join(home, `backup${round}`), path.join(home, `restored${round}`)]
  await new Promise((resolve) => setTimeout(resolve, random() * LONGEST_PAUSE_MS))
  const before = [...acknowledged.keys()]
  await run(process.execPath, [program, `--data-path=${directory}`, 'db', 'backup', `--to=${backup}`])
  const during = acknowledged.size - before.length
  await run(process.execPath, [program, `--data-path=${restored}`, 'db', 'restore', `--from=${backup}`])
  const problems = []
  const script = path.join(import.meta.dirname, 'inspect.mjs')
  const found = JSON.parse(execFileSync(process.execPath, [script, restored], { encoding: 'utf8' }))
  if (!found.linked || !found.rootMatches) problems.push(`the store is damaged: ${found.problem}`)
  const again = await startNode([`--data-path=${restored}`, '--dev-block-time=3600'])
  const reader = new RpcClient(again.http, 1)
  for (const hash of sampled(before)) {
    const receipt = await reader.call('eth_getTransactionReceipt', [hash])
    if (!isDeepStrictEqual(receipt, acknowledged.get(hash)))
      problems.push(`the receipt of ${hash} is missing or differs`)
  }
  reader.close()
  again.child.kill('SIGTERM')
  await again.ended
  rmSync(backup, { recursive: true })
  rmSync(restored, { recursive: true })
  return { problems, during }
}

console.log(`backups under transactions: ${rounds} rounds, seed ${seed}`)
const node = await startNode([`--data-path=${directory}`])
const client = new RpcClient(node.http, SENDERS)
await fund(client, senders)
const loads = senders.map((sender) => load(client, sender))
let failedRounds = 0
let during = 0
for (let round = 0; round < rounds; round++) {
  const played = await playRound(round)
  for (const text of played.problems) console.log(`round ${round}: ${text}`)
  if (played.problems.length > 0) failedRounds++
  during += played.during
}
isLoaded = false
await Promise.all(loads)
client.close()
node.child.kill('SIGTERM')
await node.ended
rmSync(home, { recursive: true, force: true })
console.log(`${acknowledged.size} transactions, ${during} of them during backups`)
console.log(`${rounds - failedRounds} passed, ${failedRounds} failed`)
process.exitCode = failedRounds === 0 ? 0 : 1
