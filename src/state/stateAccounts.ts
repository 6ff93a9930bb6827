import { equalBytes } from '../base/primitives/bytes.ts'
import type { Account } from '../evm/stateDb.ts'
import type { Trie } from '../trie/trie.ts'
import { type AccountRecord, DELETED_ACCOUNT } from './account.ts'
import { ByteTable } from './byteTable.ts'
import type { KeyHashes } from './keyHashes.ts'

/** Shared by all accounts without slots, which are the majority. */
export const NO_SLOTS: readonly number[] = []

/** The data that a world state holds of one account. */
export class StateAccount {
  readonly id: number
  /** 20 bytes */
  readonly address: Uint8Array
  /** The account at the initial root of the world state. */
  readonly base: AccountRecord | undefined
  /** The current account. */
  current: Account | undefined
  /** keccak256(address), computed on demand. */
  hash: Uint8Array | undefined = undefined
  /** Code with the hash `codeOwner`. */
  code: Uint8Array | undefined = undefined
  codeOwner: Uint8Array | undefined = undefined

  /** 0 while the storage is that of the base; each clearing starts a new generation. */
  generation: number = 0
  /** Transaction in which the storage was first cleared, and the generation before it. */
  clearedIn: number = 0
  generationBefore: number = 0
  /** Transaction in which the account was last touched. */
  touchedIn: number = 0
  /** Changed since the tries were last updated. */
  isDirty: boolean = false
  /** Changed at any time. */
  isChanged: boolean = false
  /** Slots written since the tries were last updated. */
  dirtySlots: readonly number[] = NO_SLOTS
  /** All known slots. */
  slots: readonly number[] = NO_SLOTS

  /** The storage trie, created when a slot has to be written to it, and its generation. */
  trie: Trie | undefined = undefined
  trieGeneration: number = 0

  constructor(id: number, address: Uint8Array, base: AccountRecord | undefined) {
    this.id = id
    this.address = address
    this.base = base
    this.current = base === DELETED_ACCOUNT ? undefined : base
  }

  /** Whether slots that are not stored are those of the state under a fork (state/baseState.ts). */
  get fallsThrough(): boolean {
    return this.base?.fromBase !== undefined && this.generation === 0
  }

  /** Whether the account is that of the state under a fork, once its storage trie is up to date: it is not stored. */
  get isAsInBase(): boolean {
    const { base, current, trie } = this
    if (base?.fromBase !== 'account' || this.generation !== 0 || current === undefined) return false
    if (trie?.root !== undefined) return false
    return current === base || isSameAccount(current, base)
  }

  addSlot(id: number): void {
    this.slots = appended(this.slots, id)
  }

  addDirtySlot(id: number): void {
    this.dirtySlots = appended(this.dirtySlots, id)
  }

  clone(): StateAccount {
    const copy = new StateAccount(this.id, this.address, this.base)
    Object.assign(copy, this)
    copy.dirtySlots = copyOf(this.dirtySlots)
    copy.slots = copyOf(this.slots)
    copy.trie = this.trie?.fork()
    return copy
  }
}

/** The accounts known to a world state, by address. */
export class StateAccounts {
  readonly #table: ByteTable
  readonly #entries: StateAccount[] = []

  constructor(table: ByteTable) {
    this.#table = table
  }

  static create(): StateAccounts {
    return new StateAccounts(new ByteTable(20))
  }

  find(address: Uint8Array): StateAccount | undefined {
    const id = this.#table.find(0, address)
    return id < 0 ? undefined : this.#entries[id]
  }

  add(address: Uint8Array, base: AccountRecord | undefined): StateAccount {
    const id = this.#table.add(0, address)
    const account = new StateAccount(id, this.#table.keyOf(id), base)
    this.#entries[id] = account
    return account
  }

  get count(): number {
    return this.#entries.length
  }

  at(id: number): StateAccount {
    return this.#entries[id] as StateAccount
  }

  /** 20 bytes each. */
  addresses(): Uint8Array[] {
    return this.#entries.map(({ address }) => address)
  }

  clone(): StateAccounts {
    const copy = new StateAccounts(this.#table.clone())
    for (const account of this.#entries) copy.#entries.push(account.clone())
    return copy
  }
}

function isSameAccount(a: Account, b: Account): boolean {
  return a.nonce === b.nonce && a.balance === b.balance && equalBytes(a.codeHash, b.codeHash)
}

function appended(slots: readonly number[], id: number): readonly number[] {
  if (slots === NO_SLOTS) return [id]
  const own = slots as number[]
  own.push(id)
  return own
}

function copyOf(slots: readonly number[]): readonly number[] {
  return slots === NO_SLOTS ? slots : slots.slice()
}

/** keccak256(address) */
export function hashOf(account: StateAccount, { hashes }: { readonly hashes: KeyHashes }): Uint8Array {
  account.hash ??= hashes.ofAddress(account.address)
  return account.hash
}
