/**
 * Measures the deletion of a contract with a large storage on LMDB: keys and bytes of the batch, and processor time. From the repository's root:
 *   npx esbuild test/bench/erasedStorage.bench.ts --bundle --platform=node --format=esm --packages=external \
 *     --outfile=dist/erasedStorage.bench.mjs && node dist/erasedStorage.bench.mjs [slots, default 200000] [directory]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { installNodeCrypto } from '../../adapters/server/crypto/crypto.ts'
import { LmdbStore } from '../../adapters/server/data/lmdbStore.ts'
import { uintBytes } from '../../src/base/primitives/bytes.ts'
import { EMPTY_STATE_ROOT } from '../../src/state/emptyRoot.ts'
import { StateStore } from '../../src/state/stateStore.ts'
import { keys } from '../../src/storage/schema.ts'
import { StagedStore } from '../../src/storage/stagedStore.ts'

const slots = Number(process.argv[2] ?? 200_000)
const directory = mkdtempSync(path.join(process.argv[3] ?? tmpdir(), 'isonode-bench-'))
const SLOTS_PER_BLOCK = 10_000
const CONTRACT = uintBytes(0xc0de, 20)

await installNodeCrypto()
const kv = new LmdbStore({ directory, durability: 'process' })
const states = new StateStore(kv)
let root = EMPTY_STATE_ROOT
let version = 0
for (let first = 0; first < slots; first += SLOTS_PER_BLOCK) {
  const stage = new StagedStore(kv)
  const state = states.mutable(root, stage)
  state.setNonce(CONTRACT, 1n)
  for (let slot = first; slot < Math.min(slots, first + SLOTS_PER_BLOCK); slot++) {
    state.setStorage(CONTRACT, uintBytes(slot, 32), uintBytes(slot + 1, 32))
  }
  const number = ++version
  root = state.persist({ version, stage, block: { number, hash: uintBytes(number, 32) } })
  kv.commit(stage.mutations())
}

const cpuBefore = process.cpuUsage()
const stage = new StagedStore(kv)
const state = states.mutable(root, stage)
state.beginTransaction()
state.deleteAccount(CONTRACT)
state.endTransaction({ selfDestructs: [], clearEmpty: true })
const block = { number: ++version, hash: uintBytes(version, 32) }
state.persist({ version, stage, block })
const executed = cpuMs()
kv.commit(stage.mutations())
const diff = stage.get(keys.stateDiff(block.number, block.hash))?.length ?? 0
console.log(`${slots} slots: ${stage.size} keys, diff of ${diff} bytes`)
console.log(`CPU time: ${executed.toFixed(1)} ms to execute and stage, ${cpuMs().toFixed(1)} ms with the commit`)
await kv.close()
rmSync(directory, { recursive: true })

function cpuMs(): number {
  const { user, system } = process.cpuUsage(cpuBefore)
  return (user + system) / 1000
}
