// slow: generated states
import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../../../src/base/primitives/keccak.ts'
import type { MutableState } from '../../../src/state/contract.ts'
import { EMPTY_STATE_ROOT } from '../../../src/state/emptyRoot.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import type { WorldState } from '../../../src/state/worldState.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { StagedStore } from '../../../src/storage/stagedStore.ts'
import { LossyReader, retryMisses } from '../../support/chains/lossyReader.ts'
import { Random } from '../../support/host/random.ts'
import { runToEnd } from '../../support/host/runToEnd.ts'
import { hexOf, NaiveState } from './naiveState.ts'
import { ADDRESSES, randomTransaction, SLOTS, values } from './randomState.ts'

const [A = '', B = ''] = ADDRESSES
const [SLOT = ''] = SLOTS
const a = hexToBytes(A)
const slot = hexToBytes(SLOT)
const word = (n: number) => Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? n : 0))

const emptyState = (): WorldState => new StateStore(new MemoryStore()).mutable(EMPTY_STATE_ROOT)

function expectSame(state: MutableState, model: NaiveState): void {
  const { mine, expected } = values(state, model)
  expect(mine).toEqual(expected)
}

function expectOriginals(state: MutableState, model: NaiveState): void {
  expectSame(state, model)
  for (const address of ADDRESSES) {
    for (const name of SLOTS) {
      const original = state.getOriginalStorage(hexToBytes(address), hexToBytes(name))
      expect(hexOf(original)).toBe(model.originalAt(address, name))
    }
  }
}

/** Repeats every call until no data is missing. */
function retrying(state: WorldState): WorldState {
  return new Proxy(state, {
    get: (target, name) => {
      const member = Reflect.get(target, name, target) as unknown
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => retryMisses(() => (member as (...all: unknown[]) => unknown).apply(target, args))
    },
  })
}

