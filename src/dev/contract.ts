/**
 * Functions of the dev chain: accounts with public keys, adjustable time and state, snapshots.
 *
 * Amendments of the state are outside the protocol: they are committed as a recorded difference on top of the head, and
 * every later execution, trace and proof starts from the amended root.
 * @module
 */
import type { DevWriter } from '../chain/dev/devWriter.ts'
import type { ChainDump } from '../chain/dev/dump.ts'
import type { ChainLoad } from '../chain/dev/load.ts'
import type { AbortState } from '../evm/driver.ts'
import type { MessageResult } from '../evm/evm.ts'
import type { Transaction } from '../types/transaction.ts'
import type { CallBatches } from './callBatches.ts'

/** A signature over a 32-byte hash. */
export interface DevSignature {
  readonly r: bigint
  readonly s: bigint
  readonly yParity: 0 | 1
}

export interface DevAccounts {
  /** Accounts that the node manages: in the order of derivation, then those added later. 20 bytes each. */
  readonly addresses: readonly Uint8Array[]
  /** Accounts that the node can send from: `addresses`, then those that are impersonated explicitly. */
  readonly usable: readonly Uint8Array[]
  /**
   * @returns undefined when the node does not have the key
   * @throws {NodeError} ACCOUNT_LOCKED
   */
  sign(address: Uint8Array, hash: Uint8Array): DevSignature | undefined
  /**
   * Whether the node has the key of an account.
   * @throws {NodeError} ACCOUNT_LOCKED
   */
  hasKey(address: Uint8Array): boolean
  /** Adds an account with a random key. It is locked. @returns its address */
  create(passphrase: string): Uint8Array
  /**
   * Adds the account of a private key (32 bytes). It is locked.
   * @returns its address
   * @throws {NodeError} INVALID_PARAMS when the key is invalid, the account exists, or there are too many
   */
  importKey(privateKey: Uint8Array, passphrase: string): Uint8Array
  /**
   * Adds an account without its key; while it is unlocked, it is impersonated.
   * @returns false when the node manages it already
   * @throws {NodeError} INVALID_PARAMS when there are too many
   */
  addAddress(address: Uint8Array, passphrase: string): boolean
  /**
   * Removes an account that was added.
   * @returns false when it was not added
   * @throws {NodeError} WRONG_PASSPHRASE
   */
  removeAccount(address: Uint8Array, passphrase: string): boolean
  /**
   * Allows an account to sign.
   * @param durationMs Infinity: until it is locked again
   * @throws {NodeError} UNKNOWN_ACCOUNT, WRONG_PASSPHRASE
   */
  unlock(address: Uint8Array, passphrase: string, durationMs: number): void
  /** Runs work with the account unlocked. @throws {NodeError} UNKNOWN_ACCOUNT, WRONG_PASSPHRASE */
  withPassphrase<T>(address: Uint8Array, passphrase: string, work: () => Promise<T>): Promise<T>
  /** @returns false when the node does not manage the account */
  lock(address: Uint8Array): boolean
  /** Whether transactions of this account need no signature. */
  isImpersonated(address: Uint8Array): boolean
  /** @throws {NodeError} INVALID_PARAMS when there are too many */
  impersonate(address: Uint8Array): void
  stopImpersonating(address: Uint8Array): void
  /** Whether to impersonate every account without a known key. */
  setAutoImpersonate(enabled: boolean): void
  /** Ends all impersonation; the automatic one returns to its setting at the start. */
  endImpersonation(): void
  /** Serializes work that uses the account's next nonce. */
  inTurn<T>(address: Uint8Array, work: () => Promise<T>): Promise<T>
}

/** When the dev chain seals blocks. */
export type SealingMode =
  | { readonly kind: 'off' }
  /** One block per transaction, immediately. */
  | { readonly kind: 'instant' }
  /** One block per interval, even if it is empty. `isMixed`: and one block per transaction, immediately. */
  | { readonly kind: 'interval'; readonly intervalMs: number; readonly isMixed?: boolean }

export interface DevTime {
  /** Seconds that the chain's clock is ahead of the wall clock. */
  readonly offset: bigint
  /** Timestamp that the next block would have if it were sealed now, seconds. */
  readonly next: bigint
  /** Advances the chain's clock. @returns the new offset, seconds */
  increase(seconds: bigint): bigint
  /** Sets the chain's clock, effective with the next block. @returns the new offset, seconds */
  set(timestamp: bigint): bigint
  /**
   * Sets the timestamp of the next block; the chain's clock continues from there.
   * @throws {NodeError} INVALID_PARAMS unless it is later than the head's
   */
  setNextBlock(timestamp: bigint): void
  /** Sets a constant number of seconds between blocks; undefined: blocks have the clock's time. */
  setBlockInterval(seconds: bigint | undefined): void
}

/** Values of the next block; each applies to that block only unless stated otherwise. */
export interface DevBlock {
  /** Base fee set for the next block, wei; undefined: derived from the head. */
  readonly baseFee: bigint | undefined
  /** wei; @throws {NodeError} INVALID_PARAMS on a chain without a base fee */
  setBaseFee(baseFeePerGas: bigint): void
  setPrevRandao(prevRandao: Uint8Array): void
  /** Applies to this and every later block. */
  setCoinbase(address: Uint8Array): void
  /** Applies to this and every later block. */
  setGasLimit(gasLimit: bigint): void
}

