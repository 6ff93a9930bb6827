/**
 * Kills a migration from format 1 at random moments and checks the remaining database.
 *
 *   node test/reliability/migrationKillLoop.mjs [--rounds 50] [--seed N]
 *
 * The database is the dev chain of test/vectors/storage-v1, with accounts and slots added to its flat view in format 1.
 * After every `kill -9`: each entry is stored exactly once, under its old or its new key, progress has not been lost,
 * and an unfinished database is marked as such. When a migration is complete, all entries have their values and the
 * node serves the chain; then the next copy is migrated. Needs the built node.
 */
import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { numberOption, seededRandom } from './random.mjs'

const root = path.resolve(import.meta.dirname, '../..')
const dist = path.join(root, 'dist')
const load = (file) => import(path.join(dist, file))
const { openDataDirectory } = await load('adapters/server/data/dataDirectory.js')
const { keccak256 } = await load('src/base/primitives/keccak.js')
const { readFormat } = await load('src/storage/metadata.js')
const { keys, SCHEMA_VERSION } = await load('src/storage/schema.js')

const rounds = numberOption('rounds', 50)
const seed = numberOption('seed', Date.now() % 1_000_000)
const random = seededRandom(seed)

const ACCOUNTS = 40_000
const SLOTS_EACH = 4
const OLD_ACCOUNT = 0x22
const OLD_SLOT = 0x23
const NEW_ACCOUNT = 0x26
const NEW_SLOT = 0x27
const HEAD = '0x1f'
const START_TIMEOUT_MS = 120_000

const home = mkdtempSync(path.join(tmpdir(), 'isonode-migration-'))
const server = path.join(dist, 'server.js')

/** 20 bytes, unique to this account. */
function addressOf(account) {
  const bytes = Buffer.alloc(20, 0xee)
  bytes.writeUInt32BE(Math.imul(account + 1, 0x9e3779b1) >>> 0, 0)
  bytes.writeUInt32BE(account, 16)
  return bytes
}

function slotOf(slot) {
  const bytes = Buffer.alloc(32)
  bytes.writeUInt32BE(slot, 28)
  return bytes
}

/** A flat account: no code, no storage, a balance of 4 bytes. */
const accountValue = (account) => Uint8Array.from([0, 0, 4, 1, account >> 16, (account >> 8) & 255, account & 255])
const slotValue = (account, slot) => Uint8Array.from([1, account >> 16, (account >> 8) & 255, account & 255, slot + 1])

async function writeTemplate(directory) {
  mkdirSync(path.join(directory, 'database'), { recursive: true })
  const vector = path.join(root, 'test/vectors/storage-v1/dev.mdb.gz')
  writeFileSync(path.join(directory, 'database/data.mdb'), gunzipSync(readFileSync(vector)))
  const data = openDataDirectory(directory, 'process')
  let batch = []
  for (let account = 0; account < ACCOUNTS; account++) {
    const address = addressOf(account)
    batch.push({ key: Buffer.from([OLD_ACCOUNT, ...address]), value: accountValue(account) })
    for (let slot = 0; slot < SLOTS_EACH; slot++) {
      batch.push({ key: Buffer.from([OLD_SLOT, ...address, ...slotOf(slot)]), value: slotValue(account, slot) })
    }
    if (batch.length < 10_000) continue
    await data.store.commit(batch)
    batch = []
  }
  await data.store.commit(batch)
  const counts = countEntries(data.store)
  await data.close()
  return counts
}

function countColumn(store, column) {
  let count = 0
  for (const _ of store.range({ prefix: Uint8Array.of(column) })) count++
  return count
}

function countEntries(store) {
  const [oldAccounts, oldSlots] = [countColumn(store, OLD_ACCOUNT), countColumn(store, OLD_SLOT)]
  const [newAccounts, newSlots] = [countColumn(store, NEW_ACCOUNT), countColumn(store, NEW_SLOT)]
  const done = newAccounts + newSlots
  return { accounts: oldAccounts + newAccounts, slots: oldSlots + newSlots, done, left: oldAccounts + oldSlots }
}

/** @returns the first entry whose value is not stored under its new key */
function wrongEntry(store) {
  const isEqual = (found, value) => found !== undefined && Buffer.compare(found, value) === 0
  for (let account = 0; account < ACCOUNTS; account++) {
    const owner = keccak256(addressOf(account))
    if (!isEqual(store.get(keys.flatAccount(owner)), accountValue(account))) return `account ${account}`
    for (let slot = 0; slot < SLOTS_EACH; slot++) {
      const found = store.get(keys.flatStorage(owner, 0, keccak256(slotOf(slot))))
      if (!isEqual(found, slotValue(account, slot))) return `slot ${slot} of account ${account}`
    }
  }
  return undefined
}

