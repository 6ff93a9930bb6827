/**
 * What RPC methods need of the node. Each method names the few members it uses; node/ puts them together.
 * @module
 */

import type { FilterRegistry } from '../api/feeds/filterRegistry.ts'
import type { SubscriptionHub } from '../api/feeds/subscriptionHub.ts'
import type { RpcProfile } from '../api/profile.ts'
import type { ChainHeader, ChainReader } from '../chain/contract.ts'
import type { Rejection } from '../chain/transition/rejection.ts'
import type { ForkRules } from '../config/forks.ts'
import type { ConsensusSchedule } from '../consensus/engine.ts'
import type { DevChain } from '../dev/contract.ts'
import type { AbortState } from '../evm/driver.ts'
import type { BlockEnvironment, MessageResult } from '../evm/evm.ts'
import type { Residency } from '../ports/keyValueStore.ts'
import type { YieldToHost } from '../ports/yieldToHost.ts'
import type { MutableState, StateReader } from '../state/contract.ts'
import type { BlockTraceFiles } from '../tracing/blockTraceFiles.ts'
import type { BlockTracing, Tracer } from '../tracing/contract.ts'
import type { PoolReader } from '../txpool/contract.ts'
import type { Header, Withdrawal } from '../types/block.ts'
import type { StoredReceipt } from '../types/receipt.ts'
import type { AccessList, Authorization, Transaction } from '../types/transaction.ts'

/** States by block. */
export interface StateSource {
  /** undefined when the state is not kept (any more). */
  at(header: ChainHeader): StateReader | undefined
  /** A state to run something on, thrown away afterwards; undefined when it is not kept (any more). */
  mutable(header: ChainHeader): MutableState | undefined
}

/** The pool of a node that has none. */
export const EMPTY_POOL: PoolReader = {
  size: 0,
  localCount: 0,
  maxSize: 0,
  byHash: () => undefined,
  nextNonce: () => undefined,
  transactions: () => [],
  senders: () => [],
  bySender: () => [],
}

/** The way of a transaction from a client into the chain. All methods throw the codes of txpool/admission.ts. */
export interface TransactionSubmission {
  /**
   * @param raw in the form that a client sends: canonical, or with blobs
   * @returns its hash, once it is kept: committed in a block where sealing is instant, else in the pool
   */
  submitRaw(raw: Uint8Array): Promise<Uint8Array>
  /**
   * The same for a transaction that was made here.
   * @param impersonatedSender taken as the sender whatever the signature says (dev chain)
   */
  submit(transaction: Transaction, impersonatedSender?: Uint8Array): Promise<Uint8Array>
}

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

export interface MiningInfo {
  readonly coinbase: Uint8Array | undefined
  readonly mining: boolean
  /** hashes a second */
  readonly hashrate: bigint
  /** wei */
  readonly minGasPrice: bigint
}

/** `miner_*` */
export interface MiningControl {
  /** @throws {NodeError} COINBASE_NOT_SET */
  start(): void
  stop(): void
  setCoinbase(address: Uint8Array): void
  /** @throws {NodeError} TARGET_GAS_LIMIT_MODIFICATION_UNSUPPORTED */
  setTargetGasLimit(gasLimit: bigint): void
}

/** A transaction that is only simulated: without signature, its nonce is the sender's. */
export interface SimulatedTransaction {
  /** 20 bytes; may have code */
  readonly from: Uint8Array
  readonly to: Uint8Array | undefined
  readonly gas: bigint
  readonly value: bigint
  readonly data: Uint8Array
  /** wei; the price of a transaction with one price stands here twice */
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /** false: the gas is free, whatever the prices and the base fee are */
  readonly chargesFees: boolean
  /** wei; undefined: blobs are free */
  readonly maxFeePerBlobGas: bigint | undefined
  readonly accessList: AccessList
  readonly blobVersionedHashes: readonly Uint8Array[]
  readonly authorizationList: readonly Authorization[]
  /** Checked against the sender's; undefined: whatever it is. */
  readonly nonce: bigint | undefined
}

/** The block that a simulated transaction runs in. */
export interface SimulatedBlock {
  readonly rules: ForkRules
  readonly environment: BlockEnvironment
}

export interface CallInput {
  /** Changed by the call as by a transaction of a block. */
  readonly state: MutableState
  readonly block: SimulatedBlock
  readonly transaction: SimulatedTransaction
  /** New address in hex → original address in hex; what is moved or replaced by code is gone at its own address. */
  readonly movedPrecompiles: ReadonlyMap<string, string> | undefined
  /** Fill `result.accessed`. */
  readonly collectAccessed: boolean
  /** Put a log of 0xeeee… among the logs for every transfer of value. */
  readonly transferLogs: boolean
  /** Sees the call; nothing of one that is invalid. */
  readonly tracer?: Tracer
  readonly limits: CallLimits
}

