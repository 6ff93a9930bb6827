import type { Genesis } from '../config/genesisFile.ts'
import type { Logger, SenderRecovery } from '../ports/host.ts'
import type { KeyValueStore, Residency } from '../ports/keyValueStore.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { RequestWorkers } from '../ports/requestWorkers.ts'
import type { Signer } from '../ports/signer.ts'
import type { TcpSockets } from '../ports/tcpSockets.ts'
import type { Timers } from '../ports/timers.ts'
import type { TraceFiles } from '../ports/traceFiles.ts'
import type { UdpSockets } from '../ports/udpSockets.ts'
import type { SidecarVerification } from '../txpool/blobs.ts'
import type { ExecutionHost } from './execution.ts'

/** What a runtime supplies. */
export interface NodeHost extends ExecutionHost {
  readonly store: KeyValueStore
  /** Over a store that is not resident as a whole. */
  readonly residency?: Residency
  readonly logger: Logger
  readonly senders: SenderRecovery
  /** Proofs of blob transactions; undefined: they are verified here, in steps. */
  readonly verifySidecar?: SidecarVerification
  /** Take the requests of heavy methods; undefined: those run here like all others. */
  readonly workers?: RequestWorkers
  /** `os-arch/runtime`, for web3_clientVersion. */
  readonly platform: string
  /** Stores a mismatch report of --evm-cross-check under a name; undefined on hosts without files. */
  readonly keepFile?: (name: string, text: string) => void
  /** Of debug_standardTrace…ToFile; undefined where there is no place for files. */
  readonly traceFiles?: TraceFiles
  readonly timers: Timers
  /** Holds the node key; undefined where the node has no identity towards peers. */
  readonly signer?: Signer
  /** Default: nothing is measured. */
  readonly metrics?: Metrics
  /** undefined: a runtime without sockets. */
  readonly tcp?: TcpSockets
  readonly udp?: UdpSockets
}

/** Which chain the node runs. */
export interface NodeGenesis {
  readonly genesis: Genesis
  /** What the genesis was read from, kept in the store. */
  readonly text: string
}
