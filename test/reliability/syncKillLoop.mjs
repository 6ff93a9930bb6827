/**
 * Kills a node at random moments while it synchronises with another, and checks the remaining database.
 *
 *   node test/reliability/syncKillLoop.mjs [--rounds 50] [--seed N]
 *
 * After every `kill -9`: the head is at or above its previous position, the state root recomputed from the store equals
 * the header's, the chain is linked and indexed down to the genesis block (inspect.mjs), and synchronisation continues
 * from there; at the end, the head is that of the peer. Needs the recorded data (ISONODE_CONFORMANCE) and the built node.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { NodeProcess } from '../support/nodes/nodeProcess.mjs'
import { numberOption, seededRandom } from './random.mjs'

const root = path.resolve(import.meta.dirname, '../..')
const data = path.resolve(root, process.env.ISONODE_CONFORMANCE ?? '../shared/conformance')
const rounds = numberOption('rounds', 50)
const seed = numberOption('seed', Date.now() % 1_000_000)

const chain = path.join(data, 'besu/ibft-legacy')
const LAST_BLOCK = 958
const LAST_HASH = '0xe3977f34ed64b875950883df5dd52cd576d7b927834608e3c08623008d6aa1bb'
const SYNC_LIMIT_MS = 300_000

if (!existsSync(path.join(chain, 'blocks.bin'))) {
  console.log(`sync kill loop: skipped, no recorded data at ${data} (set ISONODE_CONFORMANCE)`)
  process.exit(process.env.CI ? 1 : 0)
}

const random = seededRandom(seed)
const genesisFile = path.join(chain, 'genesis.json')
const home = mkdtempSync(path.join(tmpdir(), 'isonode-sync-kill-'))
let directories = 0
const newDirectory = () => path.join(home, String(directories++))
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

async function inspect(directory) {
  if (!existsSync(path.join(directory, 'database'))) return { empty: true }
  const args = [path.join(import.meta.dirname, 'inspect.mjs'), directory, genesisFile]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout)
}

const isWhole = (found, lowest) =>
  found.empty === true ? lowest === 0 : found.rootMatches && found.linked && found.number >= lowest

async function servingNode() {
  const directory = newDirectory()
  const args = [path.join(root, 'dist/server.js'), `--genesis-file=${genesisFile}`, `--data-path=${directory}`]
  const command = ['blocks', 'import', `--from=${path.join(chain, 'blocks.bin')}`]
  await promisify(execFile)(process.execPath, [...args, ...command])
  return new NodeProcess({ genesisFile, directory })
}

/** Time from the connection to the end of an undisturbed synchronisation, milliseconds. */
async function calibrate(peer) {
  const node = new NodeProcess({ genesisFile, directory: newDirectory() })
  await node.connect(peer)
  const start = performance.now()
  await node.printed(/in sync block=958/, SYNC_LIMIT_MS)
  await node.kill()
  return performance.now() - start
}

/** Repeats killed runs on one directory until its chain is complete, then on the next. */
async function killLoop(peer, syncMs) {
  const counts = { failed: 0, partial: 0, whole: 0 }
  let directory = newDirectory()
  let height = 0
  for (let round = 0; round < rounds; round++) {
    const node = new NodeProcess({ genesisFile, directory })
    await node.connect(peer)
    await pause(random() * syncMs * (1.2 - (0.8 * height) / LAST_BLOCK))
    await node.kill('SIGKILL')
    const found = await inspect(directory)
    const lines = node.output.split('\n').filter((line) => / (?:ERROR|WARN) {2}?\[sync\]/.test(line))
    if (!isWhole(found, height) || lines.length > 0) {
      counts.failed++
      console.log(`round ${round}: ${JSON.stringify(found)} after ${height} ${lines.join('\n')}`)
    }
    height = found.number ?? 0
    if (height > 0 && height < LAST_BLOCK) counts.partial++
    if (height < LAST_BLOCK) continue
    counts.whole++
    rmSync(directory, { recursive: true, force: true })
    directory = newDirectory()
    height = 0
  }
  return { ...counts, directory }
}

console.log(`sync kill loop: ${rounds} rounds, seed ${seed}`)
const peer = await servingNode()
try {
  const syncMs = await calibrate(peer)
  console.log(`sync kill loop: synchronisation takes ${syncMs.toFixed(0)} ms`)
  const { failed, partial, whole, directory } = await killLoop(peer, syncMs)
  const node = new NodeProcess({ genesisFile, directory })
  await node.connect(peer)
  await node.printed(/in sync block=958/, SYNC_LIMIT_MS)
  await node.kill()
  const end = await inspect(directory)
  const isComplete = end.hash === LAST_HASH && isWhole(end, LAST_BLOCK)
  if (!isComplete) console.log(`the last synchronisation ended at ${JSON.stringify(end)}`)
  const failures = failed + (isComplete ? 0 : 1)
  console.log(`sync kill loop: ${partial} of ${rounds} kills left a part of the chain, ${whole} chains finished`)
  console.log(`${rounds + 1 - failures} passed, ${failures} failed`)
  process.exitCode = failures === 0 ? 0 : 1
} finally {
  await peer.kill()
  rmSync(home, { recursive: true, force: true })
}
