/**
 * The node itself: its name, its services, its network.
 * @module
 */

export interface SyncStatus {
  readonly startingBlock: bigint
  readonly currentBlock: bigint
  readonly highestBlock: bigint
  /** Of a state download that is going on. */
  readonly pulledStates?: bigint
  readonly knownStates?: bigint
}

/** Host and port of a service that listens. */
export interface ServiceAddress {
  readonly host: string
  readonly port: number
}

export type ServiceName = 'jsonrpc' | 'ws' | 'p2p' | 'metrics'

export interface NetworkInfo {
  /** false: --p2p-enabled=false, or a runtime without sockets. */
  readonly enabled: boolean
  /** false: the node makes all blocks itself (dev chain), so that it is ready without peers. */
  readonly needsPeers: boolean
  readonly listening: boolean
  readonly peerCount: number
  /** undefined until the network runs. */
  readonly enode: string | undefined
}

/** The node itself. Members are read at each request. */
export interface NodeInfo {
  /** `name/version/os-arch/runtime` */
  readonly clientVersion: string
  readonly networkId: bigint
  readonly network: NetworkInfo
  /** Services that listen, by name. */
  readonly services: Readonly<Partial<Record<ServiceName, ServiceAddress>>>
  /** undefined: in sync. */
  readonly syncStatus: SyncStatus | undefined
  /** Highest version of the eth protocol. */
  readonly protocolVersion: number
}
