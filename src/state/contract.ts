/**
 * World state, read and written at a root. Implementation: state/stateStore.ts and state/worldState.ts.
 *
 * State is a Merkle Patricia trie of immutable nodes with a flat view of the head. A reader pins its root: it reads the
 * flat view while the flat view is at that root, and otherwise walks the trie.
 * @module
 */

import type { KeyValueReader, RemoteBlock } from '../base/ports/keyValueStore.ts'
import type { Account, StateDB } from '../evm/stateDb.ts'

/**
 * Location of a state trie: its root hash and the version with which its root node was written. Nodes are stored by
 * path
 * and version, so the hash alone does not find the root node. The version is part of
 * its identity, because the key of a trie node is its version and path, not its hash: two commits that lead to the same
 * root hash have different nodes in the store, and each of them can be deleted without the other.
 */
export interface StateRoot {
  /** 32 bytes */
  readonly hash: Uint8Array
  readonly version: number
  /** Nodes of a state that is not stored; overlays the store. */
  readonly over?: KeyValueReader
  /**
   * Of a fork: the block of the other chain whose state is read where nothing is stored. Undefined for the block on which the
   * local chain begins, and without a fork.
   */
  readonly base?: RemoteBlock
  readonly isMissing?: undefined
}

/** A state of which only the root hash is known: its block was stored without execution, or the state was deleted. */
export interface MissingState {
  /** 32 bytes */
  readonly hash: Uint8Array
  readonly isMissing: true
  /** Set for a deleted state. */
  readonly pruned?: PrunedState | undefined
}

/** A block whose state was deleted. */
export interface PrunedState {
  readonly number: number
  /** The lowest block whose state is kept. */
  readonly keptFrom: number
}

/** The state after a stored block. */
export type StoredState = StateRoot | MissingState

export function missingState(hash: Uint8Array, pruned?: PrunedState): MissingState {
  return { hash, isMissing: true, pruned }
}

/** Whether the state after a block can be read. */
export function hasState<Block extends { readonly stateRoot: StoredState }>(
  block: Block,
): block is Block & { readonly stateRoot: StateRoot } {
  return block.stateRoot.isMissing !== true
}

export interface AccountState extends Account {
  /** 32 bytes */
  readonly storageRoot: Uint8Array
}

export interface AccountEntry {
  /** keccak256(address), 32 bytes */
  readonly hash: Uint8Array
  /** undefined when the preimage is unknown */
  readonly address: Uint8Array | undefined
  readonly account: AccountState
}

export interface StorageEntry {
  /** keccak256(slot), 32 bytes */
  readonly hash: Uint8Array
  /** undefined when the preimage is unknown */
  readonly slot: Uint8Array | undefined
  /** 32 bytes */
  readonly value: Uint8Array
}

export interface StorageProof {
  readonly slot: Uint8Array
  readonly value: Uint8Array
  readonly proof: readonly Uint8Array[]
}

/** EIP-1186. Nodes are RLP, root first; an exclusion proof ends at the node that shows the absence. */
export interface AccountProof {
  readonly account: AccountState | undefined
  readonly accountProof: readonly Uint8Array[]
  readonly storageProof: readonly StorageProof[]
}

/** Read-only view of one state. Any read may throw `StoreMiss` over a store that is not resident. */
export interface StateReader {
  readonly root: StateRoot
  getAccount(address: Uint8Array): AccountState | undefined
  /** Empty for an account without code. */
  getCode(address: Uint8Array): Uint8Array
  /** 32-byte slot → 32-byte value; zero when unset. */
  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array
  /** Ascending by hash from `fromHash` (inclusive, 32 bytes), at most `limit`. */
  accounts(fromHash: Uint8Array, limit: number): AccountEntry[]
  /** Ascending by hash from `fromHash` (inclusive, 32 bytes), at most `limit`. */
  storage(address: Uint8Array, fromHash: Uint8Array, limit: number): StorageEntry[]
  prove(address: Uint8Array, slots: readonly Uint8Array[]): AccountProof
}

/** A mutable state, on which the transactions of a block are executed. Discarding it has no effect on the store. */
export interface MutableState extends StateDB {
  /** Discards the "original" storage values and the touched set of the previous transaction. */
  beginTransaction(): void
  /**
   * Ends a transaction: deletes `selfDestructs` and, with `clearEmpty` (EIP-161), every touched account that is empty.
   */
  endTransaction(options: { readonly selfDestructs: readonly Uint8Array[]; readonly clearEmpty: boolean }): void
  /** Root hash of the current state, 32 bytes. Hashes each dirty node once. */
  rootHash(): Uint8Array
  /** An independent copy of the current state (for simulation on top of a block under construction). */
  fork(): MutableState
}

/** Slots whose values are not in the trie: hashes of derived blocks (chain/transition/blockHashHistory.ts). */
export interface StorageRecall {
  /** 20 bytes */
  readonly address: Uint8Array
  /** 32 bytes; undefined: the value in the trie */
  value(slot: Uint8Array): Uint8Array | undefined
}

/** A block whose state is read. */
export interface StateOwner {
  readonly stateRoot: StoredState
  readonly run?: { readonly recall: StorageRecall } | undefined
}

/** States by header, as referenced in a block's record. Both throw STATE_PRUNED when the state was deleted. */
export interface StateSource {
  /** undefined when the state is not available */
  at(header: StateOwner): StateReader | undefined
  /** A temporary state for execution; undefined when the state is not available. */
  mutable(header: StateOwner): MutableState | undefined
}

/** Code of the contracts of all states. */
export interface CodeSource {
  /** @returns undefined when no contract with this code is stored */
  code(codeHash: Uint8Array): Uint8Array | undefined
}
