import { describe, expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../../src/base/primitives/bytes.ts'
import { BaseStates, loadTries } from '../../../src/state/baseStates.ts'
import type { StateRoot } from '../../../src/state/contract.ts'
import { EMPTY_STATE_ROOT } from '../../../src/state/emptyRoot.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { Random } from '../../support/host/random.ts'
import { BaseOfMaps, randomBase, remoteBlock } from './baseOfMaps.ts'
import { type NaiveAccounts, NaiveState } from './naiveState.ts'
import { ADDRESSES, randomTransaction, SLOTS, values } from './randomState.ts'

const [FORK_BLOCK, OLDER_BLOCK] = [remoteBlock(100), remoteBlock(99)]
const ROOTS: readonly StateRoot[] = [FORK_BLOCK, OLDER_BLOCK].map((base) => ({ ...EMPTY_STATE_ROOT, base }))
const ZERO_HASH = new Uint8Array(32)

interface States {
  readonly base: BaseOfMaps
  readonly accounts: readonly NaiveAccounts[]
  readonly states: BaseStates
  /** Has the same states. */
  readonly store: StateStore
}

function open(random: Random, proves = true): States {
  const accounts = [randomBase(random), randomBase(random)] as const
  const base = new BaseOfMaps(
    [
      [FORK_BLOCK, accounts[0]],
      [OLDER_BLOCK, accounts[1]],
    ],
    { proves },
  )
  const kv = new MemoryStore()
  return { base, accounts, states: new BaseStates(kv, base), store: new StateStore(kv, { base }) }
}

describe('the states of a base', () => {
  it.each([1, 2, 3, 4, 5, 6])('are read and changed as those of a store without entries, seed %i', async (seed) => {
    await loadTries()
    const random = new Random(seed)
    const { accounts, states, store } = open(random, seed % 2 === 0)
    for (const [at, root] of ROOTS.entries()) {
      const [reader, expected] = [states.reader(root), store.reader(root)]
      for (const address of ADDRESSES.map(hexToBytes)) {
        expect(reader.getAccount(address)).toEqual(expected.getAccount(address))
        expect(reader.getCode(address)).toEqual(expected.getCode(address))
        for (const slot of SLOTS.map(hexToBytes))
          expect(reader.getStorage(address, slot)).toEqual(expected.getStorage(address, slot))
        expect(states.mutable(root).hasStorage(address)).toBe(store.mutable(root).hasStorage(address))
      }
      const roots = [states, store].map((each) => {
        const state = each.mutable(root)
        const model = new NaiveState()
        model.accounts = structuredClone(accounts[at]) as NaiveAccounts
        const transactions = new Random(seed + 100)
        for (let i = 0; i < 3; i++) randomTransaction(transactions, state, model, () => {})
        const after = values(state, model)
        expect(after.mine).toEqual(after.expected)
        const copy = state.fork()
        copy.setNonce(hexToBytes(ADDRESSES[0] as string), 77n)
        return [state.rootHash(), copy.rootHash()].map(bytesToHex)
      })
      expect(roots[0]).toEqual(roots[1])
    }
  })

  it('have no proofs and no lists', () => {
    const reader = open(new Random(1)).states.reader(EMPTY_STATE_ROOT)
    expect(() => reader.prove(ZERO_HASH.subarray(12), [])).toThrow('a proof needs the whole state')
    expect(() => reader.accounts(ZERO_HASH, 1)).toThrow('a list of accounts needs the whole state')
    expect(() => reader.storage(ZERO_HASH.subarray(12), ZERO_HASH, 1)).toThrow('a list of slots needs the whole state')
  })
})
