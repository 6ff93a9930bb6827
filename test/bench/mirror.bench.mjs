/**
 * Measures the cost of publishing to a mirror in a folder.
 *
 *   node test/bench/mirror.bench.mjs [--rounds 3] [--transfers 1512] [--blocks 20]
 *
 * Transfers per second of two nodes in turns, of which one publishes; then, at one block a second with 50 transfers, the time
 * from a block to its manifest, and the writes for a block; then bytes written for each byte of the database.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { fund, makeSenders, RpcClient, signTransfer, startNode } from '../reliability/devNode.mjs'
import { cpuMs } from './measuredNode.mjs'

const root = path.resolve(import.meta.dirname, '../..')
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    transfers: { type: 'string', default: '1512' },
    blocks: { type: 'string', default: '20' },
  },
})
const { decodeManifest } = await import(path.join(root, 'dist/src/mirror/format/manifest.js'))
const { decodeIdentity } = await import(path.join(root, 'dist/src/mirror/format/identity.js'))
const SENDERS = 4
const TURN_TRANSFERS = 252
const BLOCK_TRANSFERS = 50
const INTERVAL_MS = 1000
const home = mkdtempSync(path.join(tmpdir(), 'isonode-mirror-bench-'))

/** A node with funded senders. @param folder of the mirror; undefined: the node does not publish */
async function open(name, folder, options = []) {
  const directory = path.join(home, name)
  const mirror = folder === undefined ? [] : [`--mirror-to=${pathToFileURL(folder).href}`]
  const node = await startNode(
    [`--data-path=${directory}`, ...mirror, `--mirror-interval=${INTERVAL_MS}`, ...options].filter(
      (option) => folder !== undefined || !option.startsWith('--mirror-'),
    ),
  )
  const client = new RpcClient(node.http, SENDERS)
  const senders = makeSenders(SENDERS)
  await fund(client, senders)
  const close = async () => {
    client.close()
    node.child.kill()
    await node.ended
  }
  return { name, folder, directory, client, senders, nonce: 0, pid: node.child.pid, close }
}

/** @returns milliseconds */
async function transfer(node, count) {
  const { client, senders } = node
  const each = count / SENDERS
  const raws = senders.map((sender) =>
    Array.from({ length: each }, (_, i) => signTransfer(sender, node.nonce + i, senders[0])),
  )
  node.nonce += each
  const start = performance.now()
  await Promise.all(
    raws.map(async (list) => {
      for (const raw of list)
        await client.call('eth_getTransactionReceipt', [await client.call('eth_sendRawTransaction', [raw])])
    }),
  )
  return performance.now() - start
}

/** @returns the rate of the publishing node, and its ratio to the other one */
async function pairedRound(round) {
  const folder = path.join(home, `mirror${round}`)
  const nodes = [await open(`plain${round}`), await open(`publishing${round}`, folder)]
  const ms = new Map(nodes.map((node) => [node, 0]))
  for (const node of nodes) await transfer(node, 2 * TURN_TRANSFERS)
  const cpuBefore = nodes.map(({ pid }) => cpuMs(pid))
  for (let done = 0; done < Number(values.transfers); done += TURN_TRANSFERS) {
    for (const node of done % 2 === 0 ? nodes : nodes.toReversed())
      ms.set(node, ms.get(node) + (await transfer(node, TURN_TRANSFERS)))
  }
  const [plainCpu, publishingCpu] = nodes.map(({ pid }, i) => (cpuMs(pid) - cpuBefore[i]) / Number(values.transfers))
  for (const node of nodes) await node.close()
  const [plain, publishing] = nodes.map((node) => (1000 * Number(values.transfers)) / ms.get(node))
  return { plain, publishing, ratio: publishing / plain, plainCpu, publishingCpu, perByte: bytesPerByte(nodes[1]) }
}

function files(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
}

/** Bytes that were written to the mirror, for each byte of published keys and values. */
function bytesPerByte({ directory, folder }) {
  const written = files(folder).reduce((sum, file) => sum + statSync(file).size, 0)
  const command = [path.join(root, 'dist/server.js'), `--data-path=${directory}`, 'db', 'stats', '--json']
  const { columns } = JSON.parse(execFileSync(process.execPath, command, { encoding: 'utf8' })).fields
  const kept = ['stateDiff', 'localTransaction', 'mirrorJournal', 'erasedStorage']
  const bytes = columns.filter(({ column }) => !kept.includes(column)).reduce((sum, { bytes: of }) => sum + of, 0)
  return written / bytes
}

/** One block a second. */
async function slowBlocks() {
  const folder = path.join(home, 'slow')
  const node = await open('slow', folder, ['--no-mining'])
  await delay(2 * INTERVAL_MS)
  const before = files(folder).length
  const minedAt = new Map()
  for (let block = 0; block < Number(values.blocks); block++) {
    const start = performance.now()
    for (const [i, sender] of node.senders.entries()) {
      for (let k = i; k < BLOCK_TRANSFERS; k += SENDERS) {
        await node.client.call('eth_sendRawTransaction', [
          signTransfer(sender, Math.floor(block * 13 + k / SENDERS), sender),
        ])
      }
    }
    await node.client.call('evm_mine')
    minedAt.set(Number(await node.client.call('eth_blockNumber')), Date.now())
    await delay(Math.max(0, 1000 - (performance.now() - start)))
  }
  await delay(2 * INTERVAL_MS)
  const writes = files(folder).length - before + Number(values.blocks) / 10
  await node.close()
  return { lags: lagsOf(folder, minedAt), writes: writes / Number(values.blocks) }
}

function lagsOf(folder, minedAt) {
  const { publisher } = decodeIdentity(readFileSync(path.join(folder, 'mirror.json')))
  const manifests = readdirSync(path.join(folder, 'manifests'))
    .sort()
    .map((name) => {
      const file = path.join(folder, 'manifests', name)
      return {
        head: decodeManifest(readFileSync(file), Number(name), publisher).head.number,
        atMs: statSync(file).mtimeMs,
      }
    })
  return [...minedAt]
    .map(([number, atMs]) => manifests.find(({ head }) => head >= number).atMs - atMs)
    .sort((a, b) => a - b)
}

const rows = []
try {
  for (let round = 0; round < Number(values.rounds); round++) rows.push(await pairedRound(round))
  const middle = (name) => rows.map((row) => row[name]).sort((a, b) => a - b)[rows.length >> 1]
  console.log(
    `transfers per second: plain ${middle('plain').toFixed(0)}, publishing ${middle('publishing').toFixed(0)}, ratio ${middle('ratio').toFixed(3)}`,
  )
  console.log(
    `CPU per transfer: plain ${middle('plainCpu').toFixed(2)} ms, publishing ${middle('publishingCpu').toFixed(2)} ms`,
  )
  console.log(`bytes written per byte of the database: ${middle('perByte').toFixed(2)}`)
  const { lags, writes } = await slowBlocks()
  const at = (part) => lags[Math.min(lags.length - 1, Math.floor(part * lags.length))].toFixed(0)
  console.log(`lag at an interval of ${INTERVAL_MS} ms: median ${at(0.5)} ms, 99th percentile ${at(0.99)} ms`)
  console.log(`writes for a block at one block a second: ${writes.toFixed(2)}`)
} catch (error) {
  console.error(error)
} finally {
  rmSync(home, { recursive: true, force: true })
}
