import { StoreMiss } from '../base/ports/keyValueStore.ts'
import { EMPTY_BYTES } from '../base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../base/primitives/keccak.ts'
import type { Account } from '../evm/stateDb.ts'
import { REF } from '../trie/node.ts'
import { Trie } from '../trie/trie.ts'
import type { NodeSink } from '../trie/trieCommit.ts'
import { encodeAccount, encodeAccountOverBase, encodeDeletedAccount, encodeSlot } from './account.ts'
import { hashOf, NO_SLOTS, type StateAccount } from './stateAccounts.ts'
import type { StateSlots } from './stateSlots.ts'
import type { StateView } from './stateView.ts'

/** Slots that the storage trie of an account lacks. */
export interface StorageUpdate {
  readonly account: StateAccount
  readonly trie: Trie
  readonly ids: readonly number[]
}

/** The tries of a world state, updated on demand. */
export class StateTries {
  readonly view: StateView
  readonly #slots: StateSlots
  #accounts: Trie | undefined

  constructor(view: StateView, slots: StateSlots, accounts?: Trie) {
    this.view = view
    this.#slots = slots
    this.#accounts = accounts
  }

  /** Created on first use. */
  get accounts(): Trie {
    this.#accounts ??= this.view.accountTrie()
    return this.#accounts
  }

  /** @param slots a copy of this object's slots */
  fork(slots: StateSlots): StateTries {
    return new StateTries(this.view, slots, this.#accounts?.fork())
  }

  /** Writes changed accounts and slots into the tries. After a miss, a repeated call continues. */
  flush(dirty: readonly StateAccount[]): void {
    try {
      for (const account of dirty) if (account.isDirty) this.#flushAccount(account)
    } catch (error) {
      if (error instanceof StoreMiss) this.accounts.prefetch(dirty.map((account) => hashOf(account, this.view)))
      throw error
    }
  }

  /**
   * Sets `version` as the storage version in the leaves of accounts whose storage is about to be stored, and the
   * incarnation of the storage.
   * @throws {StoreMiss} the call can be repeated
   */
  prepareCommit(account: StateAccount, version: number): void {
    const { current, trie } = account
    if (current === undefined || !isNew(trie)) return
    const hash = hashOf(account, this.view)
    const incarnation = incarnationAt(account, version)
    if (this.accounts.retag(hash, version, incarnation)) return
    this.accounts.put(hash, this.#encoded(account, current, trie.rootHash()), version, incarnation)
  }

  /** Stores new storage nodes of a prepared account; performs no reads. */
  commitStorage(account: StateAccount, version: number, sink: NodeSink, isReplacing: boolean): void {
    const { current, trie } = account
    if (current === undefined || !isNew(trie)) return
    const ref = trie.commit(version, sink, isReplacing)
    const leaf = this.accounts.leaf(hashOf(account, this.view))
    if (leaf !== undefined) leaf.link = ref
  }

  #flushAccount(account: StateAccount): void {
    const { current } = account
    if (current === undefined) {
      this.#deleteAccount(account)
    } else {
      this.#flushStorage(account)
      this.#putAccount(account)
    }
    account.isDirty = false
  }

  /** Over a base, an account that is absent may be there in the base. */
  #deleteAccount(account: StateAccount): void {
    const hash = hashOf(account, this.view)
    if (this.view.base === undefined || account.base === undefined) this.accounts.delete(hash)
    else this.accounts.put(hash, encodeDeletedAccount())
  }

