import { RECENT_STATE_ACCOUNTS } from '../config/limits.ts'
import { keyToText } from '../storage/keyText.ts'
import type { AccountRecord } from './account.ts'
import type { StateRoot } from './contract.ts'

/** An account changed by a block, with its record after it; undefined: deleted. */
export interface ChangedAccount {
  /** 20 bytes */
  readonly address: Uint8Array
  readonly record: AccountRecord | undefined
}

/**
 * Accounts of the newest state: those that were read or changed recently. The cache moves with the state, so that a
 * block finds the accounts that the blocks before it used.
 */
export class HeadAccounts {
  #root: StateRoot | undefined
  /** By address as text; null: absent. */
  readonly #records = new Map<string, AccountRecord | null>()

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

  /**
   * Moves to the state after a block.
   * @param isNext whether the block was executed on the cached state; the other records then remain valid
   */
  move(root: StateRoot, isNext: boolean, changes: readonly ChangedAccount[]): void {
    if (!isNext) this.#records.clear()
    this.#root = root
    for (const { address, record } of changes) this.set(keyToText(address), record)
  }
}
