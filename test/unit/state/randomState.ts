import { hexToBytes } from '../../../src/base/primitives/bytes.ts'
import type { MutableState } from '../../../src/state/contract.ts'
import type { Random } from '../../support/host/random.ts'
import { hexOf, type NaiveState, ZERO } from './naiveState.ts'

const word = (n: number) => `0x${n.toString(16).padStart(64, '0')}`

export const ADDRESSES = Array.from({ length: 8 }, (_, i) => `0x${(i + 1).toString(16).padStart(40, '0')}`)
export const SLOTS = [...Array.from({ length: 5 }, (_, i) => word(i)), `0x${'ab'.repeat(32)}`]
const VALUES = [ZERO, ZERO, word(1), word(0x80), `0x${'ff'.repeat(32)}`]

/**
 * Applies the same random change to the state and to its model. Excludes the RIPEMD-160 address, which has a separate
 * test.
 */
export function changeBoth(random: Random, state: MutableState, model: NaiveState): void {
  const address = random.pick(ADDRESSES.filter((_, i) => i !== 2))
  const bytes = hexToBytes(address)
  switch (random.below(10)) {
    case 0: {
      const nonce = BigInt(random.below(3))
      state.setNonce(bytes, nonce)
      model.account(address).nonce = nonce
      break
    }
    case 1: {
      const balance = random.pick([0n, 1n, 10n ** 18n, 2n ** 200n])
      state.setBalance(bytes, balance)
      model.account(address).balance = balance
      break
    }
    case 2: {
      const code = random.bytes(random.pick([0, 3, 40]))
      state.setCode(bytes, code)
      model.account(address).code = code
      break
    }
    case 3:
      if (random.chance(30)) {
        state.deleteAccount(bytes)
        if (model.accounts.delete(address)) model.touched.add(address)
      } else {
        state.createAccount(bytes)
        model.account(address)
      }
      break
    case 4:
      if (random.chance(30)) {
        state.clearStorage(bytes)
        model.accounts.get(address)?.storage.clear()
      } else {
        state.touch(bytes)
        model.touched.add(address)
      }
      break
    default: {
      const [slot, value] = [random.pick(SLOTS), random.pick(VALUES)]
      state.setStorage(bytes, hexToBytes(slot), hexToBytes(value))
      model.setStorage(address, slot, value)
    }
  }
}

/** One transaction with nested sections. */
export function randomTransaction(
  random: Random,
  state: MutableState,
  model: NaiveState,
  check: (state: MutableState, model: NaiveState) => void,
): void {
  state.beginTransaction()
  model.begin()
  let depth = 0
  for (let step = random.below(40); step >= 0; step--) {
    const action = random.below(100)
    if (action < 12) {
      state.checkpoint()
      model.checkpoint()
      depth++
    } else if (action < 18 && depth > 0) {
      state.endSection()
      model.commit()
      depth--
    } else if (action < 26 && depth > 0) {
      state.revert()
      model.revert()
      depth--
    } else changeBoth(random, state, model)
    if (action > 90) check(state, model)
    if (action > 97) state.rootHash()
  }
  for (; depth > 0; depth--) {
    state.endSection()
    model.commit()
  }
  const selfDestructs = random.chance(20) ? [random.pick(ADDRESSES)] : []
  const clearEmpty = random.chance(70)
  state.endTransaction({ selfDestructs: selfDestructs.map(hexToBytes), clearEmpty })
  model.end(selfDestructs, clearEmpty)
}

export function values(state: MutableState, model: NaiveState) {
  const mine: unknown[] = []
  const expected: unknown[] = []
  for (const address of ADDRESSES) {
    const bytes = hexToBytes(address)
    const account = state.getAccount(bytes)
    const known = model.accounts.get(address)
    mine.push(account && [account.nonce, account.balance], hexOf(state.getCode(bytes)))
    expected.push(known && [known.nonce, known.balance], hexOf(known?.code ?? new Uint8Array(0)))
    for (const slot of SLOTS) {
      mine.push(hexOf(state.getStorage(bytes, hexToBytes(slot))))
      expected.push(model.storageAt(address, slot))
    }
  }
  return { mine, expected }
}