  #putAccount(account: StateAccount): void {
    const { base, current, trie } = account
    if (current === undefined) return
    const hash = hashOf(account, this.view)
    if (account.isAsInBase) {
      this.accounts.delete(hash)
      return
    }
    if (trie !== undefined) {
      const stored = trie.root?.kind === REF ? trie.root : undefined
      const incarnation = stored === undefined ? 0 : (base?.incarnation ?? 0)
      const value = this.#encoded(account, current, trie.rootHash())
      this.accounts.put(hash, value, stored?.version ?? 0, incarnation, stored)
      return
    }
    const kept = account.generation === 0 ? base : undefined
    const root = kept?.storageRoot ?? EMPTY_TRIE_ROOT
    const link = root === EMPTY_TRIE_ROOT ? undefined : this.accounts.leaf(hash)?.link
    const value = this.#encoded(account, current, root)
    this.accounts.put(hash, value, kept?.storageVersion ?? 0, kept?.incarnation ?? 0, link)
  }

  #encoded({ fallsThrough }: StateAccount, account: Account, storageRoot: Uint8Array): Uint8Array {
    return fallsThrough ? encodeAccountOverBase(account, storageRoot) : encodeAccount(account, storageRoot)
  }

  #flushStorage(account: StateAccount): void {
    const update = this.beginUpdate(account)
    if (update === undefined) return
    this.writeSlots(update, update.ids)
    this.endUpdate(update)
  }

  /** @returns the slots to be written into the storage trie; undefined when it is up to date */
  beginUpdate(account: StateAccount): StorageUpdate | undefined {
    const { generation } = account
    const isRebuilt = account.trieGeneration !== generation
    if (!isRebuilt && account.dirtySlots.length === 0) return undefined
    let { trie } = account
    if (isRebuilt || trie === undefined) {
      const owner = hashOf(account, this.view)
      trie =
        generation === 0
          ? this.view.storageTrie(owner)
          : new Trie({ cache: this.view.nodes, reader: this.view.reader, owner })
    }
    return { account, trie, ids: isRebuilt ? account.slots : account.dirtySlots }
  }

  /** Ends an update whose slots have all been written. */
  endUpdate({ account, trie }: StorageUpdate): void {
    for (const id of account.dirtySlots) this.#slots.clearDirty(id)
    account.dirtySlots = NO_SLOTS
    account.trie = trie
    account.trieGeneration = account.generation
  }

  /** @param ids some slots of the update */
  writeSlots({ trie, account }: StorageUpdate, ids: readonly number[]): void {
    if (account.fallsThrough) {
      this.#writeSlotsOverBase(trie, account, ids)
      return
    }
    const slots = this.#slots
    const entries: [Uint8Array, Uint8Array][] = []
    for (const id of ids) {
      if (slots.generationOf(id) === account.generation) {
        entries.push([slots.hashOf(id), encodeSlot(slots.value(id))])
      } else if (account.generation !== 0) {
        entries.push([slots.hashOf(id), EMPTY_BYTES])
      } else if (slots.hasBase(id)) {
        entries.push([slots.hashOf(id), encodeSlot(slots.base(id))])
      }
    }
    trie.update(entries)
  }

  /** A slot is stored once it differs from the base, and from then on. */
  #writeSlotsOverBase(trie: Trie, account: StateAccount, ids: readonly number[]): void {
    const slots = this.#slots
    const known = ids.filter((id) => slots.hasBase(id))
    this.#findOrigins(trie, account, known)
    trie.update(
      known.map((id) => {
        const isChanged = slots.generationOf(id) === account.generation && !slots.hasValue(id, slots.base(id))
        const value = isChanged ? slots.value(id) : slots.base(id)
        return [slots.hashOf(id), isChanged || slots.isStored(id) === true ? encodeSlot(value, true) : EMPTY_BYTES]
      }),
    )
  }

  /** Finds out which slots are stored. @param trie in which none of those has been changed whose origin is unknown */
  #findOrigins(trie: Trie, account: StateAccount, ids: readonly number[]): void {
    const slots = this.#slots
    const { base } = account
    const owner = hashOf(account, this.view)
    const unknown = ids.filter((id) => slots.isStored(id) === undefined)
    try {
      for (const id of unknown) {
        slots.setStored(id, base !== undefined && this.view.hasSlot(owner, base, slots.hashOf(id), trie))
      }
    } catch (error) {
      if (error instanceof StoreMiss) trie.prefetch(unknown.map((id) => slots.hashOf(id)))
      throw error
    }
  }
}

/**
 * The incarnation of a storage that is stored with a version: a storage that has begun since the base has that version as
 * its incarnation.
 */
export function incarnationAt({ base, generation }: StateAccount, version: number): number {
  return base === undefined || generation !== 0 || base.storageRoot === EMPTY_TRIE_ROOT ? version : base.incarnation
}

/** Whether the root of a storage trie is not stored yet. */
function isNew(trie: Trie | undefined): trie is Trie {
  return trie?.root !== undefined && trie.isDirty
}
