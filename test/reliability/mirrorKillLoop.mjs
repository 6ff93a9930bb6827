/**
 * Kills a node that publishes to a folder under transaction load, at random times, and checks the mirror.
 *
 *   node test/reliability/mirrorKillLoop.mjs [--rounds 50] [--seed N]
 *
 * Each round: the mirror that a killed node leaves is whole, and its head is a block of the chain; the next node publishes
 * what was acknowledged. In the end the content of the mirror is an intact database.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { fund, makeSenders, RpcClient, signTransfer, startNode } from './devNode.mjs'
import { numberOption, seededRandom } from './random.mjs'

const rounds = numberOption('rounds', 50)
const seed = numberOption('seed', Date.now() % 1_000_000)
const random = seededRandom(seed)
const LONGEST_RUN_MS = 2500

const program = path.resolve(import.meta.dirname, '../../dist/server.js')
const home = mkdtempSync(path.join(tmpdir(), 'isonode-mirror-kills-'))
const directory = path.join(home, 'data')
const url = pathToFileURL(path.join(home, 'mirror')).href
const options = [`--data-path=${directory}`, `--mirror-to=${url}`, '--mirror-interval=50', '--mirror-grace=3']
const senders = makeSenders(2)
const run = promisify(execFile)

async function mirror(...args) {
  const { stdout } = await run(process.execPath, [program, 'mirror', ...args, '--mirror-grace=3'])
  return stdout
}

/** Sends transfers until the node is gone. @returns number of the last block that was acknowledged */
async function load(client) {
  let head = 0
  try {
    for (;;) {
      for (const sender of senders) {
        const nonce = Number(await client.call('eth_getTransactionCount', [sender.hex, 'latest']))
        await client.call('eth_sendRawTransaction', [signTransfer(sender, nonce, senders[0])])
      }
      head = Number(await client.call('eth_blockNumber'))
    }
  } catch {
    return head
  }
}

/** @returns what is wrong */
async function playRound() {
  const node = await startNode(options)
  const client = new RpcClient(node.http, 2)
  await fund(client, senders)
  const loaded = load(client)
  await new Promise((resolve) => setTimeout(resolve, random() * LONGEST_RUN_MS))
  node.child.kill('SIGKILL')
  const [head] = await Promise.all([loaded, node.ended])
  client.close()
  const verified = await mirror('verify', url)
  const problems = verified.startsWith('no problems') ? [] : [verified]
  const { fields } = JSON.parse(await mirror('info', url, '--json'))
  const again = await startNode(options)
  const reader = new RpcClient(again.http, 1)
  const block = await reader.call('eth_getBlockByNumber', [`0x${fields.head.toString(16)}`, false])
  if (block?.hash !== fields.hash) problems.push(`block ${fields.head} of the mirror is not in the chain`)
  reader.close()
  again.child.kill()
  await again.ended
  const after = JSON.parse(await mirror('info', url, '--json')).fields
  if (after.head < head) problems.push(`block ${head} was acknowledged, but the mirror ends at block ${after.head}`)
  return problems
}

let failed = 0
try {
  const first = await startNode(options)
  first.child.kill()
  await first.ended
  for (let round = 1; round <= rounds; round++) {
    const problems = await playRound()
    for (const problem of problems) console.log(`round ${round}: ${problem}`)
    if (problems.length > 0) failed++
  }
  const deep = await mirror('verify', url, '--deep')
  if (!deep.includes('the content of the mirror: no problems')) {
    console.log(deep)
    failed++
  }
} finally {
  rmSync(home, { recursive: true, force: true })
}
console.log(`${rounds} rounds with seed ${seed}: ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
