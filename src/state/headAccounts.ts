import { RECENT_STATE_ACCOUNTS, RECENT_STATE_SLOTS } from '../base/limits/limits.ts'
import { keyToText } from '../storage/keyText.ts'
import type { AccountRecord } from './account.ts'
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
 * Accounts and slots of the newest state: those that were read or changed recently. The cache moves with the state, so that a
 * block finds what the blocks before it used.
 */
export class HeadAccounts {
  #root: StateRoot | undefined
  /** By address as text; null: absent. */
  readonly #records = new Map<string, AccountRecord | null>()
  /** By address and slot as text. */
  readonly #slots = new Map<string, Uint8Array>()

  /** The state to which the records belong; undefined while there is none. */
  get root(): StateRoot | undefined {
    return this.#root
  }

  /** @returns null for an account that does not exist, undefined when it is not cached */
  get(name: string): AccountRecord | null | undefined {
    return this.#records.get(name)
  }

  set(name: string, record: AccountRecord | undefined): void {
    if (this.#records.size >= RECENT_STATE_ACCOUNTS) this.#records.clear()
    this.#records.set(name, record ?? null)
  }

  getSlot(name: string): Uint8Array | undefined {
    return this.#slots.get(name)
  }

  setSlot(name: string, value: Uint8Array): void {
    if (this.#slots.size >= RECENT_STATE_SLOTS) this.#slots.clear()
    this.#slots.set(name, value)
  }

  /**
   * Moves to the state after a block.
   * @param isNext whether the block was executed on the cached state; the other records then remain valid
   */
  move(root: StateRoot, isNext: boolean, changes: readonly ChangedAccount[]): void {
    if (!isNext) this.#records.clear()
    if (!isNext || changes.some(({ isCleared }) => isCleared)) this.#slots.clear()
    this.#root = root
    for (const { address, record, isCleared, slots } of changes) {
      const name = keyToText(address)
      this.set(name, record)
      if (!isCleared) for (const [slot, value] of slots) this.setSlot(name + keyToText(slot), value)
    }
  }
}