export type CallOutcome =
  /** Not a valid transaction in this block; nothing ran. */
  | { readonly kind: 'invalid'; readonly rejection: Rejection }
  | {
      readonly kind: 'executed'
      readonly result: MessageResult
      /** After refunds: what the sender pays for. */
      readonly gasUsed: bigint
      readonly gasUsedBeforeRefund: bigint
    }

/** A block under construction in a simulation. */
export interface BlockStepInput {
  readonly state: MutableState
  readonly block: SimulatedBlock
  /** What is known of the header so far; roots are not. */
  readonly header: Header
  readonly withdrawals: readonly Withdrawal[] | undefined
  readonly limits: CallLimits
}

/**
 * Simulates transactions and blocks; the driver of the execution engine keeps the limits. All methods throw
 * EXECUTION_TIMEOUT or EXECUTION_ABORTED when the limits are reached.
 */
export interface CallRunner {
  /** Limits of a request that takes several runs: the time is that of all of them. */
  limits(signal: AbortState | undefined, timeoutMs: number): CallLimits
  run(input: CallInput): CallOutcome | Promise<CallOutcome>
  /** What a block does before its first transaction. */
  openBlock(input: BlockStepInput): Promise<void>
  /**
   * What a block does after its last transaction.
   * @returns EIP-7685 requests; undefined before Prague
   * @throws {NodeError} SIMULATION_INVALID_TRANSACTION when a system call fails
   */
  closeBlock(input: BlockStepInput, receipts: readonly StoredReceipt[]): Promise<readonly Uint8Array[] | undefined>
}

/** When to give up. */
export interface CallLimits {
  readonly signal: AbortState | undefined
  /** Wall-clock time from the start of a run. */
  readonly timeoutMs: number
  /** End of all runs together, by the monotonic clock of the runner; undefined: each has `timeoutMs`. */
  readonly deadline?: number | undefined
}

/** Operations that change which block is the head; they go through the chain's writer. */
export interface ChainControl {
  setHead(header: ChainHeader): void | Promise<void>
  replayBlock(header: ChainHeader): void | Promise<void>
  /** Checks or fetches the state again; forgets bad blocks. */
  resyncWorldState(): void | Promise<void>
}

export interface RpcOptions {
  readonly profile: RpcProfile
  /** Most gas of one eth_call, eth_estimateGas or eth_createAccessList run. */
  readonly callGasCap: bigint
  /** Most gas of all calls of one eth_simulateV1. */
  readonly simulateGasCap: bigint
  /** Longest wall-clock time of one call, milliseconds. */
  readonly callTimeoutMs: number
  /** Most blocks between fromBlock and toBlock of eth_getLogs; 0: any. */
  readonly maxLogsRange: number
  /** Most blocks between fromBlock and toBlock of trace_filter; 0: any. */
  readonly maxTraceFilterRange: number
  /** eth_gasPrice: number of blocks, percentile 0…100, upper bound in wei. */
  readonly gasPriceBlocks: number
  readonly gasPricePercentile: number
  readonly gasPriceMax: bigint
}

export const DEFAULT_RPC_OPTIONS: RpcOptions = {
  profile: 'besu',
  callGasCap: 100_000_000n,
  simulateGasCap: 50_000_000n,
  callTimeoutMs: 5_000,
  maxLogsRange: 1000,
  maxTraceFilterRange: 1000,
  gasPriceBlocks: 100,
  gasPricePercentile: 50,
  gasPriceMax: 500_000_000_000n,
}

/** Everything; a method takes a part of it. */
export interface RpcBackend {
  readonly chain: ChainReader
  readonly states: StateSource
  readonly calls: CallRunner
  readonly tracing: BlockTracing
  /** undefined where there is no place for files */
  readonly traceFiles: BlockTraceFiles | undefined
  readonly pool: PoolReader
  readonly submission: TransactionSubmission
  readonly filters: FilterRegistry
  readonly subscriptions: SubscriptionHub
  readonly node: NodeInfo
  readonly mining: MiningInfo
  readonly miner: MiningControl
  /** The dev chain's own means; undefined on every other chain. */
  readonly dev: DevChain | undefined
  readonly consensus: ConsensusSchedule
  readonly control: ChainControl
  readonly options: RpcOptions
  /** Fetches what work misses that cannot be begun again; undefined over a store that answers at once. */
  readonly residency?: Residency | undefined
  /** Lets other work of the host go first; resolved when it is our turn again. */
  readonly yieldToHost: YieldToHost
}