export interface DevMining {
  readonly automine: boolean
  setAutomine(enabled: boolean): void
  /** Seals one block per interval; 0 disables it. Milliseconds. */
  setInterval(intervalMs: number): void
  readonly intervalMs: number
  /**
   * Seals blocks immediately: the first includes the pool's transactions as far as they fit, the others the rest.
   * @param intervalSeconds between the timestamps of the blocks; undefined: the clock's time
   * @param signal ends the work early; blocks that were already sealed remain
   * @throws {NodeError} TIMEOUT once `signal` is aborted
   */
  mine(count: bigint, intervalSeconds?: bigint, signal?: AbortState): Promise<void>
  /** Seals one block. */
  mineAt(timestamp: bigint): Promise<void>
}

export interface DevState {
  setBalance(address: Uint8Array, balance: bigint): Promise<void>
  /** Adds to a balance; the sum is at most 2^256 - 1. */
  addBalance(address: Uint8Array, amount: bigint): Promise<void>
  setNonce(address: Uint8Array, nonce: bigint): Promise<void>
  setCode(address: Uint8Array, code: Uint8Array): Promise<void>
  /** 32 bytes each */
  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): Promise<void>
}

/** Deviations from the genesis file; effective for calls on the head and for all further blocks. */
export interface DevExecution {
  setChainId(chainId: bigint): Promise<void>
  /**
   * Lets ecrecover return an address for a signature, whatever the hash.
   * @param signature r ‖ s ‖ v, 65 bytes; v is 27 or 28
   * @throws {NodeError} INVALID_PARAMS when there are too many
   */
  setSigner(signature: Uint8Array, address: Uint8Array): Promise<void>
}

/** Blobs of mined transactions; the newest ones since the start of the node. */
export interface DevBlobs {
  /** 131,072 bytes each; undefined if they are no longer in memory. */
  ofTransaction(hash: Uint8Array): readonly Uint8Array[] | undefined
  /** @param isMined whether a transaction is still in the chain */
  byVersionedHash(versionedHash: Uint8Array, isMined: (transactionHash: Uint8Array) => boolean): Uint8Array | undefined
}

/** How a mined transaction failed. */
export type DevFailure = Pick<MessageResult, 'outcome' | 'halt' | 'output'>

/** Failed transactions, for answers to those that sent them. */
export interface DevFailures {
  /** Whether a transaction that fails in its block is answered with an error. */
  isReported: boolean
  /** @returns undefined unless the transaction failed in one of the newest blocks */
  ofTransaction(hash: Uint8Array): DevFailure | undefined
}

/** A transaction of a new block. */
export interface DevTransaction {
  readonly transaction: Transaction
  /** 20 bytes */
  readonly sender: Uint8Array
  readonly isImpersonated: boolean
}

export interface DevMetadata {
  /** Random at each start and reset. 32 bytes. */
  readonly instanceId: Uint8Array
  /** Snapshots that can be reverted to: id and block number. */
  readonly snapshots: readonly { readonly id: number; readonly blockNumber: bigint; readonly blockHash: Uint8Array }[]
}

export interface DevChain {
  readonly accounts: DevAccounts
  readonly time: DevTime
  readonly block: DevBlock
  readonly mining: DevMining
  readonly state: DevState
  readonly execution: DevExecution
  readonly blobs: DevBlobs
  readonly failures: DevFailures
  /** Batches of calls that pages have sent. */
  readonly batches: CallBatches
  readonly metadata: DevMetadata
  /** Saves chain, state, time and pool. Ids start at 1 and are lost on a restart. */
  snapshot(): Promise<number>
  /** Reverts to a snapshot; removes it and all later ones. @returns false when the snapshot does not exist */
  revert(id: number): Promise<boolean>
  /**
   * Restores the original genesis block, with an empty pool and default settings.
   * @param begin begins the chain elsewhere instead; nothing is changed when it fails
   */
  reset(begin?: (writer: DevWriter) => Promise<unknown>): Promise<void>
  /**
   * Removes the newest blocks. Their transactions are not restored to the pool.
   * @throws {NodeError} INVALID_PARAMS when there are fewer blocks
   */
  rollback(depth: number): Promise<void>
  /**
   * Replaces the newest blocks by the same number of new ones.
   * @param transactions of each new block by its position; missing ones are empty
   * @throws {NodeError} INVALID_PARAMS when there are fewer blocks, or a transaction cannot be included; the chain is
   *   then unchanged
   */
  reorganise(depth: number, transactions: ReadonlyMap<number, readonly DevTransaction[]>): Promise<void>
  /** The chain up to the head, for reading it whole. */
  dump(): Promise<ChainDump>
  /**
   * Replaces the whole chain, empties the pool, and removes all snapshots.
   * @param work nothing is changed when it fails
   */
  load(work: (load: ChainLoad) => Promise<void>): Promise<void>
  /** @returns false when it is not in the pool */
  dropTransaction(hash: Uint8Array): boolean
  dropAllTransactions(): void
}
