/**
 * The chain that a dev chain continues, as methods see it.
 * @module
 */
import type { ChainHeader } from '../chain/contract.ts'
import type { RemoteStatus } from '../remote/contract.ts'
import type { AccountProof } from '../state/contract.ts'
import type { RemoteLogs } from './remoteLogs.ts'

/** For isonode_forkStatus. */
export interface ForkStatus extends RemoteStatus {
  /** Values that the pack or the cache had. */
  readonly hits: number
  /** Values that neither had. */
  readonly misses: number
}

/** Where a reset begins the chain; what is absent stays as it is. */
export interface ForkResetTarget {
  readonly url?: string | undefined
  /** A number or a tag. Default: the newest block of a new address, otherwise the present one. */
  readonly block?: string | undefined
}

export interface ForkAccess {
  /** The block that the chain continues. */
  readonly block: { readonly number: number; readonly hash: Uint8Array }
  /** Chain id of the remote. */
  readonly chainId: bigint
  /** Scheme, host and port of the first address: the rest may hold a key. */
  readonly origin: string | undefined
  readonly retryBackoffMs: number
  readonly status: ForkStatus
  /** undefined: the node searches the receipts itself */
  readonly logs: RemoteLogs | undefined
  /**
   * Proof of an account in the state of the block, or of one before it.
   * @throws {NodeError} PROOF_INVALID, FORK_UNAVAILABLE and others of the remote
   */
  prove(block: ChainHeader, address: Uint8Array, slots: readonly Uint8Array[]): Promise<AccountProof>
  /**
   * Asks another address from now on, which must serve the same chain.
   * @throws {NodeError} FORK_BLOCK_CHANGED, FORK_UNAVAILABLE; the present address stays then
   */
  setUrl(url: string): Promise<void>
  /**
   * Begins the chain again. It has happened, or the chain is as before.
   * @returns false, and changes nothing, when the address serves another chain
   * @throws {NodeError} FORK_UNAVAILABLE
   */
  reset(target: ForkResetTarget): Promise<boolean>
}

/** Replaces the chain of a dev node by another one. It has happened, or the chain is as before. */
export interface ChainSuccession {
  /**
   * Continues a block of the chain at an address.
   * @throws {NodeError} FORK_UNAVAILABLE and others of the remote; FORK_UNSUPPORTED when this node keeps its chain
   */
  toFork(target: ForkResetTarget): Promise<void>
  /**
   * Begins the dev chain that the options describe, which continues no other one.
   * @throws {NodeError} FORK_UNSUPPORTED when this node keeps its chain
   */
  toPlain(): Promise<void>
}
