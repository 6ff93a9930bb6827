/**
 * A mirror as plain files of a web server, read by a page in Chromium; beside it, the same entries in an SQLite file that
 * `sql.js-httpvfs` reads. Needs the built node and Chromium; nginx and the peer where they are installed:
 *
 *   apt-get install nginx-light sqlite3; npm install --prefix .cache/sqlHttpvfs sql.js-httpvfs@0.8.12
 *   npm run build && node test/bench/staticMirror.bench.mjs [--holders 100000] [--blocks 50] [--page-size 1024] [--home DIR]
 *
 * With `--home` the chain and its mirror are kept there, and a later run uses them instead of making them. Each holder is an account and a slot of a token. Printed are the requests, the bytes of their bodies and the time of a
 * cold and of warm `balanceOf`, without the files of the library itself. The time until a page is told of a newer manifest is
 * no part of it, but the looks for one are counted. Also printed: the sizes of database and mirror, the time of `mirror push`
 * beside `blocks export`, the first answer of a replica in a new process with its memory during many reads, and the memory of an
 * isolate of the Worker.
 */
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { pathToFileURL } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { build } from 'esbuild'
import { chromium } from 'playwright-core'
import { RpcClient, startNode } from '../reliability/devNode.mjs'
import { bytes, hex, mapped, selector, word } from './abi.mjs'
import { residentMiB } from './devTargets.mjs'
import { bundled, fillStore, heapMeter, startIsolate } from './edgeWorker.mjs'
import { compileContracts } from './solidity.mjs'
import { serveFolders } from './staticServer.mjs'

const root = path.resolve(import.meta.dirname, '../..')
const { values } = parseArgs({
  options: {
    holders: { type: 'string', default: '100000' },
    blocks: { type: 'string', default: '50' },
    'page-size': { type: 'string', default: '1024' },
    home: { type: 'string' },
    peer: { type: 'string', default: path.join(root, '.cache/sqlHttpvfs') },
  },
})
const load = (file) => import(path.join(root, 'dist', file))
const { devGenesis } = await load('src/config/devGenesis.js')
const { openReader } = await load('adapters/server/data/dataDirectory.js')
const { Column, keys } = await load('src/storage/schema.js')
const { isPublishedKey } = await load('src/storage/published.js')
const { keccak256 } = await load('src/base/primitives/keccak.js')

const HOLDERS = Number(values.holders)
const BLOCKS = Number(values.blocks)
const PAGE_SIZE = Number(values['page-size'])
const CHROMIUM = process.env.ISONODE_CHROMIUM ?? '/usr/bin/chromium'
const PEER = path.join(values.peer, 'node_modules/sql.js-httpvfs/dist')
const OWNER = 'f39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const TOKEN = '70'.repeat(20)
const CODE = compileContracts(['contracts/FilledToken.sol']).FilledToken.runtime
const BALANCE_OF = selector('balanceOf(address)')
const FILL = selector('fill(uint256,uint256)')
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024
/** State version in which the storage of the token was begun: that of the first block with holders. */
const BEGUN_AT = BLOCKS + 1
/** Transfers on their way at the same time; each one becomes a block. */
const PARALLEL_TRANSFERS = 8
const HOLDERS_PER_BLOCK = 20_000
const GAS_PER_HOLDER = 65_000
const GAS_LIMIT = 2_000_000_000
/** Number of the variable in the contract. */
const BALANCES = 0
/** Holders that the page asks for; nothing was sent to them. */
const [FIRST, SECOND] = [Math.floor(HOLDERS / 2), Math.floor(HOLDERS / 3)].map((i) => Math.max(i, 1))
/** Reads of a replica before its memory is measured: holders all over the state, and blocks all over the chain. */
const REPLICA_READS = 10_000
const WORKER_READS = 2000
const temporary = mkdtempSync(path.join(tmpdir(), 'isonode-static-'))
const home = values.home ?? temporary
const data = path.join(home, 'data')
const mirror = path.join(home, 'mirror')
/** What making the chain showed, for a later run. */
const facts = path.join(home, 'facts.json')

const holder = (index) => mapped(7, index.toString(16)).slice(24)
const balanceSlot = (address) => mapped(BALANCES, address)
const balanceOfHolder = (index) => index + 1
/** The call of `balanceOf`. */
const balanceOf = (index) => ({ to: `0x${TOKEN}`, data: `0x${BALANCE_OF}${word(`0x${holder(index)}`)}` })

/** Writes the chain and its mirror, unless a former run did. @returns the number of its head, and times */
async function published() {
  if (existsSync(facts)) return JSON.parse(readFileSync(facts, 'utf8'))
  mkdirSync(home, { recursive: true })
  const made = await publish()
  writeFileSync(facts, JSON.stringify(made))
  return made
}

