import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { EMPTY_CODE_HASH, keccak256 } from '../../../src/base/primitives/keccak.ts'
import { DELETED_ACCOUNT, decodeFlatAccount } from '../../../src/state/account.ts'
import type { StateRoot } from '../../../src/state/contract.ts'
import { EMPTY_STATE_ROOT } from '../../../src/state/emptyRoot.ts'
import { deleteErasedSlots } from '../../../src/state/erasedStorage.ts'
import { obsoleteNodes } from '../../../src/state/obsoleteNodes.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import type { WorldState } from '../../../src/state/worldState.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { keys } from '../../../src/storage/schema.ts'
import { StagedStore } from '../../../src/storage/stagedStore.ts'
import { retryMisses } from '../../support/chains/lossyReader.ts'
import { runToEnd } from '../../support/host/runToEnd.ts'
import { BaseOfMaps, type BaseOptions, remoteBlock } from './baseOfMaps.ts'
import type { NaiveAccount, NaiveAccounts } from './naiveState.ts'

const word = (n: number) => Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? n : 0))
const CONTRACT = `0x${'c0'.repeat(20)}`
const EOA = `0x${'e0'.repeat(20)}`
const [contract, eoa, nobody] = [hexToBytes(CONTRACT), hexToBytes(EOA), new Uint8Array(20)]
const CODE = Uint8Array.of(0x60, 1, 0x60, 2)
const FORK_BLOCK = remoteBlock(100)
const OLDER_BLOCK = remoteBlock(99)
const FORK_ROOT: StateRoot = { ...EMPTY_STATE_ROOT, base: FORK_BLOCK }
const OLDER_ROOT: StateRoot = { ...EMPTY_STATE_ROOT, base: OLDER_BLOCK }

function accounts(balance: bigint): NaiveAccounts {
  const storage = new Map([[bytesToHex(word(1)), bytesToHex(word(11))]])
  const held: [string, NaiveAccount][] = [
    [CONTRACT, { nonce: 1n, balance, code: CODE, storage }],
    [EOA, { nonce: 0n, balance, code: new Uint8Array(0), storage: new Map() }],
  ]
  return new Map(held)
}

class Fork {
  readonly kv = new MemoryStore()
  readonly base: BaseOfMaps
  readonly states: StateStore
  #version = 0

  constructor(options: BaseOptions = {}) {
    this.base = new BaseOfMaps(
      [
        [FORK_BLOCK, accounts(500n)],
        [OLDER_BLOCK, accounts(400n)],
      ],
      options,
    )
    this.states = new StateStore(this.kv, { base: this.base })
  }

  commit(parent: StateRoot, change: (state: WorldState) => void): StateRoot {
    const stage = new StagedStore(this.kv)
    const state = this.states.mutable(parent, stage)
    retryMisses(() => change(state))
    const version = ++this.#version
    const root = state.persist({ version, stage, block: { number: 100 + version, hash: word(version) } })
    this.kv.commit(stage.mutations())
    return root
  }

  reopened(): StateStore {
    return new StateStore(this.kv, { base: this.base })
  }
}

