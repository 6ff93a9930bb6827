import { describe, expect, it } from 'vitest'
import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { MutableState } from '../../../src/state/contract.ts'
import { genesisState } from '../../../src/state/genesisState.ts'
import { StateStore } from '../../../src/state/stateStore.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { StagedStore } from '../../../src/storage/stagedStore.ts'
import type { TraceState } from '../../../src/tracing/contract.ts'
import { applyChange } from '../../../src/tracing/stateChange.ts'
import { StateRecorder } from '../../../src/tracing/stateRecorder.ts'
import { Random } from '../../support/host/random.ts'
import { NaiveState } from '../state/naiveState.ts'
import { ADDRESSES, randomTransaction, SLOTS } from '../state/randomState.ts'

const nothing = (): void => {}

/** Two equal states; some accounts, code and storage are already stored. */
function statesWithStorage(random: Random): { state: MutableState; copy: MutableState } {
  const kv = new MemoryStore()
  const stage = new StagedStore(kv)
  const root = genesisState(
    stage,
    ADDRESSES.filter(() => random.chance(50)).map((address) => ({
      address: hexToBytes(address),
      balance: BigInt(random.below(3)),
      code: random.bytes(random.pick([0, 5])),
      storage: SLOTS.filter(() => random.chance(50)).map((slot) => [hexToBytes(slot), random.bytes(32)] as const),
    })),
  )
  kv.commit(stage.mutations())
  const store = new StateStore(kv)
  return { state: store.mutable(root), copy: store.mutable(root) }
}

function seen(state: TraceState): unknown[] {
  return ADDRESSES.flatMap((address) => {
    const bytes = hexToBytes(address)
    const account = state.getAccount(bytes)
    const slots = SLOTS.map((slot) => Array.from(state.getStorage(bytes, hexToBytes(slot))).join())
    return [account && [account.nonce, account.balance], Array.from(state.getCode(bytes)).join(), slots]
  })
}

describe('StateRecorder', () => {
  it('knows the initial state, and the change to the final one', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = new Random(seed)
      const model = new NaiveState()
      const { state, copy } = statesWithStorage(random)
      for (let transaction = 0; transaction < 6; transaction++) {
        const before = seen(state)
        const recorder = new StateRecorder(state)
        recorder.beginTransaction()
        randomTransaction(random, recorder, model, nothing)
        expect(seen(recorder.before), `seed ${seed}, transaction ${transaction}`).toEqual(before)
        expect(seen(recorder.now)).toEqual(seen(state))
        applyChange(copy, recorder.change())
        copy.beginTransaction()
        expect(seen(copy), `seed ${seed}, transaction ${transaction}`).toEqual(seen(state))
      }
      expect(copy.rootHash()).toEqual(state.rootHash())
    }
  })
})
