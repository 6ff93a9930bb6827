/**
 * Kills an import at random moments and checks what is left.
 *
 *   node test/reliability/killLoop.mjs [--rounds 50] [--seed N]
 *
 * After every `kill -9`: the head is a block of the file, the state root recomputed from the store equals the header's,
 * and the import goes on; at the end the head is the file's last block. Needs the recorded data (ISONODE_CONFORMANCE).
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

if (!existsSync(path.join(data, 'besu/snap/blocks.bin'))) {
  console.log(`kill loop: skipped, no recorded data at ${data} (set ISONODE_CONFORMANCE)`)
  process.exit(process.env.CI ? 1 : 0)
}

/** mulberry32: the moments repeat for a seed, as far as the machine lets them. */
let state = seed >>> 0
function random() {
  state = (state + 0x6d2b79f5) >>> 0
  let t = state
  t = Math.imul(t ^ (t >>> 15), t | 1)
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
}

const chain = path.join(data, 'besu/snap')
const LAST_BLOCK = 500
const LAST_HASH = '0x36a166f0dcd160fc5e5c61c9a7c2d7f236d9175bf27f43aaa2150e291f092ef7'

/** Runs the node's command; resolves with its output and exit code. Killed after `killAfterMs` if given. */
function node(args, killAfterMs) {
  const child = spawn(process.execPath, [server, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs)
  return new Promise((resolve) => {
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      resolve({ code, signal, output })
    })
  })
}

const directory = mkdtempSync(path.join(tmpdir(), 'isonode-kill-'))
const base = [`--genesis-file=${path.join(chain, 'genesis.json')}`, `--data-path=${directory}`]
const importArgs = [...base, 'blocks', 'import', `--from=${path.join(chain, 'blocks.bin')}`, '--skip-pow-validation-enabled']

/** What the check process found in the directory: see test/reliability/inspect.mjs. */
async function inspect() {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'inspect.mjs'), directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new Error('the directory could not be read after the kill')
  return JSON.parse(output)
}

console.log(`kill loop: ${rounds} rounds, seed ${seed}`)
let failed = 0
let kills = 0
let whole = 0
let highest = 0
for (let round = 0; round < rounds; round++) {
  if (highest >= LAST_BLOCK) {
    rmSync(directory, { recursive: true, force: true })
    highest = 0
    whole++
  }
  const { signal } = await node(importArgs, 250 + random() * 1500)
  if (signal === 'SIGKILL') kills++
  if (!existsSync(path.join(directory, 'database'))) continue
  const found = await inspect()
  const ok = found.empty === true || (found.rootMatches && found.number >= highest && found.linked)
  if (!ok) {
    failed++
    console.log(`round ${round}: ${JSON.stringify(found)} after ${highest}`)
  }
  highest = found.empty ? 0 : found.number
}
const last = await node(importArgs)
const end = await inspect()
if (last.code !== 0 || end.hash !== LAST_HASH) {
  failed++
  console.log(`the final import ended with ${last.code} at ${end.number} ${end.hash}: ${last.output.slice(-500)}`)
}
rmSync(directory, { recursive: true, force: true })
console.log(`kill loop: ${kills} kills in ${rounds} rounds, ${whole} chains finished between them`)
console.log(`${rounds + 1 - failed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