describe('WorldState', () => {
  for (const isLossy of [false, true]) {
    it(`agrees with the model over transactions and blocks${isLossy ? ', over a store that misses' : ''}`, () => {
      for (let seed = 1; seed <= (isLossy ? 6 : 16); seed++) {
        const random = new Random(seed)
        const kv = new MemoryStore()
        let model = new NaiveState()
        let root = EMPTY_STATE_ROOT
        let states = new StateStore(kv, { nodeCacheBytes: random.pick([0, 5000, 1_000_000]) })
        for (let block = 1; block <= 6; block++) {
          if (isLossy) states = new StateStore(new LossyReader(kv), { nodeCacheBytes: random.pick([0, 100_000]) })
          const stage = new StagedStore(isLossy ? new LossyReader(kv) : kv)
          let state = isLossy ? retrying(states.mutable(root, stage)) : states.mutable(root, stage)
          for (let transaction = random.below(4); transaction >= 0; transaction--) {
            randomTransaction(random, state, model, expectOriginals)
            expectSame(state, model)
            if (random.chance(50)) expect(hexOf(state.rootHash())).toBe(hexOf(model.root()))
            if (random.chance(20)) {
              const fork = isLossy ? retrying(state.fork()) : state.fork()
              const forkModel = model.copy()
              randomTransaction(random, fork, forkModel, expectOriginals)
              expect(hexOf(fork.rootHash())).toBe(hexOf(forkModel.root()))
              if (random.chance(50)) {
                state = fork
                model = forkModel
              }
            }
          }
          const id = { number: block, hash: word(block) }
          root = state.persist({ version: block, stage, block: id })
          expect(hexOf(root.hash)).toBe(hexOf(model.root()))
          if (random.chance(30)) expectSame(retrying(states.mutable(root, stage)), model)
          kv.commit(stage.mutations())
          expect(hexOf(runToEnd(new StateStore(kv).recomputeRoot(root)))).toBe(hexOf(root.hash))
          expectSame(retrying(states.mutable(root)), model)
        }
      }
    })
  }

  it('is initially empty', () => {
    const state = emptyState()
    expect(state.getAccount(a)).toBeUndefined()
    expect(state.getCode(a)).toEqual(new Uint8Array(0))
    expect(state.getStorage(a, slot)).toEqual(word(0))
    expect(state.getOriginalStorage(a, slot)).toEqual(word(0))
    expect(state.hasStorage(a)).toBe(false)
    expect(state.rootHash()).toEqual(EMPTY_TRIE_ROOT)
  })

  it('reports whether an account has storage', () => {
    const kv = new MemoryStore()
    const states = new StateStore(kv)
    const stage = new StagedStore(kv)
    const first = states.mutable(EMPTY_STATE_ROOT, stage)
    first.setStorage(a, slot, word(1))
    expect(first.hasStorage(a)).toBe(true)
    first.setStorage(a, slot, word(0))
    expect(first.hasStorage(a)).toBe(false)
    first.setStorage(a, slot, word(2))
    const root = first.persist({ version: 1, stage })
    const second = states.mutable(root, stage)
    expect(second.hasStorage(a)).toBe(true)
    second.checkpoint()
    second.clearStorage(a)
    expect(second.hasStorage(a)).toBe(false)
    expect(second.getOriginalStorage(a, slot)).toEqual(word(2))
    second.revert()
    expect(second.hasStorage(a)).toBe(true)
    second.deleteAccount(a)
    second.beginTransaction()
    expect(second.hasStorage(a)).toBe(false)
    expect(second.getOriginalStorage(a, slot)).toEqual(word(0))
  })

  it('keeps untouched empty accounts, and all empty accounts before EIP-161', () => {
    const state = emptyState()
    state.beginTransaction()
    state.createAccount(a)
    state.endTransaction({ selfDestructs: [], clearEmpty: false })
    state.beginTransaction()
    state.getAccount(a)
    state.endTransaction({ selfDestructs: [], clearEmpty: true })
    expect(state.getAccount(a)).toBeDefined()
    state.beginTransaction()
    state.touch(a)
    state.endTransaction({ selfDestructs: [], clearEmpty: true })
    expect(state.getAccount(a)).toBeUndefined()
  })

  it('clears a touched RIPEMD-160 account even when its frame failed, and no other', () => {
    const ripemd = hexToBytes(`0x${'00'.repeat(19)}03`)
    const state = emptyState()
    state.createAccount(ripemd)
    state.createAccount(a)
    state.beginTransaction()
    state.checkpoint()
    state.touch(ripemd)
    state.touch(a)
    state.revert()
    state.endTransaction({ selfDestructs: [], clearEmpty: true })
    expect(state.getAccount(ripemd)).toBeUndefined()
    expect(state.getAccount(a)).toBeDefined()
  })

  it('keeps an empty RIPEMD-160 account that received value in a failed frame', () => {
    const ripemd = hexToBytes(`0x${'00'.repeat(19)}03`)
    const state = emptyState()
    state.createAccount(ripemd)
    state.beginTransaction()
    state.checkpoint()
    state.setBalance(ripemd, 1n)
    state.touch(ripemd)
    state.revert()
    state.endTransaction({ selfDestructs: [], clearEmpty: true })
    expect(state.getAccount(ripemd)).toBeDefined()
  })

  it('restores the base after reverted changes, and keeps its root', () => {
    const kv = new MemoryStore()
    const states = new StateStore(kv)
    const stage = new StagedStore(kv)
    const first = states.mutable(EMPTY_STATE_ROOT, stage)
    first.setBalance(a, 5n)
    first.setStorage(a, slot, word(9))
    const root = first.persist({ version: 1, stage })
    const second = states.mutable(root, stage)
    second.checkpoint()
    second.setStorage(a, slot, word(1))
    second.clearStorage(a)
    second.setStorage(a, hexToBytes(SLOTS[1] ?? ''), word(3))
    second.rootHash()
    second.revert()
    expect(second.rootHash()).toEqual(root.hash)
    expect(second.getStorage(a, slot)).toEqual(word(9))
  })

  it('writes nothing new for a state that did not change', () => {
    const kv = new MemoryStore()
    const states = new StateStore(kv)
    const stage = new StagedStore(kv)
    const first = states.mutable(EMPTY_STATE_ROOT, stage)
    first.setBalance(a, 5n)
    first.setStorage(a, slot, word(9))
    const root = first.persist({ version: 1, stage })
    const second = states.mutable(root, stage)
    second.setBalance(a, 5n)
    second.setStorage(a, slot, word(9))
    second.touch(hexToBytes(B))
    expect(second.persist({ version: 2, stage })).toEqual(root)
  })
})
