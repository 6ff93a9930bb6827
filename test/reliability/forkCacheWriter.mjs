/**
 * Writes entries to the cache of a fork without end, and checks those that earlier writers have left.
 *
 *   node test/reliability/forkCacheWriter.mjs FOLDER MAX_BYTES FIRST CHECKED...
 *
 * Prints the number of each entry once it can be read from the file, and before that `wrong N` or `lost N` for the numbers
 * that it was given. The value of an entry follows from its number.
 */
import path from 'node:path'
import process from 'node:process'

const root = path.resolve(import.meta.dirname, '../..')
const load = (file) => import(path.join(root, 'dist', file))
const { openForkCache } = await load('adapters/server/data/forkCache.js')
const { cacheKeys } = await load('src/fork/cacheKeys.js')
const { keccak256 } = await load('src/base/primitives/keccak.js')

const PAUSE_MS = 3
const CHECK_MS = 50
/** A write begins after 20 ms, and may wait for those of another process. An entry that is still missing counts as written. */
const LATEST_MS = 10_000
const MOST_AT_ONCE = 30

const [folder, maxBytes, first, ...checked] = process.argv.slice(2)
const say = (text) => process.stdout.write(`${text}\n`)
const logger = { warn: (message, { error }) => say(`failed ${message}: ${error.message}`) }
const open = () => openForkCache({ folder, maxBytes: Number(maxBytes), logger })
const cache = open()
/** It does not know the entries that the other one has not written yet. */
const reader = open()
if (cache === undefined || reader === undefined) process.exit(1)

/** Mostly slots, and some codes with pages of their own. */
const entryOf = (n) => {
  const hash = keccak256(Buffer.from(String(n)))
  return [cacheKeys.code(hash), n % 40 === 0 ? Buffer.alloc(9000, hash) : hash]
}

const numbers = checked.map(Number)
const found = await cache.getMany(numbers.map((n) => entryOf(n)[0]))
for (const [i, n] of numbers.entries()) {
  if (found[i] === undefined) say(`lost ${n}`)
  else if (Buffer.compare(found[i], entryOf(n)[1]) !== 0) say(`wrong ${n}`)
}
say('checked')

/** Batches that were put, oldest first. */
const unwritten = []

async function reportWritten() {
  while (unwritten.length > 0) {
    const { batch, at } = unwritten[0]
    const values = await reader.getMany(batch.map((n) => entryOf(n)[0]))
    if (values.includes(undefined) && performance.now() - at < LATEST_MS) return
    say(batch.join('\n'))
    unwritten.shift()
  }
}

let lastReport = 0
for (let n = Number(first); ; ) {
  const end = n + 1 + (n % MOST_AT_ONCE)
  const batch = Array.from({ length: end - n }, (_, i) => n + i)
  cache.put(batch.map(entryOf))
  const now = performance.now()
  unwritten.push({ batch, at: now })
  n = end
  if (now - lastReport > CHECK_MS) {
    lastReport = now
    await reportWritten()
  }
  await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
}
