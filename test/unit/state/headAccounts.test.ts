import { describe, expect, it } from 'vitest'
import { RECENT_STATE_ACCOUNTS, RECENT_STATE_SLOTS, STATE_ENTRY_BYTES } from '../../../src/base/limits/limits.ts'
import { bigIntToBytes, padLeft } from '../../../src/base/primitives/bytes.ts'
import type { StateRoot } from '../../../src/state/contract.ts'
import { EMPTY_STATE_ROOT } from '../../../src/state/emptyRoot.ts'
import { StateStore, type StateStoreOptions } from '../../../src/state/stateStore.ts'
import type { WorldState } from '../../../src/state/worldState.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Column } from '../../../src/storage/schema.ts'
import { StagedStore } from '../../../src/storage/stagedStore.ts'

const ENTRIES: ReadonlySet<number | undefined> = new Set([
  Column.flatAccount,
  Column.flatStorage,
  Column.flatIncarnation,
])

/** Counts the reads of accounts and slots. */
class CountingStore extends MemoryStore {
  reads = 0
  nodeReads = 0

  override get(key: Uint8Array): Uint8Array | undefined {
    if (ENTRIES.has(key[0])) this.reads++
    if (key[0] === Column.trieNode) this.nodeReads++
    return super.get(key)
  }
}

const address = (number: number): Uint8Array => padLeft(bigIntToBytes(BigInt(number)), 20)
const word = (number: number): Uint8Array => padLeft(bigIntToBytes(BigInt(number)), 32)

/** A chain of states, each of which becomes the head. */
class States {
  readonly kv = new CountingStore()
  readonly states: StateStore
  root: StateRoot = EMPTY_STATE_ROOT
  #version = 0

  constructor(memory?: StateStoreOptions['memory']) {
    this.states = new StateStore(this.kv, { memory })
  }

  block(change: (state: WorldState) => void, selfDestructs: readonly Uint8Array[] = []): void {
    const version = ++this.#version
    const stage = new StagedStore(this.kv)
    const state = this.states.mutable(this.root, stage)
    state.beginTransaction()
    change(state)
    state.endTransaction({ selfDestructs, clearEmpty: true })
    this.root = state.persist({ version, stage, block: { number: version, hash: word(version) } })
    this.kv.commit(stage.mutations())
  }

  nodeReadsOf(work: () => void): number {
    const before = this.kv.nodeReads
    work()
    return this.kv.nodeReads - before
  }

  /** Reads of the store. */
  readsOf(work: () => void): number {
    const before = this.kv.reads
    work()
    return this.kv.reads - before
  }

  balance(number: number): bigint | undefined {
    return this.states.reader(this.root).getAccount(address(number))?.balance
  }

  slot(account: number, slot: number): number {
    return this.states.reader(this.root).getStorage(address(account), word(slot))[31] as number
  }
}

function fund(state: WorldState, account: number): void {
  state.setBalance(address(account), BigInt(account))
}

describe('accounts and slots of the newest state', () => {
  it('stay in memory when many others are read', () => {
    const chain = new States()
    chain.block((state) => {
      fund(state, 1)
      state.setStorage(address(1), word(1), word(5))
    })
    for (let i = 0; i < 2 * RECENT_STATE_ACCOUNTS; i++) {
      chain.balance(1000 + i)
      const reads = chain.readsOf(() => chain.balance(1))
      if (reads > 0) throw new Error(`account 1 is read again after ${i} others`)
    }
    for (let i = 0; i < 2 * RECENT_STATE_SLOTS; i++) {
      chain.slot(i % 3, 1000 + i)
      const reads = chain.readsOf(() => chain.slot(1, 1))
      if (reads > 0) throw new Error(`slot 1 is read again after ${i} others`)
    }
    expect([chain.balance(1), chain.slot(1, 1)]).toEqual([1n, 5])
  })

  it('are bounded', () => {
    const chain = new States()
    const contracts = [1, 2, 3, 4, 5]
    chain.block((state) => {
      for (const contract of contracts) {
        fund(state, contract)
        state.setStorage(address(contract), word(1), word(1))
      }
    })
    for (let i = 0; i < 2 * RECENT_STATE_ACCOUNTS; i++) chain.balance(1000 + i)
    for (let i = 0; i < 2 * RECENT_STATE_SLOTS; i++) chain.slot(1 + (i % 5), i)
    const read = chain.readsOf(() => {
      for (let i = 0; i < 2 * RECENT_STATE_ACCOUNTS; i++) chain.balance(1000 + i)
      for (let i = 0; i < 2 * RECENT_STATE_SLOTS; i++) chain.slot(1 + (i % 5), i)
    })
    expect(read).toBe(2 * (RECENT_STATE_ACCOUNTS + RECENT_STATE_SLOTS) + contracts.length)
  })

  it('share their memory with older states that are read repeatedly, each in its bound', () => {
    const bytes = 96 * STATE_ENTRY_BYTES
    const chain = new States({ nodes: 0, codes: 0, hotState: bytes, recentStates: 4 * bytes })
    chain.block((state) => fund(state, 1))
    const older = chain.states.reader(chain.root)
    const readAll = (state = chain.states.reader(chain.root)): void => {
      for (let i = 0; i < 200; i++) state.getAccount(address(1000 + i))
    }
    readAll()
    expect(chain.readsOf(readAll)).toBe(200)
    chain.block((state) => fund(state, 2))
    readAll(older)
    const missed = chain.nodeReadsOf(() => readAll(older))
    expect(missed).toBeGreaterThan(0)
  })

  it('stay in memory when another account is destroyed, whose slots are forgotten', () => {
    const chain = new States()
    chain.block((state) => {
      for (const account of [1, 2]) {
        fund(state, account)
        state.setStorage(address(account), word(1), word(5))
      }
    })
    expect([chain.slot(1, 1), chain.slot(2, 1), chain.slot(2, 2)]).toEqual([5, 5, 0])
    chain.block(() => {}, [address(1)])
    const reads = chain.readsOf(() =>
      expect([chain.slot(2, 1), chain.slot(2, 2), chain.balance(2)]).toEqual([5, 0, 2n]),
    )
    expect(reads).toBe(0)
    expect([chain.slot(1, 1), chain.balance(1)]).toEqual([0, undefined])
  })
})
