/**
 * Information about the node: name, services, network.
 * @module
 */

import type { Enode } from '../net/p2p/enode.ts'

export interface SyncStatus {
  readonly startingBlock: bigint
  readonly currentBlock: bigint
  readonly highestBlock: bigint
  /** Progress of a state download, if any. */
  readonly pulledStates?: bigint
  readonly knownStates?: bigint
}

/** Host and port of a listening service. */
export interface ServiceAddress {
  readonly host: string
  readonly port: number
}

export type ServiceName = 'jsonrpc' | 'ws' | 'p2p' | 'metrics'

export interface NetworkInfo {
  /** false: --p2p-enabled=false, or a runtime without sockets. */
  readonly enabled: boolean
  /** false: the node creates all blocks itself (dev chain), so it is ready without peers. */
  readonly needsPeers: boolean
  readonly listening: boolean
  readonly peerCount: number
  /** Address for peers; undefined until the network runs. */
  readonly local: Enode | undefined
}

/** Information about the node. Members are read at each request. */
export interface NodeInfo {
  /** `name/version/os-arch/runtime` */
  readonly clientVersion: string
  readonly networkId: bigint
  readonly network: NetworkInfo
  /** Whether blocks are produced here or arrive from peers; otherwise, only imports extend the chain. */
  readonly isExtended: boolean
  /** Listening services by name. */
  readonly services: Readonly<Partial<Record<ServiceName, ServiceAddress>>>
  /** undefined: in sync. */
  readonly syncStatus: SyncStatus | undefined
  /** Why the chain makes no blocks although they are due; undefined while it makes them. */
  readonly standstill?: string | undefined
  /** Highest version of the eth protocol. */
  readonly protocolVersion: number
}
