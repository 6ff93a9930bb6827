/**
 * The state as the EVM sees it. Owned by `evm` and implemented by `state/`. All calls are synchronous; reading data
 * that is not in memory throws `StoreMiss` (base/ports/keyValueStore.ts).
 * @module
 */

export interface Account {
  readonly nonce: bigint
  /** wei */
  readonly balance: bigint
  /** 32 bytes */
  readonly codeHash: Uint8Array
}

export interface StateDB {
  /** undefined when the account is not in the trie. */
  getAccount(address: Uint8Array): Account | undefined
  /** Empty when there is no code. */
  getCode(address: Uint8Array): Uint8Array
  /** 32-byte slot → 32-byte value; zero when unset. */
  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array
  /** The value at the start of the transaction (EIP-2200 "original value"). */
  getOriginalStorage(address: Uint8Array, slot: Uint8Array): Uint8Array
  /** True when the account has a non-empty storage trie or pending non-zero slots (EIP-7610). */
  hasStorage(address: Uint8Array): boolean

  /** Creates the account when absent. Marks it touched. */
  setBalance(address: Uint8Array, balance: bigint): void
  /** Creates the account when absent. Marks it touched. */
  setNonce(address: Uint8Array, nonce: bigint): void
  /** Creates the account when absent. Marks it touched. */
  setCode(address: Uint8Array, code: Uint8Array): void
  /** Writing zero deletes the slot. The account is created when absent. */
  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void
  /** Deletes all storage of the account. */
  clearStorage(address: Uint8Array): void
  /** Marks the account for EIP-161 clearing at the end of the transaction; every change of an account does so too. */
  touch(address: Uint8Array): void
  /** Puts an empty account in the trie (before EIP-161). */
  createAccount(address: Uint8Array): void
  /** Removes account, code reference and storage. */
  deleteAccount(address: Uint8Array): void

  /**
   * Whether a change of the account throws `ReadOnlyAccountError`. A touch does not throw.
   * Absent: every account may be changed.
   */
  isReadOnly?(address: Uint8Array): boolean

  /** Starts a revertible section; sections nest. */
  checkpoint(): void
  /** Ends the innermost section and keeps its changes. */
  endSection(): void
  /** Ends the innermost section and undoes its changes. */
  revert(): void
}
