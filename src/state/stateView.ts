import type { KeyValueReader } from '../base/ports/keyValueStore.ts'
import { EMPTY_BYTES, isZeroBytes, padLeft, ZERO_WORD } from '../base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../base/primitives/keccak.ts'
import { damagedEntry } from '../storage/damage.ts'
import { keyToText } from '../storage/keyText.ts'
import { keys } from '../storage/schema.ts'
import type { NodeCache } from '../trie/nodeCache.ts'
import { prove } from '../trie/proof.ts'
import { Trie } from '../trie/trie.ts'
import { type AccountRecord, accountOfLeaf, DELETED_ACCOUNT, decodeFlatAccount, decodeSlot } from './account.ts'
import { BaseReads } from './baseReads.ts'
import type { CodeStore } from './codeStore.ts'
import type { AccountEntry, AccountProof, AccountState, StateReader, StateRoot, StorageEntry } from './contract.ts'
import { missingBase, needsWholeState } from './errors.ts'
import type { HeadAccounts } from './headAccounts.ts'
import type { KeyHashes } from './keyHashes.ts'
import { isSameRoot, type StateContext } from './stateContext.ts'
import type { FlatPosition } from './stateDiff.ts'
import { type HashedEntry, type StateRanges, storageTrie, TrieRanges, takeEntries } from './stateRanges.ts'

/** Shared by all views of a store. */
export interface SharedReads {
  readonly nodes: NodeCache
  readonly codes: CodeStore
  readonly hashes: KeyHashes
  readonly hotState: HeadAccounts
}

/** An entry of the account trie. */
export interface StoredAccount extends AccountEntry {
  /** {@link DELETED_ACCOUNT} for an account that was deleted over a base. */
  readonly account: AccountRecord
}

/** Facts about an account that spare the reader of a slot a look-up. */
export interface KnownAccount {
  /** keccak256(address) */
  readonly hash: Uint8Array | undefined
  /** The account in the state that is read. */
  readonly base: AccountRecord | undefined
}

/** One state, read through the flat view while the flat view is at its root, and otherwise through the trie. */
export class StateView implements StateReader {
  readonly root: StateRoot
  readonly nodes: NodeCache
  readonly codes: CodeStore
  readonly hashes: KeyHashes
  readonly context: StateContext
  readonly hotState: HeadAccounts
  /** Answers where nothing is stored. */
  readonly base: BaseReads | undefined
  /** Created on first use; never changed, unlike its forks. */
  #trie: Trie | undefined
  #lastFlat: FlatPosition | undefined
  #isFlat = false
  #lastHead: StateRoot | undefined
  #isHot = false

  constructor(root: StateRoot, context: StateContext, { nodes, codes, hashes, hotState: head }: SharedReads) {
    this.root = root
    this.context = context
    this.nodes = nodes
    this.codes = codes
    this.hashes = hashes
    this.hotState = head
    const { base } = context
    this.base = base && new BaseReads(base, root.base ?? base.forkBlock)
  }

  get reader(): KeyValueReader {
    return this.context.reader
  }

  /** Whether the flat view is currently at this state. */
  get isFlat(): boolean {
    const { flat } = this.context
    if (flat !== this.#lastFlat) {
      this.#isFlat = isSameRoot(flat.root, this.root)
      this.#lastFlat = flat
    }
    return this.#isFlat
  }

  /** Whether {@link hotState} holds accounts of this state. */
  get isHot(): boolean {
    const { root } = this.hotState
    if (root !== this.#lastHead) {
      this.#isHot = root !== undefined && isSameRoot(root, this.root)
      this.#lastHead = root
    }
    return this.#isHot
  }

