/**
 * The time of an answer over HTTP after the browser has stopped the service worker: built as three scripts and as one, with a node
 * that a tab shares and with the worker's own. Prints a table in Markdown.
 *
 *   npm run build && node test/bench/serviceWorker.bench.mjs [--stops 20]
 *
 * Needs Chromium. The targets take turns, each in a window with a new profile. A private window keeps no compiled code.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { openPageServer } from '../package/pageServer.mjs'

const LIBRARY = path.resolve(import.meta.dirname, '../../dist/adapters/browser')
const executablePath = process.env.ISONODE_CHROMIUM ?? '/usr/bin/chromium'
const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run']
/** The browser compiles for its cache in the first starts. */
const WARM_UP = 4
const HTML =
  '<!doctype html><title>page</title><link rel="icon" href="data:,"><script type="module" src="page.js"></script>'
const PAGE = `import { createSharedNode } from '${LIBRARY}/shared.js'
globalThis.share = async () => void (await createSharedNode({ worker: new URL('./worker.js', location.href) }))`
const COMMON = { bundle: true, minify: true, logLevel: 'error', external: ['@ethereumjs/*', 'tiny-secp256k1'] }

const { values } = parseArgs({ options: { stops: { type: 'string', default: '20' } } })
const temporary = mkdtempSync(path.join(tmpdir(), 'isonode-service-bench-'))
const targets = []
try {
  const site = path.join(temporary, 'site')
  const page = path.join(temporary, 'page.mjs')
  writeFileSync(page, PAGE)
  const entryPoints = { page, worker: `${LIBRARY}/sharing/worker.js` }
  await build({ ...COMMON, entryPoints, outdir: site, splitting: true, format: 'esm' })
  await build({ ...COMMON, entryPoints: [`${LIBRARY}/serviceWorker.js`], outfile: path.join(site, 'one.js') })
  execFileSync(process.execPath, [`${LIBRARY}/serviceWorkerBuild.js`, path.join(site, 'three.js')])
  writeFileSync(path.join(site, 'index.html'), HTML)
  for (const script of ['one.js', 'three.js']) {
    for (const node of ['of a tab', 'its own']) {
      for (const window of ['usual', 'private']) targets.push(await open(site, { script, node, window }))
    }
  }
  for (let i = 0; i < WARM_UP + Number(values.stops); i++) {
    for (const { ask, times } of targets) {
      const ms = await ask()
      if (i >= WARM_UP) times.push(ms)
    }
  }
} finally {
  for (const { close } of targets) await close()
  rmSync(temporary, { recursive: true, force: true })
}
console.log('| scripts | node | window | least | median | most |\n|---|---|---|---:|---:|---:|')
for (const { script, node, window, times } of targets) {
  const sorted = times.sort((a, b) => a - b).map((ms) => `${Math.round(ms)} ms`)
  const cells = [path.parse(script).name, node, window, sorted[0], sorted[sorted.length >> 1], sorted.at(-1)]
  console.log(`| ${cells.join(' | ')} |`)
}

/** A page with a service worker. */
async function open(site, { script, node, window }) {
  const server = await openPageServer(site, { 'cache-control': 'max-age=3600' })
  const profile = path.join(temporary, `profile-${targets.length}`)
  const browser = window === 'private' ? await chromium.launch({ executablePath, args }) : undefined
  const context = await (browser?.newContext() ?? chromium.launchPersistentContext(profile, { executablePath, args }))
  const tab = await context.newPage()
  await tab.goto(server.url)
  if (node === 'of a tab') await tab.evaluate(() => share())
  await tab.evaluate(async (address) => {
    const controlled = new Promise((resolve) => {
      navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true })
    })
    await navigator.serviceWorker.register(address)
    await controlled
  }, script)
  const session = await context.newCDPSession(tab)
  await session.send('ServiceWorker.enable')
  const ask = async () => {
    await session.send('ServiceWorker.stopAllWorkers')
    return tab.evaluate(answerMs)
  }
  const close = async () => {
    await context.close()
    await browser?.close()
    server.close()
  }
  return { script, node, window, times: [], ask, close }
}

/** Runs in the page. */
async function answerMs() {
  const startedMs = performance.now()
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}'
  const response = await fetch('rpc', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { result } = await response.json()
  if (result !== '0x0') throw new Error(`the answer was ${response.status} ${result}`)
  return performance.now() - startedMs
}
