import { describe, expect, it } from 'vitest'
import type { KeyValueReader } from '../../../src/base/ports/keyValueStore.ts'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import type { StateRoot } from '../../../src/state/contract.ts'
import { EMPTY_STATE_ROOT } from '../../../src/state/emptyRoot.ts'
import { obsoleteNodes } from '../../../src/state/obsoleteNodes.ts'
import { recomputeStateRoot } from '../../../src/state/recomputeRoot.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Column } from '../../../src/storage/schema.ts'
import { StagedStore } from '../../../src/storage/stagedStore.ts'
import { Random } from '../../support/host/random.ts'
import { runToEnd } from '../../support/host/runToEnd.ts'
import { NaiveState } from './naiveState.ts'
import { randomTransaction } from './randomState.ts'

const NODES = Uint8Array.of(Column.trieNode)

function word(n: number): Uint8Array {
  return hexToBytes(`0x${n.toString(16).padStart(64, '0')}`)
}

/** Keys of all nodes of a state, by a walk that knows nothing of other states. */
function nodesOf(kv: MemoryStore, root: StateRoot): Set<string> {
  const read = new Set<string>()
  const reader: KeyValueReader = {
    get: (key) => {
      read.add(bytesToHex(key))
      return kv.get(key)
    },
    getMany: (keys) => kv.getMany(keys),
    range: (options) => kv.range(options),
  }
  expect(runToEnd(recomputeStateRoot(reader, root))).toEqual(root.hash)
  return read
}

function storedNodes(kv: MemoryStore): Set<string> {
  return new Set([...kv.range({ prefix: NODES })].map(([key]) => bytesToHex(key)))
}

function obsolete(kv: MemoryStore, older: StateRoot, newer: readonly StateRoot[]): Uint8Array[] {
  const found: Uint8Array[] = []
  runToEnd(obsoleteNodes(kv, older, newer, (key) => found.push(key)))
  return found
}

function remove(kv: MemoryStore, keys: readonly Uint8Array[]): void {
  kv.commit(keys.map((key) => ({ key, value: undefined })))
}

/** Many accounts in few branches, so that leaves move between depths. */
function changeMany(
  random: Random,
  states: StateStore,
  parent: StateRoot,
  version: number,
  kv: MemoryStore,
): StateRoot {
  const stage = new StagedStore(kv)
  const state = states.mutable(parent, stage)
  for (let i = 0; i < 12; i++) {
    const address = keccak256(word(random.below(60))).subarray(12)
    if (random.chance(25)) state.deleteAccount(address)
    else {
      state.setBalance(address, BigInt(random.below(1000) + 1))
      for (let j = random.below(6); j > 0; j--) {
        state.setStorage(address, word(random.below(30)), word(random.chance(40) ? 0 : random.below(9)))
      }
    }
  }
  const root = state.persist({ version, stage, block: { number: version, hash: word(version) } })
  kv.commit(stage.mutations())
  return root
}

describe('obsoleteNodes', () => {
  it('names exactly the nodes of a state that the next one lacks, over chains of random states', () => {
    for (let seed = 1; seed <= 4; seed++) {
      const random = new Random(seed)
      const kv = new MemoryStore()
      const states = new StateStore(kv, { nodeCacheBytes: 0 })
      let parent = EMPTY_STATE_ROOT
      for (let version = 1; version <= 25; version++) {
        const root = changeMany(random, states, parent, version, kv)
        const kept = nodesOf(kv, root)
        const expected = [...nodesOf(kv, parent)].filter((key) => !kept.has(key))
        const found = obsolete(kv, parent, [root])
        expect(new Set(found.map(bytesToHex))).toEqual(new Set(expected))
        expect(found.length).toBe(expected.length)
        remove(kv, found)
        expect(storedNodes(kv)).toEqual(kept)
        parent = root
      }
    }
  })

  it('keeps what any of several newer states has, such as the amended states of a block', () => {
    for (let seed = 1; seed <= 10; seed++) {
      const random = new Random(seed)
      const kv = new MemoryStore()
      const states = new StateStore(kv, { nodeCacheBytes: 0 })
      const first = changeMany(random, states, EMPTY_STATE_ROOT, 1, kv)
      const second = changeMany(random, states, first, 2, kv)
      const newer = [second]
      for (let version = 3; version <= 6; version++) {
        newer.push(changeMany(random, states, random.pick([first, ...newer]), version, kv))
      }
      remove(kv, obsolete(kv, first, newer))
      const kept = new Set(newer.flatMap((root) => [...nodesOf(kv, root)]))
      expect(storedNodes(kv)).toEqual(kept)
    }
  })

  it('finds the rest after an interrupted deletion', () => {
    for (let seed = 1; seed <= 10; seed++) {
      const random = new Random(seed)
      const kv = new MemoryStore()
      const states = new StateStore(kv, { nodeCacheBytes: 0 })
      const older = changeMany(random, states, EMPTY_STATE_ROOT, 1, kv)
      const newer = changeMany(random, states, older, 2, kv)
      const found = obsolete(kv, older, [newer])
      remove(kv, found.slice(0, random.below(found.length)))
      remove(kv, obsolete(kv, older, [newer]))
      expect(storedNodes(kv)).toEqual(nodesOf(kv, newer))
    }
  })

  it('follows accounts that are created, destroyed and emptied', () => {
    for (let seed = 1; seed <= 6; seed++) {
      const random = new Random(seed)
      const kv = new MemoryStore()
      const states = new StateStore(kv)
      const model = new NaiveState()
      let parent = EMPTY_STATE_ROOT
      for (let version = 1; version <= 20; version++) {
        const stage = new StagedStore(kv)
        const state = states.mutable(parent, stage)
        randomTransaction(random, state, model, () => {})
        const root = state.persist({ version, stage, block: { number: version, hash: word(version) } })
        kv.commit(stage.mutations())
        remove(kv, obsolete(kv, parent, [root]))
        expect(storedNodes(kv)).toEqual(nodesOf(kv, root))
        parent = root
      }
    }
  })

  it('removes everything when the next state is empty', () => {
    const kv = new MemoryStore()
    const root = changeMany(new Random(1), new StateStore(kv), EMPTY_STATE_ROOT, 1, kv)
    remove(kv, obsolete(kv, root, [EMPTY_STATE_ROOT]))
    expect(storedNodes(kv).size).toBe(0)
  })
})