  get #accounts(): Trie {
    this.#trie ??= this.accountTrie()
    return this.#trie
  }

  get ranges(): StateRanges {
    return new TrieRanges(this.root, this.#accounts)
  }

  /** Returns a mutable trie of the accounts. */
  accountTrie(): Trie {
    return new Trie({ cache: this.nodes, reader: this.reader, root: this.context.rootRef(this.root) })
  }

  /**
   * Returns the storage trie of an account for reading or changing.
   * @param addressHash keccak256(address)
   */
  storageTrie(addressHash: Uint8Array): Trie {
    return storageTrie(this.#accounts, addressHash, this.#accounts.leaf(addressHash))
  }

  getAccount(address: Uint8Array): AccountState | undefined {
    const record = this.getRecord(address)
    return record === DELETED_ACCOUNT ? undefined : record
  }

  /** {@link DELETED_ACCOUNT} for an account that was deleted over a base. */
  getRecord(address: Uint8Array): AccountRecord | undefined {
    if (!this.isHot) return this.#readRecord(address)
    const name = keyToText(address)
    const known = this.hotState.get(name)
    if (known !== undefined) return known ?? undefined
    const record = this.#readRecord(address)
    this.hotState.set(name, record)
    return record
  }

  #readRecord(address: Uint8Array): AccountRecord | undefined {
    const stored = this.#storedRecord(address)
    return this.base === undefined ? stored : (stored ?? this.base.record(address))
  }

  #storedRecord(address: Uint8Array): AccountRecord | undefined {
    const hash = this.hashes.ofAddress(address)
    if (this.isFlat) {
      const key = keys.flatAccount(hash)
      const flat = this.reader.get(key)
      if (flat !== undefined) return decodeFlatAccount(flat)
      if (this.reader.mayLoseEntries === true && this.#accounts.leaf(hash) !== undefined)
        throw damagedEntry(key, 'has no value, unlike in the trie')
      return undefined
    }
    const leaf = this.#accounts.leaf(hash)
    return leaf === undefined ? undefined : accountOfLeaf(leaf)
  }

  getCode(address: Uint8Array): Uint8Array {
    const account = this.getRecord(address)
    return account === undefined ? EMPTY_BYTES : this.codeOf(address, account.codeHash)
  }

  /** @param codeHash of the account in this state, or of code that is stored */
  codeOf(address: Uint8Array, codeHash: Uint8Array): Uint8Array {
    const { base } = this
    const fallback = base && ((): Uint8Array => base.code(address, codeHash))
    return this.codes.get(codeHash, this.reader, fallback)
  }

  getStorage(address: Uint8Array, slot: Uint8Array, known?: KnownAccount): Uint8Array {
    if (!this.isHot) return this.#readStorage(address, slot, known)
    const account = keyToText(address)
    const name = keyToText(slot)
    const hot = this.hotState.getSlot(account, name)
    if (hot !== undefined) return hot
    const value = this.#readStorage(address, slot, known)
    this.hotState.setSlot(account, name, value)
    return value
  }

  #readStorage(address: Uint8Array, slot: Uint8Array, known: KnownAccount | undefined): Uint8Array {
    const owner = known?.hash ?? this.hashes.ofAddress(address)
    const slotHash = this.hashes.ofSlot(slot)
    if (this.isFlat) {
      const account = known === undefined ? this.getRecord(address) : known.base
      if (account === undefined) return ZERO_WORD
      const flat = this.#flatSlot(owner, account, slotHash)
      return flat === undefined ? this.#slotOfBase(account, address, slot) : padLeft(flat, 32)
    }
    const value = this.storageTrie(owner).get(slotHash)
    if (value !== undefined) return decodeSlot(value)
    if (this.base === undefined) return ZERO_WORD
    return this.#slotOfBase(known === undefined ? this.getRecord(address) : known.base, address, slot)
  }

  /** A slot that is not stored. */
  #slotOfBase(account: AccountRecord | undefined, address: Uint8Array, slot: Uint8Array): Uint8Array {
    if (account?.fromBase === undefined) return ZERO_WORD
    if (this.base === undefined) throw missingBase()
    return this.base.slot(address, slot)
  }

  /**
   * Whether an account has slots other than zero. One whose slots are those of the base counts as having some if it had some
   * there, even if all of them were set to zero since.
   */
  hasStorage(address: Uint8Array, record: AccountRecord | undefined): boolean {
    if (record === undefined) return false
    if (record.fromBase === undefined) return record.storageRoot !== EMPTY_TRIE_ROOT
    if (this.base === undefined) throw missingBase()
    if (this.base.hasStorage(address)) return true
    if (record.storageRoot === EMPTY_TRIE_ROOT) return false
    for (const { value } of this.storageTrie(this.hashes.ofAddress(address)).leaves()) {
      if (!isZeroBytes(decodeSlot(value))) return true
    }
    return false
  }

  /**
   * Whether a slot is stored, zero included: over a base, the others are as there. The flat view saves the walk of the trie.
   * @param owner keccak256(address)
   * @param trie of the storage, with this slot as in this state
   */
  hasSlot(owner: Uint8Array, account: AccountRecord, slotHash: Uint8Array, trie: Trie): boolean {
    return (this.isFlat ? this.#flatSlot(owner, account, slotHash) : trie.leaf(slotHash)) !== undefined
  }

  /**
   * A slot in the flat view.
   * @throws {NodeError} STORE_DAMAGED when only the trie has it
   */
  #flatSlot(owner: Uint8Array, account: AccountRecord, slotHash: Uint8Array): Uint8Array | undefined {
    if (account.storageRoot === EMPTY_TRIE_ROOT) return undefined
    const key = keys.flatStorage(owner, account.incarnation, slotHash)
    const flat = this.reader.get(key)
    if (
      flat === undefined &&
      this.reader.mayLoseEntries === true &&
      this.storageTrie(owner).leaf(slotHash) !== undefined
    )
      throw damagedEntry(key, 'has no value, unlike in the trie')
    return flat
  }

  accounts(fromHash: Uint8Array, limit: number): AccountEntry[] {
    this.#requireWhole('a list of accounts')
    return this.storedAccounts(fromHash, limit)
  }

  storage(address: Uint8Array, fromHash: Uint8Array, limit: number): StorageEntry[] {
    this.#requireWhole('a list of slots')
    return this.storedSlots(address, fromHash, limit)
  }

  /** The accounts that are stored; without a base, all. */
  storedAccounts(fromHash: Uint8Array, limit: number): StoredAccount[] {
    const found = takeEntries(this.ranges.accounts.from(fromHash), limit)
    const addresses = this.#preimages(found)
    return found.map((entry, i) => ({ hash: entry.key, address: addresses[i], account: accountOfLeaf(entry) }))
  }

  /** The slots that are stored; without a base, all. */
  storedSlots(address: Uint8Array, fromHash: Uint8Array, limit: number): StorageEntry[] {
    const stored = this.ranges.slots(this.hashes.ofAddress(address))
    const found = stored === undefined ? [] : takeEntries(stored.from(fromHash), limit)
    const slots = this.#preimages(found)
    return found.map(({ key, value }, i) => ({ hash: key, slot: slots[i], value: decodeSlot(value) }))
  }

  prove(address: Uint8Array, slots: readonly Uint8Array[]): AccountProof {
    this.#requireWhole('a proof')
    const hash = this.hashes.ofAddress(address)
    const leaf = this.#accounts.leaf(hash)
    const storage = storageTrie(this.#accounts, hash, leaf)
    return {
      account: leaf === undefined ? undefined : accountOfLeaf(leaf),
      accountProof: prove(this.#accounts, hash),
      storageProof: slots.map((slot) => {
        const slotHash = this.hashes.ofSlot(slot)
        const value = storage.get(slotHash)
        return { slot, value: value === undefined ? ZERO_WORD : decodeSlot(value), proof: prove(storage, slotHash) }
      }),
    }
  }

  /** @param what the request, for the error */
  #requireWhole(what: string): void {
    if (this.base !== undefined) throw needsWholeState(what)
  }

  #preimages(entries: readonly HashedEntry[]): (Uint8Array | undefined)[] {
    return this.reader.getMany(entries.map(({ key }) => keys.preimage(key)))
  }
}
