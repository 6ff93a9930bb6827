/**
 * A node in a page, beside the client of tevm and the VM of EthereumJS: what a page loads until the first answer and how long that
 * takes, calls and transactions per second, and the longest time without a frame meanwhile. Prints a table in Markdown.
 *
 *   npm run build && node test/bench/browser.bench.mjs [--rounds 3] [--seconds 3] [--targets TEXT,TEXT] [--json FILE]
 *
 * Needs Chromium. tevm is expected in .cache and skipped when it is missing:
 *
 *   npm install --prefix .cache/tevm --ignore-scripts tevm@2.0.0-next.101 viem@2 buffer process
 *
 * The pages are built by one bundler with the same options. Each round opens each page in a new profile: `cold` is its first
 * load, `warm` the last of some reloads, whose code the browser has compiled before. Both are measured from the beginning of the
 * navigation, over the loopback interface. A loop then calls a contract of some 1,000 opcodes, and another one sends transfers; each
 * waits for one answer before it asks again. Nothing but the loop uses the page: its longest frame is the longest time between two
 * callbacks of `requestAnimationFrame`. At last, five tabs of a shared node send at the same time.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { openPageServer } from '../package/pageServer.mjs'
import { word } from './abi.mjs'
import { loop } from './evmAssembler.mjs'

const ROOT = path.resolve(import.meta.dirname, '../..')
const CHROMIUM = process.env.ISONODE_CHROMIUM ?? '/usr/bin/chromium'
const TEVM = path.join(process.env.ISONODE_TEVM ?? path.join(ROOT, '.cache/tevm'), 'node_modules')
const TEVM_OPTIONS = {
  nodePaths: [TEVM],
  inject: [path.join(import.meta.dirname, 'pages/nodeGlobals.mjs')],
  // The release that tevm names imports what its release of @ethereumjs/util lacks.
  alias: { '@ethereumjs/trie': path.join(TEVM, '@ethereumjs/trie') },
}
const LIMIT_MS = 60_000
/** The browser stores compiled code after the second load, and uses it from the third on. */
const RELOADS = 3
/** Of a shared node, in addition to the first. */
const FURTHER_TABS = 4
/** A browser that has just started does other work. */
const SETTLE_MS = 1000
const CONTRACT = '0x00000000000000000000000000000000000000cc'
const CODE = `0x${loop('SWAP1 3 MUL DUP2 ADD 0xffffff AND SWAP1', { before: '1' })}`
const ITERATIONS = 75

const ALL = [
  { name: 'isonode, memory', page: 'isonode', query: 'storage=memory' },
  { name: 'isonode, IndexedDB, process', page: 'isonode', query: 'durability=process' },
  { name: 'isonode, IndexedDB, power', page: 'isonode', query: 'durability=power' },
  { name: 'isonode, shared worker, memory', page: 'isonodeShared', query: 'storage=memory' },
  { name: 'isonode, shared worker, process', page: 'isonodeShared', query: 'durability=process' },
  { name: 'isonode, shared worker, power', page: 'isonodeShared', query: 'durability=power' },
  { name: 'tevm', page: 'tevm', query: '', needs: path.join(TEVM, 'tevm') },
  { name: '@ethereumjs/vm', page: 'ethereumjs', query: '' },
]
/** Name, unit and decimals of each row. */
const ROWS = {
  bytes: ['bytes until the first answer, gzip', 'kB', 1],
  cold: ['start to the first answer, cold', 'ms', 0],
  warm: ['start to the first answer, warm', 'ms', 0],
  idleFrame: ['longest frame of the idle page', 'ms', 0],
  calls: ['`eth_call`', 'calls/s', 0],
  callFrame: ['longest frame meanwhile', 'ms', 0],
  transactions: ['automined transactions', 'tx/s', 0],
  transactionFrame: ['longest frame while they are mined', 'ms', 0],
  tabs: ['automined transactions of five tabs', 'tx/s', 0],
}

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '3' },
    targets: { type: 'string', default: '' },
    json: { type: 'string' },
  },
})
const rounds = Number(values.rounds)
const loopMs = 1000 * Number(values.seconds)
const wanted = values.targets.split(',')
const targets = ALL.filter(({ name, needs }) => {
  if (!wanted.some((text) => name.includes(text))) return false
  const isThere = needs === undefined || existsSync(needs)
  if (!isThere) console.error(`${name} is skipped: ${needs} does not exist`)
  return isThere
})
/** target -> row -> values by round */
const table = new Map(targets.map(({ name }) => [name, new Map(Object.keys(ROWS).map((row) => [row, []]))]))

