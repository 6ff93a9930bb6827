/**
 * World state, read and written at a root. Implementation: state/stateStore.ts and state/worldState.ts.
 *
 * State is a Merkle Patricia trie of immutable nodes with a flat view of the head: a reader pins its root and uses the
 * flat view only while the flat view is at that root, else it walks the trie.
 * @module
 */

import type { Account, StateDB } from '../evm/stateDb.ts'
import type { KeyValueReader } from '../ports/keyValueStore.ts'

/** Where a state trie is: its root hash and the version its root node was written with. */
export interface StateRoot {
  /** 32 bytes */
  readonly hash: Uint8Array
  readonly version: number
  /** true: there is no state; reading it is an error. */
  readonly isMissing?: boolean
  /** Of a state that is not stored: its nodes are in here, over the store. */
  readonly over?: KeyValueReader
}

/** The root of a state that was never here: of a block that was stored without being executed. */
export function missingState(hash: Uint8Array): StateRoot {
  return { hash, version: 0, isMissing: true }
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
  /** Empty when the account has none. */
  getCode(address: Uint8Array): Uint8Array
  /** 32-byte slot → 32-byte value; zero when unset. */
  getStorage(address: Uint8Array, slot: Uint8Array): Uint8Array
  /** Ascending by hash from `fromHash` (inclusive, 32 bytes), at most `limit`. */
  accounts(fromHash: Uint8Array, limit: number): AccountEntry[]
  /** Ascending by hash from `fromHash` (inclusive, 32 bytes), at most `limit`. */
  storage(address: Uint8Array, fromHash: Uint8Array, limit: number): StorageEntry[]
  prove(address: Uint8Array, slots: readonly Uint8Array[]): AccountProof
}

/** A state under change: what transactions of a block run on. Dropping it leaves no trace. */
export interface MutableState extends StateDB {
  /** Forgets the "original" storage values and the touched set of the transaction before. */
  beginTransaction(): void
  /**
   * Ends a transaction: deletes `selfDestructs`, and with `clearEmpty` (EIP-161) every touched account that is empty.
   */
  endTransaction(options: { readonly selfDestructs: readonly Uint8Array[]; readonly clearEmpty: boolean }): void
  /** Root hash of the state as it stands, 32 bytes. Hashes dirty nodes once. */
  rootHash(): Uint8Array
  /** An independent copy of the state as it stands (for simulation on top of a block under construction). */
  fork(): MutableState
}

/** States by header, as a block's record names them. */
export interface StateSource {
  /** undefined when the state is not kept (any more). */
  at(header: { readonly stateRoot: StateRoot }): StateReader | undefined
  /** A state to run something on, thrown away afterwards; undefined when it is not kept (any more). */
  mutable(header: { readonly stateRoot: StateRoot }): MutableState | undefined
}
