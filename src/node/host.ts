/**
 * The ports that a runtime supplies.
 * @module
 */

import type { ActivityHost } from '../activityLog/output.ts'
import type { ForkResetTarget } from '../api/forkAccess.ts'
import type { MirrorAccess } from '../api/mirrorAccess.ts'
import type { Plugin } from '../api/plugins.ts'
import type { BloomFiles } from '../base/ports/bloomFiles.ts'
import type { DatabaseInfo } from '../base/ports/databaseInfo.ts'
import type { Dns } from '../base/ports/dns.ts'
import type { EnclaveTransport } from '../base/ports/enclave.ts'
import type { DatasetHost } from '../base/ports/ethashDatasets.ts'
import type { FrameCiphers } from '../base/ports/frameCipher.ts'
import type { Logger, SenderRecovery } from '../base/ports/host.ts'
import type { HostNames } from '../base/ports/hostNames.ts'
import type { KeyValueStore, Residency } from '../base/ports/keyValueStore.ts'
import type { LogLevels } from '../base/ports/logLevels.ts'
import type { MetricsRegistry } from '../base/ports/metrics.ts'
import type { PermissionFiles } from '../base/ports/permissionFiles.ts'
import type { ReadProcessUsage } from '../base/ports/processUsage.ts'
import type { ShowProgress } from '../base/ports/progress.ts'
import type { RequestWorkers } from '../base/ports/requestWorkers.ts'
import type { OpenSealSearch } from '../base/ports/sealSearch.ts'
import type { Signer } from '../base/ports/signer.ts'
import type { TcpSockets } from '../base/ports/tcpSockets.ts'
import type { Timers } from '../base/ports/timers.ts'
import type { TraceFiles } from '../base/ports/traceFiles.ts'
import type { UdpSockets } from '../base/ports/udpSockets.ts'
import type { PackedAssets, WebAssets } from '../base/ports/webAssets.ts'
import type { CrossCheck } from '../chain/crossCheck.ts'
import type { ForkedBlock } from '../chain/forkedBlock.ts'
import type { DevAccount } from '../config/devAccounts.ts'
import type { Genesis } from '../config/genesisFile.ts'
import type { BftNetwork } from '../consensus/bft/messages/packets.ts'
import type { EndpointAccess } from '../http/access/contract.ts'
import type { Enode } from '../net/p2p/enode.ts'
import type { PrivacyUsers } from '../private/privacy/tenants.ts'
import type { SidecarVerification } from '../txpool/blobs.ts'
import type { ExecutionHost } from './execution.ts'
import type { ForkControl } from './fork/forkControl.ts'

/** Access control of each endpoint that has it. */
export interface HostAccess {
  readonly http?: EndpointAccess | undefined
  readonly webSocket?: EndpointAccess | undefined
}