async function inspect(directory) {
  const data = openDataDirectory(directory, 'process')
  try {
    const format = readFormat(data.store, SCHEMA_VERSION)
    const isFinished = format.version === SCHEMA_VERSION && format.migratingFrom === undefined
    const counts = countEntries(data.store)
    const wrong = isFinished ? wrongEntry(data.store) : undefined
    return { ...counts, isFinished, isMarked: format.version === 1 ? counts.done === 0 : true, wrong }
  } finally {
    await data.close()
  }
}

/** Starts the node on a directory; resolves when it has ended, is serving, or was killed. */
function run(directory, killAfterMs) {
  const start = performance.now()
  const args = [server, '--dev', `--data-path=${directory}`, '--rpc-http-port=0', '--rpc-ws-enabled=false']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  let migratingMs
  let servingMs
  let head
  const kill = () => child.kill('SIGKILL')
  const timer = setTimeout(kill, killAfterMs ?? START_TIMEOUT_MS)
  const onData = async (chunk) => {
    output += chunk
    if (output.includes('migrating')) migratingMs ??= performance.now() - start
    const url = /http:\/\/[^\s/]+:\d+/.exec(output)?.[0]
    if (url === undefined || servingMs !== undefined) return
    servingMs = performance.now() - start
    if (killAfterMs !== undefined) return
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    head = (await answer.json()).result
    kill()
  }
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', onData)
  return new Promise((resolve) => {
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      resolve({ code, signal, output, migratingMs, servingMs, head })
    })
  })
}

const template = path.join(home, 'template')
const whole = await writeTemplate(template)
let copies = 0
function newCopy() {
  const directory = path.join(home, String(copies++))
  mkdirSync(path.join(directory, 'database'), { recursive: true })
  copyFileSync(path.join(template, 'database/data.mdb'), path.join(directory, 'database/data.mdb'))
  return directory
}

console.log(`migration kill loop: ${rounds} rounds, seed ${seed}, ${whole.accounts + whole.slots} entries`)
const first = newCopy()
const calibration = await run(first)
let failed = 0
const fail = (text) => {
  failed++
  console.log(text)
}
const calibrated = await inspect(first)
if (calibration.head !== HEAD || !calibrated.isFinished || calibrated.wrong !== undefined) {
  fail(`without a kill: head ${calibration.head}, ${JSON.stringify(calibrated)}: ${calibration.output.slice(-500)}`)
}
const { migratingMs = 500, servingMs = 5000 } = calibration
console.log(`a start takes ${migratingMs.toFixed(0)} ms, the migration ${(servingMs - migratingMs).toFixed(0)} ms`)
rmSync(first, { recursive: true, force: true })

let directory = newCopy()
let done = 0
const counts = { kills: 0, partial: 0, finished: 0 }
for (let round = 0; round < rounds; round++) {
  // A third of the remaining time, so that a copy is killed several times.
  const leftMs = (servingMs - migratingMs) * (1 - done / (whole.accounts + whole.slots))
  const killed = await run(directory, migratingMs * 0.7 + random() * (migratingMs * 0.3 + leftMs / 3 + 100))
  if (killed.signal === 'SIGKILL') counts.kills++
  else fail(`round ${round}: ended by itself with ${killed.code}: ${killed.output.slice(-500)}`)
  const found = await inspect(directory)
  const isComplete = found.accounts === whole.accounts && found.slots === whole.slots
  if (!isComplete || found.done < done || !found.isMarked || found.wrong !== undefined) {
    fail(`round ${round}: ${JSON.stringify(found)} after ${done} of ${JSON.stringify(whole)}`)
  }
  done = found.done
  if (!found.isFinished) {
    if (done > 0) counts.partial++
    continue
  }
  const served = await run(directory)
  if (served.head !== HEAD) fail(`round ${round}: serves head ${served.head}: ${served.output.slice(-500)}`)
  counts.finished++
  rmSync(directory, { recursive: true, force: true })
  directory = newCopy()
  done = 0
}
const last = await run(directory)
const end = await inspect(directory)
if (last.head !== HEAD || !end.isFinished || end.wrong !== undefined) {
  fail(`at the end: head ${last.head}, ${JSON.stringify(end)}: ${last.output.slice(-500)}`)
}
rmSync(home, { recursive: true, force: true })
console.log(
  `${counts.kills} kills, ${counts.partial} left a part of the work, ${counts.finished} copies finished before`,
)
console.log(`${rounds + 1 - failed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
