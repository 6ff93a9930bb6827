import { keyToText } from '../storage/keyText.ts'
import type { AccountRecord } from './account.ts'
import type { CachedEntries } from './cachedEntries.ts'
import type { StateRoot } from './contract.ts'

/** An account changed by a block, with its record after it; undefined: deleted. */
export interface ChangedAccount {
  /** 20 bytes */
  readonly address: Uint8Array
  readonly record: AccountRecord | undefined
  /** Whether slots that are not listed may have changed, too. */
  readonly isCleared: boolean
  /** Slots that were read or written, 32 bytes each, with their values after the block. */
  readonly slots: readonly (readonly [slot: Uint8Array, value: Uint8Array])[]
}

/**
 * Records by address as text; null: absent. There are two generations. A read moves a record from the old one to the young
 * one. When the young one is full, it replaces the old one. Unlike in a list by last use, most hits change nothing.
 */
class RecordCache {
  readonly #limit: number
  #young = new Map<string, AccountRecord | null>()
  #old = new Map<string, AccountRecord | null>()

  constructor(limit: number) {
    this.#limit = limit
  }

  get(account: string): AccountRecord | null | undefined {
    const young = this.#young.get(account)
    if (young !== undefined) return young
    const old = this.#old.get(account)
    if (old !== undefined) this.set(account, old)
    return old
  }

  set(account: string, record: AccountRecord | null): void {
    if (this.#young.size >= this.#limit / 2) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(account, record)
  }
}

/** Slots by address and slot as text, in two generations like the records. An account weighs as much as one of its slots. */
class SlotCache {
  readonly #limit: number
  #young = new Map<string, Map<string, Uint8Array>>()
  #old = new Map<string, Map<string, Uint8Array>>()
  #youngWeight = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  get(account: string, slot: string): Uint8Array | undefined {
    const young = this.#young.get(account)?.get(slot)
    if (young !== undefined) return young
    const old = this.#old.get(account)?.get(slot)
    if (old !== undefined) this.set(account, slot, old)
    return old
  }

  set(account: string, slot: string, value: Uint8Array): void {
    if (this.#youngWeight >= this.#limit / 2) {
      this.#old = this.#young
      this.#young = new Map()
      this.#youngWeight = 0
    }
    let slots = this.#young.get(account)
    if (slots === undefined) {
      slots = new Map()
      this.#young.set(account, slots)
      this.#youngWeight++
    }
    const { size } = slots
    slots.set(slot, value)
    this.#youngWeight += slots.size - size
  }

  deleteAccount(account: string): void {
    const young = this.#young.get(account)
    if (young !== undefined) this.#youngWeight -= 1 + young.size
    this.#young.delete(account)
    this.#old.delete(account)
  }
}

/**
 * Accounts and slots of the newest state: those that were read or changed recently. The cache moves with the state, so that a
 * block finds what the blocks before it used.
 */
export class HeadAccounts {
  readonly #limits: CachedEntries
  #root: StateRoot | undefined
  #records: RecordCache
  #slots: SlotCache

  constructor(limits: CachedEntries) {
    this.#limits = limits
    this.#records = new RecordCache(limits.accounts)
    this.#slots = new SlotCache(limits.slots)
  }

  /** The state to which the records belong; undefined while there is none. */
  get root(): StateRoot | undefined {
    return this.#root
  }

  /** @returns null for an account that does not exist, undefined when it is not cached */
  get(account: string): AccountRecord | null | undefined {
    return this.#records.get(account)
  }

  set(account: string, record: AccountRecord | undefined): void {
    this.#records.set(account, record ?? null)
  }

  getSlot(account: string, slot: string): Uint8Array | undefined {
    return this.#slots.get(account, slot)
  }

  setSlot(account: string, slot: string, value: Uint8Array): void {
    this.#slots.set(account, slot, value)
  }

  /** Belongs to no state until it is moved. */
  clear(): void {
    this.#root = undefined
    this.#records = new RecordCache(this.#limits.accounts)
    this.#slots = new SlotCache(this.#limits.slots)
  }

  /**
   * Moves to the state after a block.
   * @param isNext whether the block was executed on the cached state; the other records then remain valid
   */
  move(root: StateRoot, isNext: boolean, changes: readonly ChangedAccount[]): void {
    if (!isNext) {
      this.#records = new RecordCache(this.#limits.accounts)
      this.#slots = new SlotCache(this.#limits.slots)
    }
    this.#root = root
    for (const { address, record, isCleared, slots } of changes) {
      const account = keyToText(address)
      this.set(account, record)
      if (isCleared) this.#slots.deleteAccount(account)
      else for (const [slot, value] of slots) this.setSlot(account, keyToText(slot), value)
    }
  }
}
