import { bigIntToBytes, bytesToHex, hexToBytes, trimLeadingZeros } from '../../../src/base/primitives/bytes.ts'
import { keccak256 } from '../../../src/base/primitives/keccak.ts'
import { rlpEncode } from '../../../src/base/primitives/rlp.ts'
import { naiveRoot } from '../trie/naiveTrie.ts'

export interface NaiveAccount {
  nonce: bigint
  balance: bigint
  code: Uint8Array
  /** slot → value, both in hex, without zero values */
  storage: Map<string, string>
}

export type NaiveAccounts = Map<string, NaiveAccount>

export const ZERO = `0x${'00'.repeat(32)}`

/** A state as plain maps that are copied as a whole at every checkpoint: the slow oracle of the state tests. */
export class NaiveState {
  accounts: NaiveAccounts = new Map()
  touched = new Set<string>()
  original: NaiveAccounts = new Map()
  readonly #saved: { accounts: NaiveAccounts; touched: Set<string> }[] = []

  account(address: string): NaiveAccount {
    let account = this.accounts.get(address)
    if (account === undefined) {
      account = { nonce: 0n, balance: 0n, code: new Uint8Array(0), storage: new Map() }
      this.accounts.set(address, account)
    }
    this.touched.add(address)
    return account
  }

  storageAt(address: string, slot: string): string {
    return this.accounts.get(address)?.storage.get(slot) ?? ZERO
  }

  originalAt(address: string, slot: string): string {
    return this.original.get(address)?.storage.get(slot) ?? ZERO
  }

  setStorage(address: string, slot: string, value: string): void {
    const existing = this.accounts.get(address)
    const { storage } = existing ?? this.account(address)
    if (value === ZERO) storage.delete(slot)
    else storage.set(slot, value)
  }

  checkpoint(): void {
    this.#saved.push({ accounts: copyOf(this.accounts), touched: new Set(this.touched) })
  }

  commit(): void {
    this.#saved.pop()
  }

  revert(): void {
    const saved = this.#saved.pop()
    if (saved === undefined) throw new Error('no checkpoint')
    this.accounts = saved.accounts
    this.touched = saved.touched
  }

  begin(): void {
    this.touched = new Set()
    this.original = copyOf(this.accounts)
  }

  end(selfDestructs: string[], clearEmpty: boolean): void {
    for (const address of selfDestructs) this.accounts.delete(address)
    if (!clearEmpty) return
    for (const address of this.touched) {
      const account = this.accounts.get(address)
      if (account && account.nonce === 0n && account.balance === 0n && account.code.length === 0)
        this.accounts.delete(address)
    }
  }

  copy(): NaiveState {
    const copy = new NaiveState()
    copy.accounts = copyOf(this.accounts)
    copy.original = copyOf(this.original)
    copy.touched = new Set(this.touched)
    return copy
  }

  root(): Uint8Array {
    return naiveStateRoot(this.accounts)
  }
}

export function copyOf(accounts: NaiveAccounts): NaiveAccounts {
  return new Map([...accounts].map(([key, account]) => [key, { ...account, storage: new Map(account.storage) }]))
}

export function naiveStorageRoot(storage: Map<string, string>): Uint8Array {
  return naiveRoot(
    [...storage].map(([slot, value]) => [keccak256(hexToBytes(slot)), rlpEncode(trimLeadingZeros(hexToBytes(value)))]),
  )
}

export function naiveStateRoot(accounts: NaiveAccounts): Uint8Array {
  return naiveRoot(
    [...accounts].map(([address, { nonce, balance, code, storage }]) => [
      keccak256(hexToBytes(address)),
      rlpEncode([bigIntToBytes(nonce), bigIntToBytes(balance), naiveStorageRoot(storage), keccak256(code)]),
    ]),
  )
}

export const hexOf = bytesToHex
