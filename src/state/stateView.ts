import type { KeyValueReader } from '../base/ports/keyValueStore.ts'
import { EMPTY_BYTES, padLeft, ZERO_WORD } from '../base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../base/primitives/keccak.ts'
import { damagedEntry } from '../storage/damage.ts'
import { keyToText } from '../storage/keyText.ts'
import { keys } from '../storage/schema.ts'
import type { NodeCache } from '../trie/nodeCache.ts'
import { prove } from '../trie/proof.ts'
import { Trie } from '../trie/trie.ts'
import { type AccountRecord, accountOfLeaf, decodeFlatAccount, decodeSlot } from './account.ts'
import type { CodeStore } from './codeStore.ts'
import type { AccountEntry, AccountProof, AccountState, StateReader, StateRoot, StorageEntry } from './contract.ts'
import type { HeadAccounts } from './headAccounts.ts'
import type { KeyHashes } from './keyHashes.ts'
import { isSameRoot, type StateContext } from './stateContext.ts'
import type { FlatPosition } from './stateDiff.ts'
import { type HashedEntry, type StateRanges, storageTrie, TrieRanges, takeEntries } from './stateRanges.ts'

/** What all views of a store share. */
export interface SharedReads {
  readonly nodes: NodeCache
  readonly codes: CodeStore
  readonly hashes: KeyHashes
  readonly hotState: HeadAccounts
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
    return this.getRecord(address)
  }

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
    return account === undefined ? EMPTY_BYTES : this.codes.get(account.codeHash, this.reader)
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
      if (account === undefined || account.storageRoot === EMPTY_TRIE_ROOT) return ZERO_WORD
      const key = keys.flatStorage(owner, account.incarnation, slotHash)
      const flat = this.reader.get(key)
      if (flat !== undefined) return padLeft(flat, 32)
      if (this.reader.mayLoseEntries === true && this.#isStored(owner, slotHash))
        throw damagedEntry(key, 'has no value, unlike in the trie')
      return ZERO_WORD
    }
    const value = this.storageTrie(owner).get(slotHash)
    return value === undefined ? ZERO_WORD : decodeSlot(value)
  }

  /** Whether the trie has a value of the slot. */
  #isStored(owner: Uint8Array, slotHash: Uint8Array): boolean {
    return this.storageTrie(owner).leaf(slotHash) !== undefined
  }

  accounts(fromHash: Uint8Array, limit: number): AccountEntry[] {
    const found = takeEntries(this.ranges.accounts.from(fromHash), limit)
    const addresses = this.#preimages(found)
    return found.map((entry, i) => ({ hash: entry.key, address: addresses[i], account: accountOfLeaf(entry) }))
  }

  storage(address: Uint8Array, fromHash: Uint8Array, limit: number): StorageEntry[] {
    const stored = this.ranges.slots(this.hashes.ofAddress(address))
    const found = stored === undefined ? [] : takeEntries(stored.from(fromHash), limit)
    const slots = this.#preimages(found)
    return found.map(({ key, value }, i) => ({ hash: key, slot: slots[i], value: decodeSlot(value) }))
  }

  prove(address: Uint8Array, slots: readonly Uint8Array[]): AccountProof {
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

  #preimages(entries: readonly HashedEntry[]): (Uint8Array | undefined)[] {
    return this.reader.getMany(entries.map(({ key }) => keys.preimage(key)))
  }
}
