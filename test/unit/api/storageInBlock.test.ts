import { describe, expect, it } from 'vitest'
import { storageInBlock } from '../../../src/api/storageInBlock.ts'
import { bytesToHex, compareBytes, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import type { MutableState } from '../../../src/state/contract.ts'
import { genesisState } from '../../../src/state/genesisState.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { StagedStore } from '../../../src/storage/stagedStore.ts'
import { StateRecorder } from '../../../src/tracing/stateRecorder.ts'

const ACCOUNT = hexToBytes('aa'.repeat(20))
const OTHER = hexToBytes('bb'.repeat(20))
const START = new Uint8Array(32)
const slot = (n: number): Uint8Array => hexToBytes(n.toString(16).padStart(64, '0'))

/** A state whose account has the slots 1 to 4, with ten times their number as values. */
function stateWithStorage() {
  const kv = new MemoryStore()
  const stage = new StagedStore(kv)
  const storage = [1, 2, 3, 4].map((n) => [slot(n), slot(10 * n)] as const)
  const root = genesisState(stage, [{ address: ACCOUNT, balance: 1n, storage }])
  kv.commit(stage.mutations())
  const store = new StateStore(kv)
  return { before: store.reader(root), state: store.mutable(root) }
}

function merged(change: (state: MutableState) => void, fromHash: Uint8Array = START, limit = 100) {
  const { before, state } = stateWithStorage()
  const recorder = new StateRecorder(state)
  change(recorder)
  return storageInBlock(before, state, [recorder.change()], { account: ACCOUNT, fromHash, limit })
}

const values = (entries: ReturnType<typeof merged>): Record<string, number | undefined> =>
  Object.fromEntries(entries.map((entry) => [String(entry.slot?.[31]), entry.value[31]]))

describe('storage in the middle of a block', () => {
  it('lists existing and newly written slots, in hash order', () => {
    const entries = merged((state) => {
      state.setStorage(ACCOUNT, slot(2), slot(99))
      state.setStorage(ACCOUNT, slot(3), slot(0))
      state.setStorage(ACCOUNT, slot(7), slot(70))
      state.setStorage(OTHER, slot(8), slot(80))
    })
    expect(values(entries)).toEqual({ 1: 10, 2: 99, 4: 40, 7: 70 })
    const hashes = entries.map((entry) => entry.hash)
    expect(hashes).toEqual([...hashes].sort(compareBytes))
  })

  it('starts at a hash and respects the limit', () => {
    const all = merged((state) => state.setStorage(ACCOUNT, slot(7), slot(70)))
    const from = all[2]?.hash ?? START
    const rest = merged((state) => state.setStorage(ACCOUNT, slot(7), slot(70)), from, 2)
    expect(rest.map((entry) => bytesToHex(entry.hash))).toEqual(all.slice(2, 4).map((entry) => bytesToHex(entry.hash)))
    expect(
      all.every((entry) => entry.slot !== undefined && compareBytes(keccak256(entry.slot), entry.hash) === 0),
    ).toBe(true)
  })

  it('handles reverted writes and lost storage', () => {
    const undone = merged((state) => {
      state.checkpoint()
      state.setStorage(ACCOUNT, slot(1), slot(99))
      state.clearStorage(ACCOUNT)
      state.revert()
    })
    expect(values(undone)).toEqual({ 1: 10, 2: 20, 3: 30, 4: 40 })
    const cleared = merged((state) => {
      state.clearStorage(ACCOUNT)
      state.setStorage(ACCOUNT, slot(5), slot(50))
    })
    expect(values(cleared)).toEqual({ 5: 50 })
  })
})
