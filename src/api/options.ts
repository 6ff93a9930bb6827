import type { RpcProfile } from './profile.ts'

export interface ApiOptions {
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
}
