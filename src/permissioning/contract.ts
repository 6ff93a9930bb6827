/**
 * Permissioning as other parts of the node see it.
 * @see docs/reference/permissioning.md
 * @module
 */
import type { Unsubscribe } from '../base/primitives/events.ts'

/** An allowlist that is kept in a file. A refused change has no effect, except where the error says so. */
export interface AllowlistControl {
  /** In order of insertion: addresses in lower case, or enode URLs in canonical form. */
  readonly entries: readonly string[]
  /**
   * @throws {NodeError} …_ALLOWLIST_EMPTY_ENTRY, …_INVALID_ENTRY, …_DUPLICATED_ENTRY, …_EXISTING_ENTRY,
   *   ALLOWLIST_PERSIST_FAILURE; ALLOWLIST_FILE_SYNC when the list has changed but not the file
   */
  add(entries: readonly unknown[]): void
  /**
   * @throws {NodeError} those of `add` with ACCOUNT_ALLOWLIST_ABSENT_ENTRY, NODE_ALLOWLIST_MISSING_ENTRY and
   *   NODE_ALLOWLIST_FIXED_NODE_CANNOT_BE_REMOVED instead of …_EXISTING_ENTRY
   */
  remove(entries: readonly unknown[]): void
}

/** The allowlists in files, for `perm_*`; undefined: not enabled. */
export interface PermissionControl {
  readonly accounts: AllowlistControl | undefined
  readonly nodes: AllowlistControl | undefined
  /**
   * Reads the lists from their files again; none changes when one cannot be read.
   * @throws {NodeError} ALLOWLIST_RELOAD_ERROR
   */
  reload(): void
}

/** The listening end of a node. */
export interface PeerEndpoint {
  /** Public key, 64 bytes x ‖ y. */
  readonly id: Uint8Array
  /** IP address. */
  readonly host: string
  /** TCP; 0: unknown, or the node does not listen. */
  readonly port: number
}

/**
 * `outbound`: this node dials. `inbound`: the peer dials. `discovery`: discovery may contact and answer the peer; its
 * port is not known.
 */
export type ConnectionDirection = 'outbound' | 'inbound' | 'discovery'

/** Rules about connections to peers. */
export interface NodePermissions {
  allows(peer: PeerEndpoint, direction: ConnectionDirection): boolean
  /** Reports that verdicts may have changed: connections have to be checked again. */
  onChange(listener: () => void): Unsubscribe
}

/** The network as the rules see it. */
export interface NetworkView {
  /** The listening end of this node. */
  readonly self: PeerEndpoint
  /** Whether the node has ever been in sync with its peers. */
  readonly hasSynced: boolean
  /** Node ids of connected peers, 128 hexadecimal digits each. */
  readonly connected: Iterable<string>
}
