/**
 * From options to what the parts of a node are built with.
 * @module
 */
import type { NodeOptions, OptionName } from '../config/options.ts'
import { hexToBytes } from '../primitives/bytes.ts'
import { DEFAULT_RPC_OPTIONS, type RpcOptions } from '../rpc/backend.ts'
import { API_GROUPS, type ApiGroup } from '../rpc/method.ts'
import type { TemplateSettings } from '../sealing/blockTemplate.ts'
import type { SealingMode } from '../sealing/contract.ts'
import type { PoolSettings } from '../txpool/contract.ts'

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
  /** The dev chain: blocks are made here, by the wishes of one developer. */
  readonly isDev: boolean
  readonly pool: PoolSettings
  readonly sealing: SealingSettings
  readonly identity: string | undefined
  readonly keepRevertReasons: boolean
  readonly crossCheck: boolean
  readonly p2pEnabled: boolean
}

/** How blocks are made, where they are. */
export interface SealingSettings extends TemplateSettings {
  readonly mode: SealingMode
}

/** The dev chain has one user, whose transactions are all welcome. */
const DEV_POOL_SIZE = 32_768
/** Who is paid for blocks of the dev chain unless told otherwise: nobody's balance changes by itself. */
const NOBODY: Uint8Array = new Uint8Array(20)
const MAX_EXTRA_DATA_BYTES = 32
const HOUR_MS = 3_600_000

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
    isDev,
    pool: poolSettings(options, given, isDev),
    sealing: sealingSettings(options, isDev),
    identity: options.identity,
    keepRevertReasons: options['revert-reason-enabled'],
    crossCheck: options['evm-cross-check'],
    p2pEnabled: options['p2p-enabled'],
  }
}

function poolSettings(options: NodeOptions, given: ReadonlySet<string>, isDev: boolean): PoolSettings {
  const unlessDev = <T>(name: OptionName, value: T, devValue: T): T => (isDev && !given.has(name) ? devValue : value)
  const share = 'tx-pool-limit-by-account-percentage'
  return {
    maxSize: unlessDev('tx-pool-max-size', options['tx-pool-max-size'], DEV_POOL_SIZE),
    limitByAccount: unlessDev(share, options[share], 1),
    priceBump: options['tx-pool-price-bump'],
    retentionMs: options['tx-pool-retention-hours'] * HOUR_MS,
    feeCap: unlessDev('rpc-tx-feecap', options['rpc-tx-feecap'], 0n),
    minGasPrice: unlessDev('min-gas-price', options['min-gas-price'], 0n),
    requireReplayProtection: options['strict-tx-replay-protection-enabled'],
  }
}

function sealingSettings(options: NodeOptions, isDev: boolean): SealingSettings {
  const coinbase = options['miner-coinbase']
  const seconds = options['dev-block-time']
  return {
    mode: seconds > 0 ? { kind: 'interval', intervalMs: milliseconds(seconds) } : { kind: 'instant' },
    coinbase: coinbase === undefined ? (isDev ? NOBODY : undefined) : hexToBytes(coinbase),
    extraData: hexToBytes(options['miner-extra-data']).slice(0, MAX_EXTRA_DATA_BYTES),
    targetGasLimit: options['target-gas-limit'],
  }
}

function milliseconds(seconds: number): number {
  return Math.min(seconds * 1000, MAX_TIMER_MS)
}