const temporary = mkdtempSync(path.join(tmpdir(), 'isonode-browser-bench-'))
try {
  const pages = [...new Set(targets.map(({ page }) => page))]
  for (const page of pages) await bundle(page)
  for (let round = 0; round < rounds; round++) {
    for (const target of targets) {
      try {
        await measure(target, round)
      } catch (error) {
        console.error(`${target.name}: ${error.message}`)
      }
    }
  }
} finally {
  rmSync(temporary, { recursive: true, force: true })
}
print()
if (values.json !== undefined) {
  const rows = Object.fromEntries([...table].map(([name, row]) => [name, Object.fromEntries(row)]))
  writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`)
}

/** A folder with the page and, for a shared node, its worker. */
async function bundle(page) {
  const outdir = path.join(temporary, page)
  const worker = { worker: path.join(ROOT, 'dist/adapters/browser/sharing/worker.js') }
  await build({
    entryPoints: {
      page: path.join(import.meta.dirname, 'pages', `${page}.mjs`),
      ...(page === 'isonodeShared' ? worker : {}),
    },
    outdir,
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    platform: 'browser',
    logLevel: 'error',
    external: page.startsWith('isonode') ? ['@ethereumjs/*', 'tiny-secp256k1'] : [],
    ...(page === 'tevm' ? TEVM_OPTIONS : {}),
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const html =
    '<!doctype html><title>page</title><link rel="icon" href="data:,"><script type="module" src="page.js"></script>'
  writeFileSync(path.join(outdir, 'index.html'), html)
}

async function measure({ name, page: folder, query }, round) {
  const server = await openPageServer(path.join(temporary, folder), { 'cache-control': 'max-age=3600' })
  const profile = path.join(temporary, `profile-${round}-${name.replaceAll(/\W/g, '')}`)
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run']
  const context = await chromium.launchPersistentContext(profile, { executablePath: CHROMIUM, args })
  try {
    const note = (row, value) => table.get(name).get(row).push(value)
    const [page] = context.pages()
    await delay(SETTLE_MS)
    await page.goto(`${server.url}?${query}`)
    note('cold', await firstAnswer(page))
    note('bytes', server.loaded().firstCall / 1000)
    for (let i = 1; i < RELOADS; i++) {
      await page.reload()
      await firstAnswer(page)
    }
    await page.reload()
    note('warm', await firstAnswer(page))
    const idle = await page.evaluate((ms) => measureIdle(ms), loopMs)
    note('idleFrame', idle.longestFrameMs)
    const data = `0x${word(ITERATIONS)}`
    const calls = await page.evaluate(
      async ([to, code, input, ms]) => {
        await node.setCode(to, code)
        // Code is compiled while it runs first.
        await measureCalls(to, input, ms / 4)
        return measureCalls(to, input, ms)
      },
      [CONTRACT, CODE, data, loopMs],
    )
    note('calls', calls.perSecond)
    note('callFrame', calls.longestFrameMs)
    const transactions = await page.evaluate(async (ms) => {
      await measureTransactions(ms / 4)
      return measureTransactions(ms)
    }, loopMs)
    note('transactions', transactions.perSecond)
    note('transactionFrame', transactions.longestFrameMs)
    if (folder !== 'isonodeShared') return
    const tabs = [page]
    for (let i = 0; i < FURTHER_TABS; i++) {
      const tab = await context.newPage()
      await tab.goto(page.url())
      await firstAnswer(tab)
      tabs.push(tab)
    }
    const rates = await Promise.all(tabs.map((tab) => tab.evaluate((ms) => sendFor(ms), loopMs)))
    const total = rates.reduce((sum, rate) => sum + rate, 0)
    note('tabs', total)
  } finally {
    await context.close()
    server.close()
  }
}

/** @returns milliseconds from the navigation to the first answer */
async function firstAnswer(page) {
  await page.waitForFunction(() => globalThis.isReady || globalThis.failure, undefined, { timeout: LIMIT_MS })
  const failure = await page.evaluate(() => globalThis.failure)
  if (failure !== undefined) throw new Error(failure)
  return page.evaluate(() => globalThis.firstAnswerMs)
}

function print() {
  const names = targets.map(({ name }) => name)
  console.log(`\n| | unit | ${names.join(' | ')} |\n|---|---|${'---:|'.repeat(names.length)}`)
  for (const [row, [title, unit, digits]] of Object.entries(ROWS)) {
    const cells = names.map((name) => median(table.get(name).get(row))?.toFixed(digits) ?? '-')
    console.log(`| ${title} | ${unit} | ${cells.join(' | ')} |`)
  }
}

function median(list) {
  return [...list].sort((a, b) => a - b)[list.length >> 1]
}
