/**
 * Compares key layouts for trie nodes and measures the cost of commits, on LMDB. Run on built code:
 *   npm run build && node test/bench/storage.bench.mjs [nodes, default 5000000] [directory]
 * For each layout it fills a database in batches of 1000 without syncing, reads at random, and then continues writing
 * with both durabilities and several batch sizes. Values have 100 bytes.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { LmdbStore } from '../../dist/adapters/server/data/lmdbStore.js'
import { keys } from '../../dist/src/storage/schema.js'

const nodes = Number(process.argv[2] ?? 5_000_000)
const root = mkdtempSync(path.join(process.argv[3] ?? tmpdir(), 'isonode-bench-'))
const FILL_BATCH = 1000
const GETS = 300_000
const BATCHES = [40, 1000, 10_000]
const SECONDS = 2
const OWNERS = 200_000

/**
 * A well mixed 32-bit number that depends only on its arguments, so that every key can be computed again from its
 * index.
 */
function mix(n, salt) {
  let h = Math.imul(n ^ (salt * 0x9e3779b1), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  h = Math.imul(h ^ (h >>> 16), 0x27d4eb2f)
  return (h ^ (h >>> 15)) >>> 0
}

function bytesOf(n, length, salt) {
  const bytes = new Uint8Array(length)
  const view = new DataView(bytes.buffer)
  for (let at = 0; at + 4 <= length; at += 4) view.setUint32(at, mix(n, salt + at))
  return bytes
}

const NO_OWNER = new Uint8Array(0)

/** Every third node belongs to the account trie, the others to the storage of a contract; paths have 1 to 5 bytes. */
const versioned = (ownerBytes) => (n, version) => {
  const owner = n % 3 === 0 ? NO_OWNER : bytesOf(mix(n, 1) % OWNERS, ownerBytes, 2)
  return keys.trieNode(version, owner, bytesOf(n, 8, 3).subarray(0, 1 + (mix(n, 4) % 5)))
}

const LAYOUTS = {
  'version ‖ owner(32) ‖ path': versioned(32),
  'version ‖ owner(8) ‖ path': versioned(8),
  'hash(32)': (n) => keys.code(bytesOf(n, 32, 5)),
}

const seconds = (start) => (performance.now() - start) / 1000
const perSecond = (count, elapsed) => Math.round(count / elapsed).toLocaleString('en')

function batchOf(layout, from, size, version) {
  const batch = []
  for (let n = from; n < from + size; n++) {
    const value = bytesOf(n, 100, 9)
    batch.push({ key: layout(n, version), value })
  }
  return batch
}

/** Measures only the commits, not the creation of the keys. */
function fill(store, layout) {
  let elapsed = 0
  for (let from = 0; from < nodes; from += FILL_BATCH) {
    const batch = batchOf(layout, from, FILL_BATCH, from / FILL_BATCH)
    const start = performance.now()
    store.commit(batch)
    elapsed += seconds(start)
  }
  return elapsed
}

function readAtRandom(store, layout) {
  const wanted = Array.from({ length: GETS }, (_, i) => {
    const n = mix(i, 77) % nodes
    return layout(n, Math.floor(n / FILL_BATCH))
  })
  const start = performance.now()
  let found = 0
  for (const key of wanted) if (store.get(key) !== undefined) found++
  if (found !== GETS) throw new Error(`${GETS - found} of ${GETS} nodes are missing`)
  return seconds(start)
}

let nextNode = nodes
let nextVersion = nodes

function goOn(store, layout, size) {
  let [commits, elapsed] = [0, 0]
  while (elapsed < SECONDS) {
    const batch = batchOf(layout, nextNode, size, nextVersion++)
    nextNode += size
    const start = performance.now()
    store.commit(batch)
    elapsed += seconds(start)
    commits++
  }
  return `${perSecond(commits, elapsed)} commits/s, ${perSecond(commits * size, elapsed)} keys/s`
}

console.log(`${nodes.toLocaleString('en')} nodes`)
try {
  for (const [name, layout] of Object.entries(LAYOUTS)) {
    const directory = path.join(root, `${Object.keys(LAYOUTS).indexOf(name)}`)
    const store = new LmdbStore({ directory, durability: 'process' })
    const written = fill(store, layout)
    const size = statSync(path.join(directory, 'data.mdb')).size
    const read = readAtRandom(store, layout)
    await store.close()
    const figures = [`filled at ${perSecond(nodes, written)} keys/s`, `${perSecond(GETS, read)} gets/s`]
    console.log(`\n${name}: ${figures.join(', ')}, file ${(size / 1e6).toFixed(0)} MB`)
    for (const durability of ['process', 'power']) {
      const reopened = new LmdbStore({ directory, durability })
      for (const batch of BATCHES) console.log(`  ${durability}, batches of ${batch}: ${goOn(reopened, layout, batch)}`)
      await reopened.close()
    }
    rmSync(directory, { recursive: true, force: true })
  }
} finally {
  rmSync(root, { recursive: true, force: true })
}