/** Services that a runtime supplies. */
export interface NodeHost extends ExecutionHost {
  readonly store: KeyValueStore
  /** Needed over a store that is not fully resident. */
  readonly residency?: Residency | undefined
  /** Where the store is, for isonode_database; undefined: the host does not tell. */
  readonly database?: DatabaseInfo | undefined
  /** The chain that the dev chain continues; undefined: none. */
  readonly fork?: ForkControl | undefined
  /** Loads what opens other chains for a dev node; undefined: the node keeps its chain. */
  readonly loadChains?: (() => Promise<DevChains>) | undefined
  readonly logger: Logger
  /** Log of the dev chain; undefined: none. */
  readonly activity?: ActivityHost
  /** Shows the progress of long work; default: log messages. */
  readonly showProgress?: ShowProgress | undefined
  /** Interrupts a migration of the database, which the next start continues, and the writing of a large genesis block. */
  readonly stopSignal?: { readonly aborted: boolean } | undefined
  readonly senders: SenderRecovery
  /** Verifies proofs of blob transactions; undefined: verified on this thread, in steps. */
  readonly verifySidecar?: SidecarVerification
  /** Threads for heavy methods; undefined: these run on this thread. */
  readonly workers?: RequestWorkers
  /** `os-arch/runtime`, for web3_clientVersion. */
  readonly platform: string
  /** For --evm-cross-check; undefined on hosts without a second implementation. */
  readonly loadCrossCheck?: (() => Promise<CrossCheck>) | undefined
  /** Stores a mismatch report of --evm-cross-check under a name; undefined on hosts without files. */
  readonly keepFile?: (name: string, text: string) => void
  /** Files of debug_standardTrace…ToFile; undefined on hosts without files. */
  readonly traceFiles?: TraceFiles
  /** Files of log blooms; undefined on hosts without files. */
  readonly bloomFiles?: BloomFiles
  /** Files of allowlists; undefined on hosts without files. */
  readonly permissionFiles?: PermissionFiles
  /** Levels of the log; undefined: the program that runs the node determines them. */
  readonly logLevels?: LogLevels | undefined
  /** Threads that search for seals of proof of work; undefined: this thread searches, in slices. */
  readonly openSealSearch?: OpenSealSearch
  /** Threads with shared memory that compute ethash datasets; undefined: there are none, and --miner-dag=full is refused. */
  readonly ethashDatasets?: DatasetHost
  readonly timers: Timers
  /** Files of the GraphiQL page of the dev chain; undefined: none. */
  readonly graphiql?: WebAssets
  /** Files of the explorer; undefined: none. */
  readonly explorer?: PackedAssets
  /** Access control of the endpoints; default: every caller may call every method. */
  readonly access?: HostAccess | undefined
  /** Whether the host can serve over TLS. */
  readonly servesTls?: boolean
  /** Holds the node key; undefined when the node has no identity towards peers. */
  readonly signer?: Signer
  /** Connections to other BFT validators; undefined: none. */
  readonly bftNetwork?: BftNetwork | undefined
  /** Default: no metrics. */
  readonly metrics?: MetricsRegistry | undefined
  /** The mirror that the host publishes of this node; undefined: none. */
  readonly mirror?: MirrorAccess | undefined
  /** Resources that the process uses, for its metrics. */
  readonly processUsage?: ReadProcessUsage | undefined
  /** Modules of the operator. */
  readonly plugins?: readonly Plugin[] | undefined
  /** undefined on a runtime without sockets. */
  readonly tcp?: TcpSockets
  readonly udp?: UdpSockets
  /** undefined: DNS node lists cannot be read. */
  readonly dns?: Dns
  /** Peers to stay connected to. */
  readonly staticNodes?: readonly Enode[] | undefined
  /** undefined: enode URLs need addresses. */
  readonly hostNames?: HostNames | undefined
  /** Loads the primitives of RLPx; default: portable ones. */
  readonly loadFrameCiphers?: () => Promise<FrameCiphers>
  /** undefined: no private transactions */
  readonly privacy?: PrivacyHost | undefined
}

/** Other chains that a dev node may have. */
export interface DevChains {
  /**
   * Opens one that continues a block of another chain.
   * @throws {NodeError} FORK_UNSUPPORTED, and those of the remote
   */
  toFork(target: ForkResetTarget): Promise<NextChain>
  /** Opens the one that the options describe. @throws {NodeError} FORK_UNSUPPORTED, INVALID_GENESIS */
  toPlain(): Promise<NextChain>
}

/** A chain over another store. */
export interface NextChain extends Pick<NodeHost, 'store' | 'residency' | 'fork'> {
  readonly genesis: NodeGenesis
  /** Releases the store and the remote. */
  close(): Promise<void>
}

/** Private transactions of a node. */
export interface PrivacyHost {
  readonly transport: EnclaveTransport
  readonly users: PrivacyUsers
  /** Private key that signs markers, 32 bytes; undefined: a random key for each marker. */
  readonly markerKey: Uint8Array | undefined
  /** Whether groups are in contracts. */
  readonly isFlexible: boolean
}

/** The chain that the node runs. */
export interface NodeGenesis {
  readonly genesis: Genesis
  /** Source of the genesis, kept in the store. */
  readonly text: string
  /** Accounts whose keys a dev chain has; default: the known ones. */
  readonly accounts?: readonly DevAccount[]
  /** Whether a reset of the dev chain gives block 0 the present time; default: it keeps its time. */
  readonly beginsNow?: boolean
  /** The block of another chain that this one continues. */
  readonly forked?: ForkedBlock
}