async function publish() {
  if (existsSync(data)) throw new Error(`${home} has a chain that was not finished`)
  const genesis = devGenesis({ fork: 'SHANGHAI' })
  genesis.gasLimit = `0x${GAS_LIMIT.toString(16)}`
  genesis.alloc[`0x${TOKEN}`] = { balance: `0x${HOLDERS.toString(16)}`, nonce: '0x1', code: `0x${CODE}` }
  const file = path.join(home, 'genesis.json')
  writeFileSync(file, JSON.stringify(genesis))
  const chain = ['--dev', `--genesis-file=${file}`, `--data-path=${data}`]
  const node = await startNode([...chain, '--allow-unlimited-gas'])
  const client = new RpcClient(node.http, PARALLEL_TRANSFERS)
  const send = (transaction) => client.call('eth_sendTransaction', [{ from: `0x${OWNER}`, ...transaction }])
  // The blocks come first: they are made many times faster while the state is small.
  let left = BLOCKS
  const transfer = async () => {
    while (left-- > 0) await send({ to: `0x${holder(0)}`, value: '0x1' })
  }
  await Promise.all(Array.from({ length: PARALLEL_TRANSFERS }, transfer))
  for (let first = 0; first < HOLDERS; first += HOLDERS_PER_BLOCK) {
    const last = Math.min(HOLDERS, first + HOLDERS_PER_BLOCK)
    const gas = `0x${((last - first) * GAS_PER_HOLDER + 100_000).toString(16)}`
    const hash = await send({ to: `0x${TOKEN}`, data: `0x${FILL}${word(first)}${word(last)}`, gas })
    const { status } = await client.call('eth_getTransactionReceipt', [hash])
    if (status !== '0x1') throw new Error('a transaction failed')
  }
  const head = Number(await client.call('eth_blockNumber'))
  client.close()
  node.child.kill()
  await node.ended
  const exported = path.join(home, 'blocks.rlp')
  const exportSeconds = await commandSeconds([...chain, 'blocks', 'export', `--to=${exported}`])
  rmSync(exported)
  const pushSeconds = await commandSeconds([...chain, 'mirror', 'push', `--to=${pathToFileURL(mirror).href}`])
  return { head, exportSeconds, pushSeconds }
}

async function commandSeconds(args) {
  const start = performance.now()
  await promisify(execFile)(process.execPath, [path.join(root, 'dist/server.js'), ...args], {
    maxBuffer: MAX_OUTPUT_BYTES,
  })
  return (performance.now() - start) / 1000
}

/** Prints when a new replica gives its first answer, a `balanceOf`, and its memory after many reads. */
async function measureReplica(head) {
  const { publisher } = JSON.parse(readFileSync(path.join(mirror, 'mirror.json'), 'utf8'))
  const start = performance.now()
  const options = [
    '--rpc-http-enabled',
    '--rpc-ws-enabled',
    `--mirror-from=${pathToFileURL(mirror).href}`,
    `--mirror-publisher=${publisher}`,
  ]
  const node = await startNode(options)
  const client = new RpcClient(node.http, 1)
  try {
    const answer = await client.call('eth_call', [balanceOf(FIRST), 'latest'])
    const firstMs = performance.now() - start
    if (Number(answer) !== balanceOfHolder(FIRST)) throw new Error(`a wrong balance: ${answer}`)
    const atStart = residentMiB(node)
    let peak = atStart
    for (let i = 0; i < REPLICA_READS; i++) {
      await client.call('eth_call', [balanceOf(Math.floor((i * HOLDERS) / REPLICA_READS)), 'latest'])
      const number = Math.floor((i * head) / REPLICA_READS)
      await client.call('eth_getBlockByNumber', [`0x${number.toString(16)}`, true])
      peak = Math.max(peak, residentMiB(node))
    }
    console.log(
      `a new replica answers after ${firstMs.toFixed(0)} ms, of which its start takes ${node.startMs.toFixed(0)}`,
    )
    console.log(
      `it has ${atStart.toFixed(0)} MiB then, and at most ${peak.toFixed(0)} during ${2 * REPLICA_READS} reads`,
    )
  } finally {
    client.close()
    node.child.kill()
    await node.ended
  }
}

