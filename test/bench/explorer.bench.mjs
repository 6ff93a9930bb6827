/**
 * Measures open pages of the explorer on a busy dev chain, and what they cost the node. Needs the built node and Chromium.
 *
 *   npm run build && node test/bench/explorer.bench.mjs [--seconds 120] [--rounds 1] [--blocks 50] [--transactions 10]
 *
 * Blocks come at a fixed rate with the given number of transactions each. Each round has one run without pages and one with a page
 * on each of five views. Shown are the transactions that the node mined, the longest task of each page, and its heap at the middle
 * and at the end, after a garbage collection.
 */
import path from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { chromium } from 'playwright-core'
import { fund, makeSenders, RpcClient, signTransfer, startNode } from '../reliability/devNode.mjs'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    rounds: { type: 'string', default: '1' },
    blocks: { type: 'string', default: '50' },
    transactions: { type: 'string', default: '10' },
  },
})
const seconds = Number(values.seconds)
const blocksPerSecond = Number(values.blocks)
const perBlock = Number(values.transactions)
const CHROMIUM = process.env.ISONODE_CHROMIUM ?? '/usr/bin/chromium'
const TICK_MS = 20
const SENDERS = 10
const MIB = 1024 * 1024

const senders = makeSenders(SENDERS)
const VIEWS = ['/', '/block/latest', '/pool', '/charts', `/address/${senders[0].hex}`]

/** Notes long tasks in the page. */
function watchTasks() {
  globalThis.longestTaskMs = 0
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries())
      globalThis.longestTaskMs = Math.max(globalThis.longestTaskMs, duration)
  }).observe({ type: 'longtask' })
}

async function openPages(browser, url) {
  const pages = []
  for (const view of VIEWS) {
    const page = await browser.newPage()
    await page.addInitScript(watchTasks)
    await page.goto(`${url}/#${view}`)
    const session = await page.context().newCDPSession(page)
    pages.push({ view, page, session })
  }
  return pages
}

async function heapMiB({ session }) {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize / MIB
}

/** Sends transactions at a fixed rate, as far as the node keeps up, until the time is over. */
async function load(client, untilMs) {
  const nonces = senders.map(() => 0)
  const perTick = (blocksPerSecond * perBlock * TICK_MS) / 1000
  let due = 0
  let at = 0
  let next = performance.now()
  while (performance.now() < untilMs) {
    due += perTick
    const sent = []
    for (; due >= 1; due--) {
      const place = at++ % SENDERS
      const raw = signTransfer(senders[place], nonces[place]++, senders[(place + 1) % SENDERS])
      sent.push(client.call('eth_sendRawTransaction', [raw]))
    }
    await Promise.all(sent)
    next += TICK_MS
    await delay(Math.max(0, next - performance.now()))
  }
}

async function measure(browser) {
  const node = await startNode(['--ephemeral', `--dev-block-time=${1 / blocksPerSecond}`])
  const client = new RpcClient(node.http, SENDERS)
  await fund(client, senders)
  const pages = browser === undefined ? [] : await openPages(browser, node.http)
  const first = Number(await client.call('eth_blockNumber'))
  const beganMs = performance.now()
  const heaps = []
  const halfway = delay((seconds * 1000) / 2).then(async () => {
    for (const page of pages) heaps.push([await heapMiB(page)])
  })
  await load(client, beganMs + seconds * 1000)
  await halfway
  const last = Number(await client.call('eth_blockNumber'))
  let mined = 0
  for (const { hex } of senders) mined += Number(await client.call('eth_getTransactionCount', [hex, 'latest']))
  for (const [i, page] of pages.entries()) heaps[i].push(await heapMiB(page))
  const tasks = await Promise.all(pages.map(({ page }) => page.evaluate(() => globalThis.longestTaskMs)))
  for (const { page } of pages) await page.close()
  client.close()
  node.child.kill('SIGTERM')
  await node.ended
  const rows = pages.map(({ view }, i) => ({ view, longestTaskMs: tasks[i], heaps: heaps[i] }))
  return { blocks: last - first, mined, rows }
}

for (let round = 1; round <= Number(values.rounds); round++) {
  const without = await measure(undefined)
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
  const withPages = await measure(browser)
  await browser.close()
  const share = (withPages.mined / without.mined).toFixed(3)
  console.log(`round ${round}: ${without.mined} transactions in ${without.blocks} blocks without pages`)
  console.log(`  with pages ${withPages.mined} in ${withPages.blocks} blocks: ${share} of the transactions`)
  for (const { view, longestTaskMs, heaps } of withPages.rows) {
    const [middle, end] = heaps.map((mib) => mib.toFixed(1))
    console.log(
      `  ${path.join('#', view)}: longest task ${Math.round(longestTaskMs)} ms, heap ${middle} then ${end} MiB`,
    )
  }
}
