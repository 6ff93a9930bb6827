/**
 * The state under a chain that forks another one. Where the local state has no entry, the base answers, by address and slot:
 * another node knows neither hashes of addresses nor the nodes of this node's tries.
 * @module
 */
import type { RemoteBlock } from '../base/ports/keyValueStore.ts'

export interface BaseAccount {
  readonly nonce: bigint
  /** wei */
  readonly balance: bigint
  /** 32 bytes */
  readonly codeHash: Uint8Array
  /** 32 bytes; undefined where the remote cannot prove it */
  readonly storageRoot: Uint8Array | undefined
}

/** Every read throws `StoreMiss` of the kind `state` for data that are not in memory. */
export interface BaseState {
  /** The block on which the local chain begins. */
  readonly forkBlock: RemoteBlock
  /** @returns undefined for an account that does not exist */
  account(block: RemoteBlock, address: Uint8Array): BaseAccount | undefined
  /** @returns 32 bytes; zero when unset, at once if the account is known to have no storage */
  storage(block: RemoteBlock, address: Uint8Array, slot: Uint8Array): Uint8Array
  /** @param codeHash of the account at the block */
  code(block: RemoteBlock, address: Uint8Array, codeHash: Uint8Array): Uint8Array
}
