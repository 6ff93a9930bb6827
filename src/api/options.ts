import type { RpcProfile } from './profile.ts'

export interface ApiOptions {
  readonly profile: RpcProfile
  /** Maximum gas of one eth_call, eth_estimateGas or eth_createAccessList execution. */
  readonly callGasCap: bigint
  /** Maximum gas of all calls of one eth_simulateV1. */
  readonly simulateGasCap: bigint
  /** Wall-clock time limit of one call, milliseconds. */
  readonly callTimeoutMs: number
  /** Maximum number of blocks between fromBlock and toBlock of eth_getLogs; 0: unlimited. */
  readonly maxLogsRange: number
  /** Maximum number of blocks between fromBlock and toBlock of trace_filter; 0: unlimited. */
  readonly maxTraceFilterRange: number
  /** eth_gasPrice: number of blocks, percentile 0…100, upper bound in wei. */
  readonly gasPriceBlocks: number
  readonly gasPricePercentile: number
  readonly gasPriceMax: bigint
  /** Suggested priority fee without recent transactions, wei. */
  readonly defaultPriorityFee: bigint
  /** 20 bytes: the target of privacy markers; absent without private transactions. */
  readonly markerTarget?: Uint8Array
  /** Whether tracers may be written in JavaScript. */
  readonly jsTracers: boolean
}

export const DEFAULT_API_OPTIONS: ApiOptions = {
  profile: 'besu',
  callGasCap: 100_000_000n,
  simulateGasCap: 50_000_000n,
  callTimeoutMs: 5_000,
  maxLogsRange: 1000,
  maxTraceFilterRange: 1000,
  gasPriceBlocks: 100,
  gasPricePercentile: 50,
  gasPriceMax: 500_000_000_000n,
  defaultPriorityFee: 1_000_000_000n,
  jsTracers: false,
}
