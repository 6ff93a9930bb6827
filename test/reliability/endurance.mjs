/**
 * A long run of the dev chain: many transactions with interval sealing, then bursts of many concurrent senders.
 *
 *   node test/reliability/endurance.mjs [--transactions 100000] [--bursts 20]
 *
 * Prints the memory of the process and the latency of eth_sendRawTransaction as the chain grows. Memory consists of the
 * process's own and of mapped pages of the database file, which the system can reclaim. Passes when every transaction
 * was mined; in a long run, when its own memory at the end is at most 1.25 times that after the first fifth; when the
 * median latency of the last tenth is at most 1.3 times that of the first; and when no burst (64 senders with 10
 * concurrent transactions each, in any order of nonces, sealed instantly) stalls for 10 seconds.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fund, makeSenders, RpcClient, signTransfer, startNode } from './devNode.mjs'
import { numberOption, seededRandom } from './random.mjs'

const transactions = numberOption('transactions', 100_000)
const bursts = numberOption('bursts', 20)
const random = seededRandom(1)

const SENDERS = 64
const CONNECTIONS = 8
const BLOCK_TIME_S = 0.5
const BURST_EACH = 10
const STALL_MS = 60_000
const SAMPLES = 20
const LONG_RUN = 50_000

const home = mkdtempSync(path.join(tmpdir(), 'isonode-endurance-'))
const senders = makeSenders(SENDERS)
const node = await startNode([`--data-path=${path.join(home, 'data')}`, `--dev-block-time=${BLOCK_TIME_S}`])
const client = new RpcClient(node.http, SENDERS * BURST_EACH)
const checks = []

function check(text, passes) {
  checks.push(passes)
  console.log(`${passes ? 'ok  ' : 'FAIL'} ${text}`)
}

/** Resident memory in MiB: the process's own, and that of mapped files. */
function resident() {
  const status = readFileSync(`/proc/${node.child.pid}/status`, 'utf8')
  const read = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]) / 1024
  return { own: read('RssAnon'), files: read('RssFile') }
}

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]

async function untilMined(nonces) {
  for (const [i, sender] of senders.entries()) {
    while (Number(await client.call('eth_getTransactionCount', [sender.hex, 'latest'])) < nonces[i]) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

/** Sends over a few connections, each with separate senders. Returns latencies in the order of the answers. */
async function interval() {
  const nonces = senders.map(() => 0)
  const latencies = []
  const curve = []
  const sampleEach = Math.ceil(transactions / SAMPLES)
  let left = transactions
  const connection = async (first) => {
    for (let turn = 0; left > 0; turn++) {
      left--
      const at = (first + turn * CONNECTIONS) % SENDERS
      const raw = signTransfer(senders[at], nonces[at]++, senders[(at + 1) % SENDERS])
      const start = performance.now()
      await client.call('eth_sendRawTransaction', [raw])
      latencies.push(performance.now() - start)
      if (latencies.length % sampleEach === 0) {
        const recent = median(latencies.slice(-sampleEach))
        const { own, files } = resident()
        curve.push({ ownMiB: own, latencyMs: recent })
        const memory = `${own.toFixed(0)} MiB own, ${files.toFixed(0)} MiB of files`
        console.log(`${latencies.length} sent  ${memory}  median ${recent.toFixed(2)} ms`)
      }
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, first) => connection(first)))
  await untilMined(nonces)
  const seconds = (performance.now() - start) / 1000
  console.log(`${transactions} transactions in ${seconds.toFixed(1)} s: ${(transactions / seconds).toFixed(0)}/s`)
  const tenth = Math.ceil(latencies.length / 10)
  return { nonces, curve, first: median(latencies.slice(0, tenth)), last: median(latencies.slice(-tenth)) }
}

async function burst(nonces) {
  const start = performance.now()
  const sending = senders.map(async (sender, i) => {
    const raws = Array.from({ length: BURST_EACH }, (_, n) =>
      signTransfer(sender, nonces[i] + n, senders[(i + 1) % SENDERS]),
    ).sort(() => random() - 0.5)
    const hashes = await Promise.all(raws.map((raw) => client.call('eth_sendRawTransaction', [raw])))
    for (const hash of hashes) {
      while ((await client.call('eth_getTransactionReceipt', [hash])) === null) {
        if (performance.now() - start > STALL_MS) return false
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    }
    nonces[i] += BURST_EACH
    return true
  })
  const done = await Promise.all(sending)
  return { ms: performance.now() - start, whole: done.every(Boolean) }
}

try {
  await fund(client, senders)
  const { nonces, curve, first, last } = await interval()
  const [fifth, end] = [curve[SAMPLES / 5 - 1], curve.at(-1)]
  const growth = end.ownMiB / fifth.ownMiB
  // A short run ends before caches are full and code is compiled.
  const isLong = transactions >= LONG_RUN
  check(`own memory: ${fifth.ownMiB.toFixed(0)} to ${end.ownMiB.toFixed(0)} MiB`, !isLong || growth <= 1.25)
  const slower = last / first
  check(`latency: ${first.toFixed(2)} to ${last.toFixed(2)} ms`, !isLong || slower <= 1.3)

  await client.call('evm_setIntervalMining', [0])
  await client.call('evm_setAutomine', [true])
  const times = []
  for (let i = 0; i < bursts; i++) {
    const { ms, whole } = await burst(nonces)
    if (!whole) check(`burst ${i} stands still`, false)
    times.push(ms)
  }
  const rate = (SENDERS * BURST_EACH * 1000) / median(times)
  check(
    `${bursts} bursts of ${SENDERS * BURST_EACH}: median ${median(times).toFixed(0)} ms (${rate.toFixed(0)}/s)`,
    true,
  )
} finally {
  client.close()
  node.child.kill('SIGTERM')
  await node.ended
  rmSync(home, { recursive: true, force: true })
}
const failed = checks.filter((passes) => !passes).length
console.log(`${checks.length - failed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