/** Prints the memory of an isolate of the Worker during reads all over the chain, over R2 in workerd. */
async function measureWorker(head) {
  const { publisher } = JSON.parse(readFileSync(path.join(mirror, 'mirror.json'), 'utf8'))
  const settings = {
    modules: await bundled(),
    home: path.join(temporary, 'worker'),
    kind: 'r2',
    publisher,
    inspected: true,
  }
  const isolate = await startIsolate(settings)
  try {
    await fillStore(mirror, isolate, 'r2')
    const { ask } = isolate
    if (Number(await ask(['eth_blockNumber'])) !== head) throw new Error('the Worker has another head')
    const meter = await heapMeter(isolate)
    let peak = 0
    for (let i = 0; i < WORKER_READS; i++) {
      await ask(['eth_call', balanceOf(Math.floor((i * HOLDERS) / WORKER_READS)), 'latest'])
      await ask(['eth_getBlockByNumber', `0x${Math.floor((i * head) / WORKER_READS).toString(16)}`, true])
      peak = Math.max(peak, await meter.read())
    }
    meter.close()
    const reads = 2 * WORKER_READS
    console.log(
      `an isolate of the Worker has at most ${peak.toFixed(0)} MiB of objects and buffers during ${reads} reads`,
    )
  } finally {
    await isolate.close()
  }
}

/** Writes the published entries into an SQLite file. @returns the keys of what a `balanceOf` needs, and their number */
async function writeSqlite(file, head) {
  const store = openReader(data, 'process')
  const child = spawn('sqlite3', [file], { stdio: ['pipe', 'ignore', 'inherit'] })
  const ended = new Promise((resolve, reject) => child.once('error', reject).once('close', resolve))
  const write = (text) => child.stdin.write(text) || new Promise((resolve) => child.stdin.once('drain', resolve))
  await write(`pragma page_size = ${PAGE_SIZE}; pragma journal_mode = delete;
create table entries (key blob primary key, value blob) without rowid; begin;\n`)
  let count = 0
  for (const column of Object.values(Column).sort((a, b) => a - b)) {
    for (const [key, value] of store.range({ prefix: Uint8Array.of(column) })) {
      if (!isPublishedKey(key)) continue
      await write(`insert into entries values (x'${hex(key)}', x'${hex(value)}');\n`)
      count++
    }
  }
  child.stdin.end('commit; vacuum;\n')
  await ended
  const token = keccak256(bytes(TOKEN))
  const blockHash = store.get(keys.canonicalHash(head))
  const needed = (address) => [
    keys.meta('head'),
    keys.header(head, blockHash),
    keys.flatAccount(token),
    keys.code(keccak256(bytes(CODE))),
    keys.flatStorage(token, BEGUN_AT, keccak256(bytes(balanceSlot(address)))),
  ]
  const missing = needed(holder(FIRST)).filter((key) => store.get(key) === undefined)
  await store.close()
  if (missing.length > 0) throw new Error(`the database lacks ${missing.map(hex).join(', ')}`)
  return { count, needed }
}

function sizeOf(folder) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.reduce((sum, entry) => sum + statSync(path.join(entry.parentPath, entry.name)).size, 0)
}

/** Functions of the page. */
const TASKS = {
  openNode: async ({ mirrorUrl, publisher }) => {
    globalThis.node = await globalThis.createBrowserNode({ mirror: mirrorUrl, publisher })
  },
  call: (parameters) => globalThis.node.request({ method: 'eth_call', params: [parameters, 'latest'] }),
  openDatabase: async ({ origin, pageSize }) => {
    const config = { serverMode: 'full', requestChunkSize: pageSize, url: `${origin}/sqlite/entries.sqlite` }
    const files = ['sqlite.worker.js', 'sql-wasm.wasm'].map((name) => `${origin}/peer/${name}`)
    globalThis.database = await globalThis.createDbWorker([{ from: 'inline', config }], ...files)
    // The file is opened by the first query.
    await globalThis.database.db.exec('select 1 from sqlite_schema')
  },
  read: async (wanted) => {
    let found = 0
    for (const key of wanted) {
      const query = `select value from entries where key = x'${key}'`
      const [{ values: rows } = { values: [] }] = await globalThis.database.db.exec(query)
      found += rows.length
    }
    return found
  },
}

/** Pages that have loaded the library, and the peer. */
async function writePages(folder) {
  const tasks = Object.entries(TASKS).map(([name, task]) => `${name}: ${task}`)
  writeFileSync(path.join(folder, 'tasks.js'), `globalThis.tasks = { ${tasks.join(', ')} }`)
  const page = (scripts) => `<!doctype html><title>isonode</title><script src="tasks.js"></script>${scripts}`
  const start = "globalThis.createBrowserNode = (await import('./library/browser.js')).createBrowserNode"
  writeFileSync(path.join(folder, 'mirror.html'), page(`<script type="module">${start}</script>`))
  writeFileSync(path.join(folder, 'sqlite.html'), page('<script src="/peer/index.js"></script>'))
  await build({
    entryPoints: [path.join(root, 'dist/adapters/browser/browser.js')],
    outdir: path.join(folder, 'library'),
    bundle: true,
    minify: true,
    splitting: true,
    format: 'esm',
    logLevel: 'error',
  })
}

