/**
 * Measures ethash: hashes per second of CPU time on one thread, beside other implementations. Run on built code:
 *
 *   npm run build && node test/bench/ethash.bench.mjs [--rounds 5] [--hashes 200] [--full FOLDER] [--npm FOLDER] [--python FILE]
 *
 * `--full` adds the search with the dataset of epoch 0, which is read from the folder, or computed on this thread (minutes)
 * and stored there. Its hashes are compared with those of the light algorithm.
 * `--npm` is a folder in which @ethereumjs/ethash is installed, `--python` an interpreter with the package ethash (a C++
 * library). `verify` hashes one nonce at a time, `mine` as many together as the implementation can. Rounds alternate
 * between the implementations; the best round of each counts.
 */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { DatasetFolder } from '../../dist/adapters/server/data/datasetFolder.js'
import { computeChunks, computedPart, newControl } from '../../dist/src/consensus/pow/datasetChunks.js'
import { readDatasetFile, writeDatasetFile } from '../../dist/src/consensus/pow/datasetFile.js'
import { EpochCaches } from '../../dist/src/consensus/pow/epochCaches.js'
import { datasetBytes, makeCache } from '../../dist/src/consensus/pow/ethash.js'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    hashes: { type: 'string', default: '200' },
    full: { type: 'string' },
    npm: { type: 'string' },
    python: { type: 'string' },
  },
})
const [rounds, hashes] = [values.rounds, values.hashes].map(Number)
const powHash = new Uint8Array(32).fill(7)
const noTarget = new Uint8Array(32)

function perSecond(count, work) {
  const start = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(start)
  return count / ((user + system) / 1e6)
}

function nonceOf(value) {
  const nonce = new Uint8Array(8)
  new DataView(nonce.buffer).setBigUint64(0, BigInt(value))
  return nonce
}

const caches = new EpochCaches()
caches.hashimoto(0, false, powHash, nonceOf(0))
const task = { blockNumber: 0, isLong: false, powHash, target: noTarget }
const targets = new Map([
  ['isonode, mine', () => perSecond(hashes, () => caches.search(task, 0n, hashes))],
  [
    'isonode, verify',
    () =>
      perSecond(hashes, () => {
        for (let i = 0; i < hashes; i++) caches.hashimoto(0, false, powHash, nonceOf(i))
      }),
  ],
])

/** Number of nonces for which both algorithms must agree. */
const COMPARED = 500
const FULL_FACTOR = 100

/** Caches that search with the dataset of epoch 0. */
async function withDataset(folder) {
  const files = new DatasetFolder(path.resolve(folder))
  const position = { epoch: 0, isLong: false }
  const job = { position, isTest: false, memory: new SharedArrayBuffer(datasetBytes(0)), control: newControl() }
  const random = { bytes: (length) => new Uint8Array(randomBytes(length)) }
  const signal = { aborted: false }
  const parts = { files, cache: caches.cache(0, false), random, yieldToHost: async () => {}, signal }
  const begin = process.cpuUsage()
  const problem = await readDatasetFile(parts, job)
  console.log(`file: ${problem ?? 'read and sampled'}, ${cpuSeconds(begin)} s of CPU time`)
  if (problem !== undefined) {
    const start = process.cpuUsage()
    let shown = 0
    for (const _ of computeChunks(job)) {
      if (computedPart(job) < shown + 0.1) continue
      shown = computedPart(job)
      console.log(`dataset: ${Math.round(shown * 100)} %, ${cpuSeconds(start)} s of CPU time`)
    }
    const store = process.cpuUsage()
    await writeDatasetFile(files, job, () => false)
    console.log(`stored: ${cpuSeconds(store)} s of CPU time`)
  }
  const full = new EpochCaches()
  full.useDatasets([job])
  for (let i = 0; i < COMPARED; i++) {
    const nonce = new Uint8Array(randomBytes(8))
    const [expected, actual] = [caches, full].map((one) => one.hashimoto(0, false, powHash, nonce))
    for (const name of ['mixHash', 'result']) {
      if (Buffer.compare(expected[name], actual[name]) !== 0) throw new Error(`nonce ${nonce}: ${name} differs`)
    }
  }
  console.log(`${COMPARED} random nonces have the hashes of the light algorithm`)
  return full
}

function cpuSeconds(start) {
  const { user, system } = process.cpuUsage(start)
  return ((user + system) / 1e6).toFixed(1)
}

if (values.full !== undefined) {
  const full = await withDataset(values.full)
  targets.set('isonode, mine with the dataset', () =>
    perSecond(hashes * FULL_FACTOR, () => full.search(task, 0n, hashes * FULL_FACTOR)),
  )
}

const PYTHON = `
import ethash, sys, time
ethash.hash(0, bytes(32), 0)
for line in sys.stdin: pass
count = ${hashes}
start = time.process_time()
for i in range(count): ethash.hash(0, bytes([7] * 32), i)
print(count / (time.process_time() - start))
`
if (values.python !== undefined) {
  targets.set('ethash (C++), verify', () =>
    Number(execFileSync(values.python, ['-c', PYTHON], { encoding: 'utf8', input: '' })),
  )
}
if (values.npm !== undefined) {
  const { Ethash } = createRequire(path.resolve(values.npm, 'package.json'))('@ethereumjs/ethash')
  const other = new Ethash()
  other.cacheSize = 16_776_896
  other.fullSize = 1_073_739_904
  let steps = makeCache(other.cacheSize, new Uint8Array(32))
  let next = steps.next()
  while (!next.done) next = steps.next()
  steps = undefined
  const bytes = new Uint8Array(next.value.buffer)
  other.cache = Array.from({ length: other.cacheSize / 64 }, (_, i) => bytes.subarray(64 * i, 64 * i + 64))
  const few = Math.max(1, Math.round(hashes / 20))
  targets.set('@ethereumjs/ethash, verify', () =>
    perSecond(few, () => {
      for (let i = 0; i < few; i++) other.run(powHash, nonceOf(i))
    }),
  )
}

const best = new Map()
for (let round = 0; round < rounds; round++) {
  for (const [name, measure] of targets) best.set(name, Math.max(best.get(name) ?? 0, measure()))
}
console.log('| implementation | hashes per second |\n|---|---|')
for (const [name, rate] of best) console.log(`| ${name} | ${rate.toFixed(0)} |`)
