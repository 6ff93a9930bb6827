/**
 * From options to what the parts of a node are built with.
 * @module
 */
import type { NodeOptions } from '../config/options.ts'
import { hexToBytes } from '../primitives/bytes.ts'
import { DEFAULT_RPC_OPTIONS, type RpcOptions } from '../rpc/backend.ts'
import { API_GROUPS, type ApiGroup } from '../rpc/method.ts'

export interface NodeSettings {
  readonly rpc: RpcOptions
  readonly groups: readonly ApiGroup[]
  readonly webSocketGroups: readonly ApiGroup[]
  /** 0: any number. */
  readonly maxBatchItems: number
  readonly maxBodyBytes: number
  readonly hosts: readonly string[]
  readonly corsOrigins: readonly string[]
  readonly processingTimeoutMs: number
  readonly webSocketTimeoutMs: number
  /** wei */
  readonly minGasPrice: bigint
  /** 20 bytes */
  readonly coinbase: Uint8Array | undefined
  readonly identity: string | undefined
  readonly keepRevertReasons: boolean
  readonly crossCheck: boolean
  readonly p2pEnabled: boolean
}

/** Largest gas that a call may have when there is no cap. */
const NO_CAP = 2n ** 63n - 1n
/** Timers take no more. */
const MAX_TIMER_MS = 2 ** 31 - 1

/**
 * @param isDev the dev chain serves every API group, in geth's conventions, unless told otherwise
 * @param given names of options that were set
 */
export function settingsOf(options: NodeOptions, given: ReadonlySet<string>, isDev: boolean): NodeSettings {
  const gasCap = options['rpc-call-gas-cap']
  const coinbase = options['miner-coinbase']
  const groupsOf = (name: 'rpc-http-api' | 'rpc-ws-api'): readonly ApiGroup[] =>
    isDev && !given.has(name) ? API_GROUPS : (options[name] as readonly ApiGroup[])
  return {
    rpc: {
      ...DEFAULT_RPC_OPTIONS,
      profile: options['rpc-profile'] ?? (isDev ? 'geth' : 'besu'),
      callGasCap: gasCap === 0n ? NO_CAP : gasCap,
      callTimeoutMs: options['rpc-call-timeout-ms'],
      maxLogsRange: options['rpc-max-logs-range'],
      gasPriceBlocks: options['api-gas-price-blocks'],
      gasPricePercentile: options['api-gas-price-percentile'],
      gasPriceMax: options['api-gas-price-max'],
    },
    groups: groupsOf('rpc-http-api'),
    webSocketGroups: groupsOf('rpc-ws-api'),
    maxBatchItems: Math.max(0, options['rpc-http-max-batch-size']),
    maxBodyBytes: options['rpc-http-max-request-content-length'],
    hosts: options['host-allowlist'],
    corsOrigins: options['rpc-http-cors-origins'].filter((origin) => origin !== 'none'),
    processingTimeoutMs: milliseconds(options['Xhttp-timeout-seconds']),
    webSocketTimeoutMs: milliseconds(options['Xws-timeout-seconds']),
    minGasPrice: options['min-gas-price'],
    coinbase: coinbase === undefined ? undefined : hexToBytes(coinbase),
    identity: options.identity,
    keepRevertReasons: options['revert-reason-enabled'],
    crossCheck: options['evm-cross-check'],
    p2pEnabled: options['p2p-enabled'],
  }
}

function milliseconds(seconds: number): number {
  return Math.min(seconds * 1000, MAX_TIMER_MS)
}
