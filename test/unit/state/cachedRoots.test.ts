/** Roots of committed batches: their nodes stay cached. */
import { describe, expect, it } from 'vitest'
import type { StateRoot } from '../../../src/state/contract.ts'
import { EMPTY_STATE_ROOT } from '../../../src/state/emptyRoot.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { keys } from '../../../src/storage/schema.ts'
import { StagedStore } from '../../../src/storage/stagedStore.ts'

const [TRIE_NODE] = keys.trieNode(0, new Uint8Array(), new Uint8Array())

class CountingStore extends MemoryStore {
  trieReads = 0

  override get(key: Uint8Array): Uint8Array | undefined {
    if (key[0] === TRIE_NODE) this.trieReads++
    return super.get(key)
  }
}

describe('batches of several blocks', () => {
  it('need no stored node that a batch before them has written', async () => {
    const store = new CountingStore()
    const states = new StateStore(store)
    let root: StateRoot = EMPTY_STATE_ROOT
    let version = 0
    for (let batch = 0; batch < 4; batch++) {
      const stage = new StagedStore(store)
      for (let i = 0; i < 3; i++) {
        const state = states.mutable(root, stage)
        for (let account = 1; account < 40; account++) {
          state.beginTransaction()
          state.setStorage(
            new Uint8Array(20).fill(7),
            new Uint8Array(32).fill(account),
            new Uint8Array(32).fill(++version),
          )
          state.setBalance(new Uint8Array(20).fill(7), BigInt(version))
          state.endTransaction({ selfDestructs: [], clearEmpty: true })
        }
        root = state.persist({ version, stage, block: { number: version, hash: new Uint8Array(32).fill(version) } })
      }
      await store.commit(stage.mutations())
    }
    expect(store.trieReads).toBe(0)
  })
})
