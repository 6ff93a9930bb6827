import { isEmptyAccount } from '../../evm/emptyAccount.ts'
import { ReadOnlyAccountError } from '../../evm/errors.ts'
import type { Account, StateDB } from '../../evm/stateDb.ts'
import type { WorldState } from '../../state/worldState.ts'

/** The reads of a public state that a private transaction makes. */
export type PublicState = Pick<StateDB, 'getAccount' | 'getCode' | 'getStorage'>

/**
 * The state as a private transaction sees it: the accounts of its group, and behind them the public ones, which are
 * read-only. An account of the group that is empty does not hide a public one.
 */
export class PrivateWorld implements StateDB {
  readonly #own: WorldState
  readonly #public: PublicState

  constructor(own: WorldState, publicState: PublicState) {
    this.#own = own
    this.#public = publicState
  }

  getAccount(address: Uint8Array): Account | undefined {
    const privateAccount = this.#own.getAccount(address)
    if (privateAccount !== undefined && !isEmptyAccount(privateAccount)) return privateAccount
    const shared = this.#public.getAccount(address)
    return shared !== undefined && !isEmptyAccount(shared) ? shared : privateAccount
  }

  getCode(address: Uint8Array): Uint8Array {
    return this.#isPublic(address) ? this.#public.getCode(address) : this.#own.getCode(address)
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.#isPublic(address) ? this.#public.getStorage(address, slot) : this.#own.getStorage(address, slot)
  }

  getOriginalStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.#isPublic(address)
      ? this.#public.getStorage(address, slot)
      : this.#own.getOriginalStorage(address, slot)
  }

  hasStorage(address: Uint8Array): boolean {
    return !this.#isPublic(address) && this.#own.hasStorage(address)
  }

  setBalance(address: Uint8Array, balance: bigint): void {
    this.#writable(address).setBalance(address, balance)
  }

  setNonce(address: Uint8Array, nonce: bigint): void {
    this.#writable(address).setNonce(address, nonce)
  }

  setCode(address: Uint8Array, code: Uint8Array): void {
    this.#writable(address).setCode(address, code)
  }

  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void {
    this.#writable(address).setStorage(address, slot, value)
  }

  clearStorage(address: Uint8Array): void {
    this.#writable(address).clearStorage(address)
  }

  /** A call creates its target in the group: private states keep empty accounts. */
  touch(address: Uint8Array): void {
    if (!this.#isPublic(address)) this.#own.createAccount(address)
  }

  createAccount(address: Uint8Array): void {
    this.touch(address)
  }

  deleteAccount(address: Uint8Array): void {
    this.#writable(address).deleteAccount(address)
  }

  isReadOnly(address: Uint8Array): boolean {
    return this.#isPublic(address)
  }

  checkpoint(): void {
    this.#own.checkpoint()
  }

  endSection(): void {
    this.#own.endSection()
  }

  revert(): void {
    this.#own.revert()
  }

  #isPublic(address: Uint8Array): boolean {
    const privateAccount = this.#own.getAccount(address)
    if (privateAccount !== undefined && !isEmptyAccount(privateAccount)) return false
    const shared = this.#public.getAccount(address)
    return shared !== undefined && !isEmptyAccount(shared)
  }

  #writable(address: Uint8Array): WorldState {
    if (this.#isPublic(address)) throw new ReadOnlyAccountError('the account is public')
    return this.#own
  }
}
