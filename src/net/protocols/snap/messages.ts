/**
 * Messages of snap/1. Byte strings of received messages are views of the payload.
 * @see devp2p caps/snap.md
 * @module
 */

/** Codes are relative to the first of the capability. */
export const SNAP_CODES = {
  getAccountRange: 0x00,
  accountRange: 0x01,
  getStorageRanges: 0x02,
  storageRanges: 0x03,
  getByteCodes: 0x04,
  byteCodes: 0x05,
  getTrieNodes: 0x06,
  trieNodes: 0x07,
} as const

/** Number of codes that the capability reserves. */
export const SNAP_CODE_COUNT = 8

export type SnapMessageKind = keyof typeof SNAP_CODES

interface Identified {
  readonly requestId: bigint
}

interface Limited extends Identified {
  /** Bytes after which the answer should end. */
  readonly maxBytes: bigint
}

export interface GetAccountRange extends Limited {
  readonly kind: 'getAccountRange'
  /** 32 bytes */
  readonly root: Uint8Array
  /** First account hash of the range, 32 bytes. */
  readonly start: Uint8Array
  /** 32 bytes; the first account at or after it ends the answer. */
  readonly limit: Uint8Array
}

/** A key of a trie with its value. */
export interface SnapEntry {
  /** 32 bytes */
  readonly hash: Uint8Array
  /** A slim account or the value of a slot, RLP. */
  readonly body: Uint8Array
}

export interface AccountRange extends Identified {
  readonly kind: 'accountRange'
  readonly accounts: readonly SnapEntry[]
  /** RLP of trie nodes on the paths of the first key asked for and of the last account. */
  readonly proof: readonly Uint8Array[]
}

export interface GetStorageRanges extends Limited {
  readonly kind: 'getStorageRanges'
  readonly root: Uint8Array
  /** Account hashes, 32 bytes each. */
  readonly accounts: readonly Uint8Array[]
  /** For the first account, 32 bytes; undefined: from the beginning. */
  readonly start: Uint8Array | undefined
  /** 32 bytes; undefined: to the end. */
  readonly limit: Uint8Array | undefined
}

export interface StorageRanges extends Identified {
  readonly kind: 'storageRanges'
  /** One list per account. */
  readonly slots: readonly (readonly SnapEntry[])[]
  /** For the last account; empty when its slots are complete. */
  readonly proof: readonly Uint8Array[]
}

export interface GetByteCodes extends Limited {
  readonly kind: 'getByteCodes'
  readonly hashes: readonly Uint8Array[]
}

export interface ByteCodes extends Identified {
  readonly kind: 'byteCodes'
  readonly codes: readonly Uint8Array[]
}

export interface GetTrieNodes extends Limited {
  readonly kind: 'getTrieNodes'
  readonly root: Uint8Array
  /**
   * Each set is one path in the account trie, or an account hash and paths in its storage trie. Paths are in hex-prefix
   * encoding.
   */
  readonly paths: readonly (readonly Uint8Array[])[]
}

export interface TrieNodes extends Identified {
  readonly kind: 'trieNodes'
  /** RLP; empty for a path without a node */
  readonly nodes: readonly Uint8Array[]
}

export type SnapRequest = GetAccountRange | GetStorageRanges | GetByteCodes | GetTrieNodes
export type SnapMessage = SnapRequest | AccountRange | StorageRanges | ByteCodes | TrieNodes
