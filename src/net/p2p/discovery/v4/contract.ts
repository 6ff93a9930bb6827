/**
 * The boundary of the discovery protocol: events in, effects out.
 * @module
 */
import type { Random } from '../../../../base/ports/random.ts'
import type { Signer } from '../../../../base/ports/signer.ts'
import type { SocketAddress } from '../../../../base/ports/tcpSockets.ts'
import type { AddressShare } from '../../addressShare.ts'
import type { NodeRecord } from '../nodeRecord.ts'
import type { NodeContact, TableNode } from '../table.ts'

/** The time of an event. */
export interface Moment {
  /** From an arbitrary start. */
  readonly monotonicMs: number
  /** Since 1970. */
  readonly unixMs: number
}

export type DiscoveryEvent =
  | { readonly kind: 'start' }
  /** A datagram for which `isPacket` holds. */
  | { readonly kind: 'packet'; readonly bytes: Uint8Array; readonly from: SocketAddress }
  /** `nextAtMs` has been reached. */
  | { readonly kind: 'tick' }
  /** Finds the nodes nearest to a public key of 64 bytes. */
  | { readonly kind: 'lookup'; readonly target: Uint8Array }
  /** Nodes known from elsewhere, such as DNS lists. Those beyond MAX_DISCOVERY_REQUESTS are ignored. */
  | { readonly kind: 'contacts'; readonly nodes: readonly NodeContact[] }
  /** Whether the node has fewer peers than it wants; lookups are more frequent then. */
  | { readonly kind: 'peersWanted'; readonly isWanted: boolean }

export type DiscoveryEffect =
  | { readonly kind: 'send'; readonly bytes: Uint8Array; readonly to: SocketAddress }
  /** A node was added to the table, or its record was. */
  | { readonly kind: 'found'; readonly node: TableNode }
  | { readonly kind: 'lost'; readonly id: Uint8Array }
  | { readonly kind: 'lookupDone'; readonly target: Uint8Array; readonly nodes: readonly NodeContact[] }

export interface DiscoveryOptions {
  readonly signer: Signer
  readonly random: Random
  /** The advertised address. */
  readonly self: { readonly host: string; readonly udpPort: number; readonly tcpPort: number }
  readonly bootnodes: readonly NodeContact[]
  /** Limits per site. Default: those of the node. */
  readonly share?: AddressShare | undefined
  /** The current record of this node. */
  record(): NodeRecord
  /** Whether a node may be contacted and answered: not banned, permitted. Asked again each minute for the whole table. */
  allows(id: Uint8Array, host: string): boolean
  /** Whether the fork id in a record is compatible; also called for records without one. */
  acceptsRecord(record: NodeRecord): boolean
}
