import type { Random } from '../../../../base/ports/random.ts'
import type { Signer } from '../../../../base/ports/signer.ts'
import type { SocketAddress } from '../../../../base/ports/tcpSockets.ts'
import type { AddressShare } from '../../addressShare.ts'
import type { NodeRecord } from '../nodeRecord.ts'
import type { TableNode } from '../table.ts'

export type DiscoveryV5Event =
  | { readonly kind: 'packet'; readonly bytes: Uint8Array; readonly from: SocketAddress }
  /** `nextAtMs` has been reached. */
  | { readonly kind: 'tick' }
  /** Records known from elsewhere; their nodes are contacted. */
  | { readonly kind: 'contacts'; readonly records: readonly NodeRecord[] }

export type DiscoveryV5Effect =
  | { readonly kind: 'send'; readonly bytes: Uint8Array; readonly to: SocketAddress }
  | { readonly kind: 'found'; readonly node: TableNode }
  | { readonly kind: 'lost'; readonly id: Uint8Array }

export interface DiscoveryV5Options {
  readonly signer: Signer
  readonly random: Random
  /** Limits per site. Default: those of the node. */
  readonly share?: AddressShare | undefined
  /** The current record of this node. */
  record(): NodeRecord
  /** Whether a node may be contacted and answered: not banned, permitted. */
  allows(id: Uint8Array, host: string): boolean
  /** Whether the fork id in a record is compatible. */
  acceptsRecord(record: NodeRecord): boolean
}
