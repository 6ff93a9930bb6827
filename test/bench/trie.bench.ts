/**
 * Measures the state on LMDB: commits, and reads from the flat view and from the trie. From the repository's root:
 *   npx esbuild test/bench/trie.bench.ts --bundle --platform=node --format=esm --packages=external \
 *     --outfile=dist/trie.bench.mjs && node dist/trie.bench.mjs [accounts, default 1000000] [directory]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { installNodeCrypto } from '../../adapters/server/crypto/crypto.ts'
import { LmdbStore } from '../../adapters/server/data/lmdbStore.ts'
import { writeUint } from '../../src/base/primitives/bytes.ts'
import type { StateRoot } from '../../src/state/contract.ts'
import { EMPTY_STATE_ROOT } from '../../src/state/emptyRoot.ts'
import { StateStore } from '../../src/state/stateStore.ts'
import { StagedStore } from '../../src/storage/stagedStore.ts'
import { orderedTrieRoot } from '../../src/trie/orderedRoot.ts'

const accounts = Number(process.argv[2] ?? 1_000_000)
const directory = mkdtempSync(path.join(process.argv[3] ?? tmpdir(), 'isonode-bench-'))
const FILL = 10_000
const CHANGED = 1000
const COMMITS = 30
const READS = 100_000
const TOKEN = addressOf(-1)

function addressOf(index: number): Uint8Array {
  const address = new Uint8Array(20)
  for (let i = 0; i < 5; i++) writeUint(address, i * 4, Math.imul(index + 7 * i + 1, 0x9e3779b1) >>> 0, 4)
  return address
}

function wordOf(index: number): Uint8Array {
  const word = new Uint8Array(32)
  writeUint(word, 26, index, 6)
  return word
}

function report(name: string, count: number, ms: number): void {
  console.log(
    `${name.padEnd(52)} ${(ms / count < 0.1 ? `${((ms / count) * 1000).toFixed(2)} µs` : `${(ms / count).toFixed(2)} ms`).padStart(10)}   ${Math.round((count / ms) * 1000)}/s`,
  )
}

console.log(await installNodeCrypto())
const kv = new LmdbStore({ directory, durability: 'process' })
let root: StateRoot = EMPTY_STATE_ROOT
let version = 0
const timing = { change: 0, root: 0, commit: 0, write: 0 }

async function commit(states: StateStore, change: (state: ReturnType<StateStore['mutable']>) => void): Promise<void> {
  const start = performance.now()
  const stage = new StagedStore(kv)
  const state = states.mutable(root, stage)
  change(state)
  const changed = performance.now()
  state.rootHash()
  const hashed = performance.now()
  version++
  root = state.persist({ version, stage, block: { number: version, hash: wordOf(version) } })
  const committed = performance.now()
  await kv.commit(stage.mutations())
  timing.change += changed - start
  timing.root += hashed - changed
  timing.commit += committed - hashed
  timing.write += performance.now() - committed
}

function reset(): void {
  Object.assign(timing, { change: 0, root: 0, commit: 0, write: 0 })
}

function reportCommits(name: string, count: number): void {
  const { change, root: hash, commit: stage, write } = timing
  report(`${name}: whole`, count, change + hash + stage + write)
  report('  read and change', count, change)
  report('  update tries and hash', count, hash)
  report('  stage nodes, diff, flat view', count, stage)
  report('  LMDB batch', count, write)
}

const states = new StateStore(kv)
for (let at = 0; at < accounts; at += FILL) {
  await commit(states, (state) => {
    for (let i = at; i < Math.min(at + FILL, accounts); i++) state.setBalance(addressOf(i), BigInt(i) + 10n ** 18n)
    for (let i = at / 10; i < Math.min(at + FILL, accounts) / 10; i++) state.setStorage(TOKEN, wordOf(i), wordOf(i + 1))
  })
}
reportCommits(`fill, ${FILL} accounts and ${FILL / 10} slots a commit`, Math.ceil(accounts / FILL))

let random = 12345
function below(bound: number): number {
  random = (Math.imul(random, 1664525) + 1013904223) | 0
  return (random >>> 8) % bound
}

for (let round = 0; round < 2; round++) {
  reset()
  for (let i = 0; i < COMMITS; i++) {
    await commit(states, (state) => {
      for (let n = 0; n < CHANGED; n++) state.setBalance(addressOf(below(accounts)), BigInt(below(1_000_000)))
    })
  }
}
reportCommits(`commit of ${CHANGED} changed accounts`, COMMITS)
reset()
for (let i = 0; i < COMMITS; i++) {
  await commit(states, (state) => {
    for (let n = 0; n < CHANGED; n++) {
      const slot = wordOf(below(accounts / 10))
      state.getStorage(TOKEN, slot)
      state.setStorage(TOKEN, slot, wordOf(below(1_000_000) + 1))
    }
  })
}
reportCommits(`commit of ${CHANGED} changed slots`, COMMITS)

function time(name: string, count: number, work: () => void): void {
  const start = performance.now()
  work()
  report(name, count, performance.now() - start)
}

const flat = states.reader(root)
time('account, flat view', READS, () => {
  for (let i = 0; i < READS; i++) flat.getAccount(addressOf(below(accounts)))
})
time('slot, flat view', READS, () => {
  for (let i = 0; i < READS; i++) flat.getStorage(TOKEN, wordOf(below(accounts / 10)))
})
const pinned = root
await commit(states, (state) => state.setBalance(TOKEN, 1n))
const walked = states.reader(pinned)
time('account, trie, 128 MiB of nodes', READS, () => {
  for (let i = 0; i < READS; i++) walked.getAccount(addressOf(below(accounts)))
})
const hot = Array.from({ length: 1000 }, () => addressOf(below(accounts)))
time('account, trie, nodes in memory', READS, () => {
  for (let i = 0; i < READS; i++) walked.getAccount(hot[i % 1000] as Uint8Array)
})
time('slot, trie', READS / 10, () => {
  for (let i = 0; i < READS / 10; i++) walked.getStorage(TOKEN, wordOf(below(accounts / 10)))
})
time('proof of an account and a slot', 5000, () => {
  for (let i = 0; i < 5000; i++) walked.prove(TOKEN, [wordOf(below(accounts / 10))])
})
const journal = states.mutable(root)
time('journal: read and write a slot, in a section', READS, () => {
  for (let i = 0; i < READS; i++) {
    const slot = wordOf(i & 1023)
    journal.checkpoint()
    journal.getStorage(TOKEN, slot)
    journal.getOriginalStorage(TOKEN, slot)
    journal.setStorage(TOKEN, slot, wordOf(i + 2))
    if (i & 1) journal.revert()
    else journal.endSection()
  }
})
const receipts = Array.from({ length: 200 }, (_, i) => new Uint8Array(400).fill(i + 1))
time('root of 200 receipts', 200, () => {
  for (let i = 0; i < 200; i++) orderedTrieRoot(receipts)
})
await kv.close()
rmSync(directory, { recursive: true })
