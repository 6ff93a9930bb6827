/**
 * The peers of the node, for `admin_*`.
 * @module
 */
import type { Enode } from '../net/p2p/enode.ts'

/** A connected peer that has exchanged its status. */
export interface ConnectedPeer {
  /** Version of devp2p in its hello message. */
  readonly version: number
  readonly name: string
  /** All announced capabilities, such as `eth/68`. */
  readonly capabilities: readonly string[]
  /** Addresses of the connection, `host:port`. */
  readonly localAddress: string
  readonly remoteAddress: string
  /** Port in its hello message. */
  readonly port: number
  readonly enode: Enode
  /** Version of the eth protocol that both speak. */
  readonly ethVersion: number
  /** undefined while it is unknown; eth/69 does not announce it */
  readonly totalDifficulty: bigint | undefined
  /** undefined while it is unknown */
  readonly headHash: Uint8Array | undefined
}

/** Connections to peers. The network implements them; without it, there are none. */
export interface PeerConnections {
  /** In order of their connection. */
  readonly peers: readonly ConnectedPeer[]
  /** Connects, and connects again whenever the connection is lost, until `release`. */
  maintain(peer: Enode): void
  /** A maintained peer has another address. An open connection continues. */
  move(from: Enode, to: Enode): void
  /** Disconnects the peer, maintained or not. */
  release(peer: Enode): void
}

/** Peers that the operator has chosen. The list is kept in memory. */
export interface PeerControl {
  readonly connected: readonly ConnectedPeer[]
  /**
   * @returns false when the peer is in the list already or is this node
   * @throws {NodeError} TOO_MANY_PEERS
   */
  add(peer: Enode): boolean
  /** Also disconnects the peer. @returns whether it was in the list */
  remove(peer: Enode): boolean
  /** Adds and removes peers by enode URLs with host names; undefined: such URLs are not allowed. */
  readonly named: NamedPeerControl | undefined
}

/** Each throws INVALID_ENODE_URL for a URL whose name has no address. */
export interface NamedPeerControl {
  add(url: string): Promise<boolean>
  remove(url: string): Promise<boolean>
}