describe('a state over a base', () => {
  it('reads the base where nothing is stored, at the block of the state', () => {
    const { states } = new Fork()
    const [here, before] = [states.reader(FORK_ROOT), states.reader(OLDER_ROOT)]
    expect(here.getAccount(contract)).toMatchObject({ nonce: 1n, balance: 500n, codeHash: keccak256(CODE) })
    expect(before.getAccount(contract)?.balance).toBe(400n)
    expect(here.getAccount(eoa)?.codeHash).toEqual(EMPTY_CODE_HASH)
    expect(here.getAccount(nobody)).toBeUndefined()
    expect(here.getCode(contract)).toEqual(CODE)
    expect(here.getStorage(contract, word(1))).toEqual(word(11))
    expect(here.getStorage(contract, word(2))).toEqual(word(0))
  })

  it('leaves states before the fork block as they are when the local chain goes on', () => {
    const fork = new Fork()
    const first = fork.commit(FORK_ROOT, (state) => {
      state.setBalance(contract, 1n)
      state.setStorage(contract, word(1), word(12))
    })
    const before = fork.states.reader(OLDER_ROOT)
    expect([before.getAccount(contract)?.balance, before.getStorage(contract, word(1))]).toEqual([400n, word(11)])
    const here = fork.states.reader(FORK_ROOT)
    expect([here.getAccount(contract)?.balance, here.getStorage(contract, word(1))]).toEqual([500n, word(11)])
    const after = fork.states.reader(first)
    expect([after.getAccount(contract)?.balance, after.getStorage(contract, word(1))]).toEqual([1n, word(12)])
  })

  it('builds a state in memory on a state before the fork block', () => {
    const { states } = new Fork()
    const state = states.mutable(OLDER_ROOT)
    state.setBalance(eoa, 3n)
    const reader = states.reader(states.detach(state))
    expect(reader.getAccount(eoa)?.balance).toBe(3n)
    expect(reader.getAccount(contract)?.balance).toBe(400n)
    expect(states.reader(FORK_ROOT).getAccount(eoa)?.balance).toBe(500n)
    expect(states.reader(states.detach(states.mutable(OLDER_ROOT))).getAccount(eoa)?.balance).toBe(400n)
  })

  it('stores nothing when a block changes nothing', () => {
    const fork = new Fork()
    const root = fork.commit(FORK_ROOT, (state) => {
      state.setBalance(eoa, 7n)
      state.setStorage(contract, word(1), word(9))
      state.rootHash()
      state.setBalance(eoa, 500n)
      state.setStorage(contract, word(1), word(11))
      state.touch(contract)
    })
    expect(root).toEqual(EMPTY_STATE_ROOT)
    expect(fork.states.storedAccounts(root, word(0), 10)).toEqual([])
    expect(fork.kv.get(keys.flatAccount(keccak256(eoa)))).toBeUndefined()
  })

  it('keeps deleted accounts and cleared slots from the base', () => {
    const fork = new Fork()
    const zeroed = fork.commit(FORK_ROOT, (state) => state.setStorage(contract, word(1), word(0)))
    const deleted = fork.commit(zeroed, (state) => {
      state.deleteAccount(contract)
      state.deleteAccount(eoa)
    })
    const again = fork.commit(deleted, (state) => state.setBalance(contract, 2n))
    fork.base.queries = []
    for (const states of [fork.states, fork.reopened()]) {
      expect(states.reader(zeroed).getStorage(contract, word(1))).toEqual(word(0))
      expect(states.reader(deleted).getAccount(contract)).toBeUndefined()
      expect(states.reader(deleted).getCode(contract)).toHaveLength(0)
      expect(states.reader(again).getAccount(contract)).toMatchObject({ nonce: 0n, codeHash: EMPTY_CODE_HASH })
      expect(states.reader(again).getStorage(contract, word(1))).toEqual(word(0))
      expect(states.reader(again).getAccount(eoa)).toBeUndefined()
    }
    expect(fork.base.queries).toEqual([])
    const flat = fork.kv.get(keys.flatAccount(keccak256(eoa)))
    expect(flat && decodeFlatAccount(flat)).toBe(DELETED_ACCOUNT)
  })

  it('keeps the code of the base when the storage is cleared', () => {
    const fork = new Fork()
    const root = fork.commit(FORK_ROOT, (state) => state.clearStorage(contract))
    const reader = fork.reopened().reader(root)
    expect(reader.getCode(contract)).toEqual(CODE)
    expect(reader.getStorage(contract, word(1))).toEqual(word(0))
  })

  it('deletes the slots of a local storage that was erased, and keeps the rest of the state', () => {
    const fork = new Fork()
    const written = fork.commit(FORK_ROOT, (state) => state.setStorage(contract, word(2), word(5)))
    const cleared = fork.commit(written, (state) => state.clearStorage(contract))
    const stage = new StagedStore(fork.kv)
    while (deleteErasedSlots(stage, 1000));
    fork.kv.commit(stage.mutations())
    for (const slot of [1, 2]) expect(fork.reopened().reader(cleared).getStorage(contract, word(slot))).toEqual(word(0))
    expect(fork.reopened().reader(written).getStorage(contract, word(2))).toEqual(word(5))
  })

  it('is pruned like any other state', () => {
    const fork = new Fork()
    const first = fork.commit(FORK_ROOT, (state) => state.setStorage(contract, word(2), word(5)))
    const second = fork.commit(first, (state) => {
      state.setStorage(contract, word(1), word(0))
      state.deleteAccount(eoa)
    })
    for (const older of [FORK_ROOT, first]) {
      runToEnd(obsoleteNodes(fork.kv, older, [second], (key) => fork.kv.commit([{ key, value: undefined }])))
    }
    const reader = fork.reopened().reader(second)
    expect(reader.getStorage(contract, word(2))).toEqual(word(5))
    expect(reader.getStorage(contract, word(1))).toEqual(word(0))
    expect(reader.getAccount(eoa)).toBeUndefined()
    expect(() => fork.reopened().reader(first).getAccount(contract)).toThrow(
      expect.objectContaining({ code: 'MISSING_TRIE_NODE' }),
    )
  })

  it('lists what is stored', () => {
    const fork = new Fork()
    const root = fork.commit(FORK_ROOT, (state) => {
      state.setStorage(contract, word(1), word(0))
      state.setStorage(contract, word(2), word(5))
      state.deleteAccount(eoa)
      state.setBalance(nobody, 1n)
    })
    const stored = fork.states.storedAccounts(root, word(0), 10)
    expect(new Map(stored.map(({ address, account }) => [address && bytesToHex(address), account]))).toMatchObject(
      new Map<string, object>([
        [CONTRACT, { balance: 500n, fromBase: 'slots' }],
        [EOA, DELETED_ACCOUNT],
        [bytesToHex(nobody), { balance: 1n }],
      ]),
    )
    const slots = fork.states.storedSlots(root, contract, word(0), 10).map(({ slot, value }) => [slot, value])
    expect(slots).toHaveLength(2)
    expect(slots).toEqual(
      expect.arrayContaining([
        [word(1), word(0)],
        [word(2), word(5)],
      ]),
    )
  })

  it('refuses what needs the whole state', () => {
    const reader = new Fork().states.reader(FORK_ROOT)
    for (const request of [
      () => reader.prove(contract, []),
      () => reader.accounts(word(0), 1),
      () => reader.storage(contract, word(0), 1),
    ]) {
      expect(request).toThrow(expect.objectContaining({ code: 'FORK_UNSUPPORTED' }))
    }
  })

  it('refuses a state of another chain without a base', () => {
    const fork = new Fork()
    const root = fork.commit(FORK_ROOT, (state) => state.setBalance(contract, 1n))
    const alone = new StateStore(fork.kv)
    for (const request of [
      () => alone.reader(FORK_ROOT),
      () => alone.mutable(OLDER_ROOT),
      () => alone.reader(root).getStorage(contract, word(1)),
    ]) {
      expect(request).toThrow(expect.objectContaining({ code: 'FORK_UNSUPPORTED' }))
    }
  })
})

