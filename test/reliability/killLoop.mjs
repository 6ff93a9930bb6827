/**
 * Kills an import at random moments and checks the remaining database.
 *
 *   node test/reliability/killLoop.mjs [--rounds 50] [--seed N]
 *
 * A first, undisturbed import measures the time for starting and importing, within which the kills occur. After every
 * `kill -9`: the head is at or above its previous position, the state root recomputed from the store equals the
 * header's, the chain is linked and indexed down to the genesis block (inspect.mjs), and the import continues from
 * there; at the end, the head is the file's last block. Needs the recorded data (ISONODE_CONFORMANCE) and the built
 * node.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '../..')
const data = path.resolve(root, process.env.ISONODE_CONFORMANCE ?? '../shared/conformance')
const server = path.join(root, 'dist/server.js')
const option = (name, fallback) => {
  const at = process.argv.indexOf(`--${name}`)
  return at < 0 ? fallback : Number(process.argv[at + 1])
}
const rounds = option('rounds', 50)
const seed = option('seed', Date.now() % 1_000_000)

const chain = path.join(data, 'besu/snap')
const LAST_BLOCK = 500
const LAST_HASH = '0x36a166f0dcd160fc5e5c61c9a7c2d7f236d9175bf27f43aaa2150e291f092ef7'

if (!existsSync(path.join(chain, 'blocks.bin'))) {
  console.log(`kill loop: skipped, no recorded data at ${data} (set ISONODE_CONFORMANCE)`)
  process.exit(process.env.CI ? 1 : 0)
}

/** mulberry32: a seed reproduces the moments, as far as the machine permits. */
let state = seed >>> 0
function random() {
  state = (state + 0x6d2b79f5) >>> 0
  let t = state
  t = Math.imul(t ^ (t >>> 15), t | 1)
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
}

/** Runs a script; resolves with its output, end and duration. Killed after `killAfterMs`, if given. */
function run(args, killAfterMs) {
  const start = performance.now()
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  return new Promise((resolve) => {
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      resolve({ code, signal, output, elapsedMs: performance.now() - start })
    })
  })
}

const home = mkdtempSync(path.join(tmpdir(), 'isonode-kill-'))
let chains = 0
/** Each chain has a separate directory. */
const newDirectory = () => path.join(home, String(chains++))

const importArgs = (directory) => [
  server,
  `--genesis-file=${path.join(chain, 'genesis.json')}`,
  `--data-path=${directory}`,
  'blocks',
  'import',
  `--from=${path.join(chain, 'blocks.bin')}`,
  '--skip-pow-validation-enabled',
]

async function inspect(directory) {
  if (!existsSync(path.join(directory, 'database'))) return { empty: true }
  const { code, output } = await run([path.join(import.meta.dirname, 'inspect.mjs'), directory])
  if (code !== 0) return { problem: `cannot be opened: ${output.slice(-500)}` }
  return JSON.parse(output)
}

const isWhole = (found, lowest) =>
  found.empty === true ? lowest === 0 : found.rootMatches && found.linked && found.number >= lowest

/** Measures the duration of a start, and of an import without it. */
async function calibrate() {
  const directory = newDirectory()
  const { code, output, elapsedMs } = await run(importArgs(directory))
  if (code !== 0) throw new Error(`the import fails without any kill: ${output}`)
  const again = await run(importArgs(directory))
  rmSync(directory, { recursive: true, force: true })
  return { startMs: again.elapsedMs, importMs: Math.max(elapsedMs - again.elapsedMs, 100) }
}

/** Repeats killed imports on one directory until its chain is complete, then on the next. */
async function killLoop({ startMs, importMs }) {
  const counts = { failed: 0, kills: 0, partial: 0, whole: 0 }
  let directory = newDirectory()
  let height = 0
  for (let round = 0; round < rounds; round++) {
    const leftMs = importMs * (1 - height / LAST_BLOCK)
    const killed = await run(importArgs(directory), startMs * 0.6 + random() * (startMs * 0.4 + leftMs))
    const found = await inspect(directory)
    if (killed.signal === 'SIGKILL') counts.kills++
    const endedBadly = killed.signal === null && killed.code !== 0
    if (endedBadly || !isWhole(found, height)) {
      counts.failed++
      console.log(`round ${round}: ${JSON.stringify(found)} after ${height} ${endedBadly ? killed.output : ''}`)
    }
    height = found.number ?? 0
    if (height > 0 && height < LAST_BLOCK) counts.partial++
    if (height < LAST_BLOCK && found.problem === undefined) continue
    counts.whole += height === LAST_BLOCK ? 1 : 0
    rmSync(directory, { recursive: true, force: true })
    directory = newDirectory()
    height = 0
  }
  return { ...counts, directory }
}

console.log(`kill loop: ${rounds} rounds, seed ${seed}`)
const times = await calibrate()
console.log(`kill loop: a start takes ${times.startMs.toFixed(0)} ms, the import ${times.importMs.toFixed(0)} ms`)
const { failed, kills, partial, whole, directory } = await killLoop(times)
const last = await run(importArgs(directory))
const end = await inspect(directory)
const isComplete = last.code === 0 && end.hash === LAST_HASH && isWhole(end, LAST_BLOCK)
if (!isComplete) {
  console.log(`the final import ended with ${last.code}, ${JSON.stringify(end)}: ${last.output.slice(-500)}`)
}
rmSync(home, { recursive: true, force: true })
const failures = failed + (isComplete ? 0 : 1)
console.log(
  `kill loop: ${kills} kills in ${rounds} rounds, ${partial} left a part of the chain, ${whole} chains finished`,
)
console.log(`${rounds + 1 - failures} passed, ${failures} failed`)
process.exit(failures === 0 ? 0 : 1)
