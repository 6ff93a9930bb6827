import { bytesToHex, isZeroBytes, quantity } from '../../base/primitives/bytes.ts'
import type { Account, StateDB } from '../../evm/stateDb.ts'
import type { PreStateAccount } from './input.ts'

interface Recorded {
  account: Account | undefined
  code: Uint8Array | undefined
  readonly storage: Map<string, Uint8Array>
}

/** Forwards everything to a state and records the original value of all that is read or written. */
export class RecordingState implements StateDB {
  readonly #state: StateDB
  readonly #recorded = new Map<string, Recorded>()

  constructor(state: StateDB) {
    this.#state = state
  }

  preState(): Record<string, PreStateAccount> {
    const accounts: Record<string, PreStateAccount> = {}
    for (const [address, { account, code, storage }] of this.#recorded) {
      if (account === undefined) continue
      const slots = [...storage].filter(([, value]) => !isZeroBytes(value))
      accounts[address] = {
        balance: quantity(account.balance),
        nonce: quantity(account.nonce),
        ...(code === undefined || code.length === 0 ? {} : { code: bytesToHex(code) }),
        storage: Object.fromEntries(slots.map(([slot, value]) => [slot, bytesToHex(value)])),
      }
    }
    return accounts
  }

  #record(address: Uint8Array): Recorded {
    const key = bytesToHex(address)
    let recorded = this.#recorded.get(key)
    if (recorded === undefined) {
      const account = this.#state.getAccount(address)
      const code = account === undefined ? undefined : this.#state.getCode(address)
      recorded = { account, code, storage: new Map() }
      this.#recorded.set(key, recorded)
    }
    return recorded
  }

  #recordSlot(address: Uint8Array, slot: Uint8Array): void {
    const { storage } = this.#record(address)
    const key = bytesToHex(slot)
    if (!storage.has(key)) storage.set(key, this.#state.getStorage(address, slot))
  }

  getAccount(address: Uint8Array): Account | undefined {
    this.#record(address)
    return this.#state.getAccount(address)
  }

  getCode(address: Uint8Array): Uint8Array {
    this.#record(address)
    return this.#state.getCode(address)
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    this.#recordSlot(address, slot)
    return this.#state.getStorage(address, slot)
  }

  getOriginalStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    this.#recordSlot(address, slot)
    return this.#state.getOriginalStorage(address, slot)
  }

  hasStorage(address: Uint8Array): boolean {
    return this.#state.hasStorage(address)
  }

  setBalance(address: Uint8Array, balance: bigint): void {
    this.#record(address)
    this.#state.setBalance(address, balance)
  }

  setNonce(address: Uint8Array, nonce: bigint): void {
    this.#record(address)
    this.#state.setNonce(address, nonce)
  }

  setCode(address: Uint8Array, code: Uint8Array): void {
    this.#record(address)
    this.#state.setCode(address, code)
  }

  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void {
    this.#recordSlot(address, slot)
    this.#state.setStorage(address, slot, value)
  }

  clearStorage(address: Uint8Array): void {
    this.#state.clearStorage(address)
  }

  touch(address: Uint8Array): void {
    this.#state.touch(address)
  }

  createAccount(address: Uint8Array): void {
    this.#record(address)
    this.#state.createAccount(address)
  }

  deleteAccount(address: Uint8Array): void {
    this.#record(address)
    this.#state.deleteAccount(address)
  }

  checkpoint(): void {
    this.#state.checkpoint()
  }

  endSection(): void {
    this.#state.endSection()
  }

  revert(): void {
    this.#state.revert()
  }
}