/** Runs a task in a page, and prints what it asked the server for and how long it took. */
async function measure(name, { page, server, prefix }, task, argument) {
  await server.counted(prefix)
  const { result, ms } = await page.evaluate(
    async ([run, given]) => {
      const start = performance.now()
      const value = await globalThis.tasks[run](given)
      return { result: value, ms: performance.now() - start }
    },
    [task, argument],
  )
  const { requests, bytes: total } = await server.counted(prefix)
  console.log(`| ${name} | ${requests} | ${(total / 1000).toFixed(1)} | ${ms.toFixed(0)} |`)
  return result
}

async function measureMirror(browser, server) {
  const context = await browser.newContext()
  const page = await context.newPage()
  const run = (name, task, argument) => measure(name, { page, server, prefix: '/mirror/' }, task, argument)
  const { publisher } = JSON.parse(readFileSync(path.join(mirror, 'mirror.json'), 'utf8'))
  const opening = { mirrorUrl: `${server.origin}/mirror/`, publisher }
  const ready = () => page.waitForFunction(() => globalThis.createBrowserNode !== undefined)
  const ask = async (name, index) => {
    const answer = await run(name, 'call', balanceOf(index))
    if (Number(answer) !== balanceOfHolder(index)) throw new Error(`a wrong balance: ${answer}`)
  }
  await page.goto(`${server.origin}/page/mirror.html`)
  await ready()
  await run('mirror: open the node', 'openNode', opening)
  await ask('mirror: `balanceOf`, cold', FIRST)
  await ask('mirror: the same again', FIRST)
  await ask('mirror: another holder', SECOND)
  await page.reload()
  await ready()
  await run('mirror: open the node after a reload', 'openNode', opening)
  await ask('mirror: `balanceOf` after a reload', FIRST)
  await context.close()
}

async function measureSqlite(browser, server, needed) {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(`${server.origin}/page/sqlite.html`)
  const run = async (name, wanted) => {
    const texts = wanted.map(hex)
    const found = await measure(name, { page, server, prefix: '/sqlite/' }, 'read', texts)
    if (found !== texts.length) throw new Error(`${found} of ${texts.length} entries were found`)
  }
  const opening = { origin: server.origin, pageSize: PAGE_SIZE }
  await measure('SQLite: open the file', { page, server, prefix: '/sqlite/' }, 'openDatabase', opening)
  const first = needed(holder(FIRST))
  await run('SQLite: the slot alone, cold', first.slice(-1))
  await run('SQLite: all five entries of a `balanceOf`', first)
  await run('SQLite: the same again', first)
  await run('SQLite: another holder', needed(holder(SECOND)))
  await context.close()
}

/** @returns why the peer cannot run */
async function missingPeer() {
  if (!existsSync(path.join(PEER, 'index.js'))) return 'sql.js-httpvfs is not installed'
  try {
    await promisify(execFile)('sqlite3', ['--version'])
  } catch {
    return 'sqlite3 is not installed'
  }
  return undefined
}

let server
let browser
try {
  const { head, exportSeconds, pushSeconds } = await published()
  const peerIsMissing = await missingPeer()
  const folders = { page: path.join(temporary, 'page'), sqlite: path.join(temporary, 'sqlite') }
  for (const folder of Object.values(folders)) mkdirSync(folder)
  await writePages(folders.page)
  const file = path.join(folders.sqlite, 'entries.sqlite')
  const sqlite = peerIsMissing === undefined ? await writeSqlite(file, head) : undefined
  server = await serveFolders(path.join(temporary, 'server'), {
    '/page/': folders.page,
    '/sqlite/': folders.sqlite,
    '/mirror/': mirror,
    '/peer/': PEER,
  })
  const megabytes = (size) => `${(size / 1e6).toFixed(1)} MB`
  console.log(`${HOLDERS} accounts, ${HOLDERS} slots and ${head} blocks; served by ${server.name}`)
  console.log(`the mirror has ${megabytes(sizeOf(mirror))}, the database ${megabytes(sizeOf(data))}`)
  console.log(`mirror push: ${pushSeconds.toFixed(1)} s, blocks export: ${exportSeconds.toFixed(1)} s`)
  await measureReplica(head)
  await measureWorker(head)
  if (sqlite) console.log(`the SQLite file has ${megabytes(statSync(file).size)} with ${sqlite.count} entries`)
  else console.log(`sql.js-httpvfs is skipped: ${peerIsMissing}`)
  console.log('| | requests | kB | ms |\n|---|---:|---:|---:|')
  browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] })
  await measureMirror(browser, server)
  if (sqlite) await measureSqlite(browser, server, sqlite.needed)
} finally {
  await browser?.close()
  await server?.close()
  rmSync(temporary, { recursive: true, force: true })
}
