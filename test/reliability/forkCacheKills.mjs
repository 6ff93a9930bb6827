/**
 * Kills processes that write to one cache of a fork at random moments, and checks what they have left.
 *
 *   node test/reliability/forkCacheKills.mjs [--rounds 100] [--seed N]
 *
 * Two writers share the cache; one is killed in each round while the other goes on, and its successor opens the cache under the
 * other's writes. An entry that could be read before a kill is there after it, in a large cache; in a small one, which deletes all
 * the time, it is there or missing, never wrong, and the file stays small. Needs the built node.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { numberOption, seededRandom } from './random.mjs'

const rounds = numberOption('rounds', 100)
const seed = numberOption('seed', Date.now() % 1_000_000)
const random = seededRandom(seed)

const MIB = 1024 * 1024
const LARGE_BYTES = 2048 * MIB
const SMALL_BYTES = 4 * MIB
/** Pages that the last commits have replaced come on top of the bound. */
const MOST_SMALL_BYTES = 3 * SMALL_BYTES
const LONGEST_MS = 1500
/** Entries of earlier writers that each one checks. */
const SAMPLE = 300
/** Numbers of one writer are below those of the next. */
const STRIDE = 1_000_000
const START_TIMEOUT_MS = 60_000

const home = mkdtempSync(path.join(tmpdir(), 'isonode-fork-cache-'))
const problems = []
const totals = { kills: 0, entries: 0, checked: 0, lost: 0 }

function problem(round, text) {
  problems.push(text)
  console.log(`round ${round}: ${text}`)
}

let writers = 0

/** Entries of all writers so far that must be in a cache. */
class Cache {
  folder = mkdtempSync(path.join(home, 'cache-'))
  entries = []

  constructor(maxBytes) {
    this.maxBytes = maxBytes
  }

  get isLarge() {
    return this.maxBytes === LARGE_BYTES
  }

  get fileBytes() {
    return statSync(path.join(this.folder, 'v1/data.mdb')).size
  }

  sample() {
    if (this.entries.length === 0) return []
    return Array.from({ length: SAMPLE }, () => this.entries[Math.floor(random() * this.entries.length)])
  }
}

/** Resolves when the writer has checked its sample and writes. */
async function startWriter(round, cache) {
  const sample = cache.sample()
  const args = [path.join(import.meta.dirname, 'forkCacheWriter.mjs'), cache.folder, cache.maxBytes, STRIDE * writers++]
  const child = spawn(process.execPath, [...args, ...sample].map(String), { stdio: ['ignore', 'pipe', 'inherit'] })
  let rest = ''
  let ready
  const hasStarted = new Promise((resolve) => {
    ready = resolve
  })
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    for (const line of lines) {
      if (line === 'checked') ready()
      else if (/^\d+$/.test(line)) cache.entries.push(Number(line))
      else if (line.startsWith('lost') && !cache.isLarge) totals.lost++
      else problem(round, line)
    }
  })
  const ended = new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })))
  const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS)
  await Promise.race([hasStarted, ended])
  clearTimeout(timer)
  totals.checked += sample.length
  return {
    async kill() {
      child.kill('SIGKILL')
      const { code, signal } = await ended
      if (signal !== 'SIGKILL') problem(round, `a writer ended by itself with ${code ?? signal}`)
      totals.kills++
    },
  }
}

async function killLoop(maxBytes, count) {
  const cache = new Cache(maxBytes)
  let [first, second] = [await startWriter(0, cache), await startWriter(0, cache)]
  for (let round = 0; round < count; round++) {
    await new Promise((resolve) => setTimeout(resolve, random() * LONGEST_MS))
    await first.kill()
    first = second
    second = await startWriter(round, cache)
    if (!cache.isLarge && cache.fileBytes > MOST_SMALL_BYTES) problem(round, `the file has ${cache.fileBytes} bytes`)
  }
  await first.kill()
  await second.kill()
  const last = await startWriter(count, cache)
  await last.kill()
  totals.entries += cache.entries.length
}

console.log(`kill loop of the fork cache: ${rounds} rounds, seed ${seed}`)
await killLoop(LARGE_BYTES, Math.ceil(rounds / 2))
await killLoop(SMALL_BYTES, Math.floor(rounds / 2))
rmSync(home, { recursive: true, force: true })
console.log(
  `${totals.kills} kills, ${totals.entries} entries of which ${totals.checked} were read again; the small cache had deleted ${totals.lost}`,
)
console.log(`${rounds - Math.min(rounds, problems.length)} passed, ${problems.length} failed`)
process.exit(problems.length === 0 ? 0 : 1)