describe('hasStorage over a base', () => {
  const hasStorage = (options: BaseOptions, change: (state: WorldState) => void = () => {}): boolean[] => {
    const fork = new Fork(options)
    const root = fork.commit(FORK_ROOT, change)
    return [contract, eoa, nobody].map((address) => {
      const state = fork.reopened().mutable(root)
      return retryMisses(() => state.hasStorage(address))
    })
  }

  it('compares the storage root that the base has', () => {
    expect(hasStorage({ misses: true })).toEqual([true, false, false])
    expect(hasStorage({}, (state) => state.setBalance(contract, 1n))).toEqual([true, false, false])
  })

  it('takes an account without nonce and code for one without storage where the root is not known', () => {
    expect(hasStorage({ proves: false })).toEqual([true, false, false])
  })

  it('counts the slots that are stored', () => {
    expect(hasStorage({}, (state) => state.setStorage(eoa, word(1), word(2)))).toEqual([true, true, false])
    expect(hasStorage({}, (state) => state.clearStorage(contract))).toEqual([false, false, false])
    const fork = new Fork()
    const set = fork.commit(FORK_ROOT, (state) => state.setStorage(eoa, word(1), word(2)))
    const zeroed = fork.commit(set, (state) => state.setStorage(eoa, word(1), word(0)))
    expect(fork.states.mutable(zeroed).hasStorage(eoa)).toBe(false)
  })
})
