/**
 * Records all writes to a state: for tracers that compare before and after, and as a change that can be applied again
 * without executing anything.
 * @module
 */

import { EMPTY_BYTES, equalBytes } from '../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../base/primitives/keccak.ts'
import type { Account } from '../evm/stateDb.ts'
import { ByteTable } from '../state/byteTable.ts'
import type { MutableState } from '../state/contract.ts'
import type { ChangedAccount, TraceState } from './contract.ts'
import type { AccountChange, StateChange } from './stateChange.ts'

interface Recorded {
  readonly address: Uint8Array
  /** The account before its first write. */
  readonly account: Account | undefined
  /** The code before the first write that changes it; undefined when unchanged or absent. */
  code: Uint8Array | undefined
  /** How many times the whole storage was cleared, not counting reverted clears. */
  clears: number
  readonly slots: Uint8Array[]
}

const ADDRESS_BYTES = 20
const SLOT_BYTES = 32

/**
 * Forwards everything to a state. Reverting a write does not remove its record.
 *
 * It may span any number of transactions, but `before` returns storage as of the beginning of the last one.
 */
export class StateRecorder implements MutableState {
  readonly #state: MutableState
  readonly #addresses = new ByteTable(ADDRESS_BYTES)
  readonly #slots = new ByteTable(SLOT_BYTES)
  readonly #recorded: Recorded[] = []
  /**
   * Accounts whose storage was cleared in the open checkpoints, and the number of them at the start of each checkpoint.
   */
  readonly #clears: Recorded[] = []
  readonly #sections: number[] = []

  constructor(state: MutableState) {
    this.#state = state
  }

  /** The initial state. */
  get before(): TraceState {
    return {
      getAccount: (address) => {
        const recorded = this.#find(address)
        return recorded === undefined ? this.#state.getAccount(address) : recorded.account
      },
      getCode: (address) => this.#codeBefore(address),
      getStorage: (address, slot) => this.#state.getOriginalStorage(address, slot),
    }
  }

  get now(): TraceState {
    return this.#state
  }

  /** In the order of the first write or touch. */
  get changed(): readonly ChangedAccount[] {
    return this.#recorded
  }

  /** The change from the initial to the current state. */
  change(): StateChange {
    const accounts: AccountChange[] = []
    for (const recorded of this.#recorded) {
      const change = this.#changeOf(recorded)
      if (change !== undefined) accounts.push(change)
    }
    return accounts
  }

  #changeOf({ address, account: before, clears, slots }: Recorded): AccountChange | undefined {
    const account = this.#state.getAccount(address)
    const isUnchanged = slots.length === 0 && clears === 0 && isSameAccount(before, account)
    if (isUnchanged) return undefined
    if (account === undefined) return { address, account, code: undefined, isCleared: true, slots: EMPTY_BYTES }
    const isSameCode = equalBytes(before?.codeHash ?? EMPTY_CODE_HASH, account.codeHash)
    const entries = new Uint8Array(2 * SLOT_BYTES * slots.length)
    for (const [i, slot] of slots.entries()) {
      entries.set(slot, 2 * SLOT_BYTES * i)
      entries.set(this.#state.getStorage(address, slot), 2 * SLOT_BYTES * i + SLOT_BYTES)
    }
    const code = isSameCode ? undefined : this.#state.getCode(address)
    return { address, account, code, isCleared: clears > 0, slots: entries }
  }

  #find(address: Uint8Array): Recorded | undefined {
    const id = this.#addresses.find(0, address)
    return id < 0 ? undefined : this.#recorded[id]
  }

  #record(address: Uint8Array): Recorded {
    const record = this.#find(address)
    if (record !== undefined) return record
    const account = this.#state.getAccount(address)
    const recorded = { address: address.slice(), account, code: undefined, clears: 0, slots: [] }
    this.#addresses.add(0, address)
    this.#recorded.push(recorded)
    return recorded
  }

  #recordCode(recorded: Recorded): void {
    const codeHash = recorded.account?.codeHash
    if (recorded.code !== undefined || codeHash === undefined || equalBytes(codeHash, EMPTY_CODE_HASH)) return
    recorded.code = this.#state.getCode(recorded.address)
  }

  #recordClear(address: Uint8Array): void {
    const recorded = this.#record(address)
    recorded.clears++
    if (this.#sections.length > 0) this.#clears.push(recorded)
  }

  #codeBefore(address: Uint8Array): Uint8Array {
    const recorded = this.#find(address)
    if (recorded === undefined) return this.#state.getCode(address)
    const { account, code } = recorded
    if (account === undefined || equalBytes(account.codeHash, EMPTY_CODE_HASH)) return EMPTY_BYTES
    return code ?? this.#state.getCode(address)
  }

  getAccount(address: Uint8Array): Account | undefined {
    return this.#state.getAccount(address)
  }

  getCode(address: Uint8Array): Uint8Array {
    return this.#state.getCode(address)
  }

  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.#state.getStorage(address, slot)
  }

  getOriginalStorage(address: Uint8Array, slot: Uint8Array): Uint8Array {
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
    this.#recordCode(this.#record(address))
    this.#state.setCode(address, code)
  }

  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void {
    const recorded = this.#record(address)
    const account = this.#addresses.find(0, address)
    if (this.#slots.find(account, slot) < 0) {
      this.#slots.add(account, slot)
      recorded.slots.push(slot.slice())
    }
    this.#state.setStorage(address, slot, value)
  }

  clearStorage(address: Uint8Array): void {
    this.#recordClear(address)
    this.#state.clearStorage(address)
  }

  touch(address: Uint8Array): void {
    this.#record(address)
    this.#state.touch(address)
  }

  createAccount(address: Uint8Array): void {
    this.#record(address)
    this.#state.createAccount(address)
  }

  deleteAccount(address: Uint8Array): void {
    this.#recordCode(this.#record(address))
    this.#recordClear(address)
    this.#state.deleteAccount(address)
  }

  checkpoint(): void {
    this.#sections.push(this.#clears.length)
    this.#state.checkpoint()
  }

  endSection(): void {
    this.#sections.pop()
    if (this.#sections.length === 0) this.#clears.length = 0
    this.#state.endSection()
  }

  revert(): void {
    const first = this.#sections.pop() ?? 0
    for (const recorded of this.#clears.splice(first)) recorded.clears--
    this.#state.revert()
  }

  beginTransaction(): void {
    this.#state.beginTransaction()
  }

  endTransaction(options: { readonly selfDestructs: readonly Uint8Array[]; readonly clearEmpty: boolean }): void {
    // Everything is read before anything is recorded, because the caller repeats the call after a `StoreMiss`.
    const destroyed = options.selfDestructs.map((address) => this.#record(address))
    for (const recorded of destroyed) this.#recordCode(recorded)
    this.#state.endTransaction(options)
    for (const recorded of destroyed) recorded.clears++
  }

  rootHash(): Uint8Array {
    return this.#state.rootHash()
  }

  fork(): MutableState {
    return this.#state.fork()
  }
}

function isSameAccount(a: Account | undefined, b: Account | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return a.nonce === b.nonce && a.balance === b.balance && equalBytes(a.codeHash, b.codeHash)
}
