/**
 * What only the dev chain offers: keys that are no secret, time and state that can be set, snapshots.
 *
 * Changes of the state are out of protocol: they are committed as a recorded difference on top of the head, and every
 * later execution, trace and proof starts from the root that they lead to.
 * @module
 */
import type { AbortState } from '../evm/driver.ts'

/** A signature over a 32-byte hash. */
export interface DevSignature {
  readonly r: bigint
  readonly s: bigint
  readonly yParity: 0 | 1
}

export interface DevAccounts {
  /** Accounts whose keys the node holds, in the order of their derivation. 20 bytes each. */
  readonly addresses: readonly Uint8Array[]
  /** Accounts that the node sends for: `addresses`, then those that are impersonated by name. Clients look them up. */
  readonly usable: readonly Uint8Array[]
  /** @returns undefined when the node does not hold the key */
  sign(address: Uint8Array, hash: Uint8Array): DevSignature | undefined
  /** Whether transactions of this account are taken without a signature. */
  isImpersonated(address: Uint8Array): boolean
  /** @throws {NodeError} INVALID_PARAMS when there are too many */
  impersonate(address: Uint8Array): void
  stopImpersonating(address: Uint8Array): void
  /** Impersonates every account that the node has no key of. */
  setAutoImpersonate(enabled: boolean): void
  /** Every impersonation, the automatic one too. */
  endImpersonation(): void
  /** Runs what takes the account's next nonce, one after the other. */
  inTurn<T>(address: Uint8Array, work: () => Promise<T>): Promise<T>
}

/** When the dev chain makes blocks. */
export type SealingMode =
  | { readonly kind: 'off' }
  /** One block a transaction, as it comes. */
  | { readonly kind: 'instant' }
  /** One block each interval, whatever there is to put in. */
  | { readonly kind: 'interval'; readonly intervalMs: number }

export interface DevTime {
  /** Seconds that the chain's clock is ahead of the wall clock. */
  readonly offset: bigint
  /** Moves the chain's clock on. @returns the new offset, seconds */
  increase(seconds: bigint): bigint
  /** Sets the chain's clock; it goes on from there with the next block. @returns the new offset, seconds */
  set(timestamp: bigint): bigint
  /**
   * Timestamp of the next block only; the chain's clock goes on from there.
   * @throws {NodeError} INVALID_PARAMS when it is not after the head's
   */
  setNextBlock(timestamp: bigint): void
  /** Every block comes exactly so many seconds after the one before; undefined: by the clock. */
  setBlockInterval(seconds: bigint | undefined): void
}

/** What the next block is made with; each counts for that block only, unless it says otherwise. */
export interface DevBlock {
  /** Set for the next block, wei; undefined: it follows from the head. */
  readonly baseFee: bigint | undefined
  /** wei; @throws {NodeError} INVALID_PARAMS on a chain without a base fee */
  setBaseFee(baseFeePerGas: bigint): void
  setPrevRandao(prevRandao: Uint8Array): void
  /** This and every later block. */
  setCoinbase(address: Uint8Array): void
  /** This and every later block. */
  setGasLimit(gasLimit: bigint): void
}

export interface DevMining {
  readonly automine: boolean
  setAutomine(enabled: boolean): void
  /** One block each interval; 0 ends it. Milliseconds. */
  setInterval(intervalMs: number): void
  readonly intervalMs: number
  /**
   * Seals blocks at once: the first has what waits in the pool and fits, the others what is left.
   * @param intervalSeconds between the timestamps of the blocks; undefined: by the clock
   * @param signal ends the work early; the blocks made so far stay
   * @throws {NodeError} TIMEOUT once `signal` is aborted
   */
  mine(count: bigint, intervalSeconds?: bigint, signal?: AbortState): Promise<void>
  /** Seals one block. */
  mineAt(timestamp: bigint): Promise<void>
}

export interface DevState {
  setBalance(address: Uint8Array, balance: bigint): Promise<void>
  setNonce(address: Uint8Array, nonce: bigint): Promise<void>
  setCode(address: Uint8Array, code: Uint8Array): Promise<void>
  /** 32 bytes each */
  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): Promise<void>
}

export interface DevMetadata {
  /** Random at each start and reset. 32 bytes. */
  readonly instanceId: Uint8Array
  /** Snapshots that can be gone back to: id and block number. */
  readonly snapshots: readonly { readonly id: number; readonly blockNumber: bigint; readonly blockHash: Uint8Array }[]
}

export interface DevChain {
  readonly accounts: DevAccounts
  readonly time: DevTime
  readonly block: DevBlock
  readonly mining: DevMining
  readonly state: DevState
  readonly metadata: DevMetadata
  /** Remembers chain, state, time and pool. Ids begin at 1 and are not kept over a restart. */
  snapshot(): Promise<number>
  /** Goes back to a snapshot; it and those taken after it are gone. @returns false when there is no such snapshot */
  revert(id: number): Promise<boolean>
  /** Back to the genesis block as it was made, with an empty pool and default settings. */
  reset(): Promise<void>
  /** @returns false when it is not in the pool */
  dropTransaction(hash: Uint8Array): boolean
  dropAllTransactions(): void
}
