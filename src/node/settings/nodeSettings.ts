/**
 * Converts options to the settings of the node's parts.
 * @module
 */

import { type ApiOptions, DEFAULT_API_OPTIONS } from '../../api/options.ts'
import { defaultMemoryTarget, type MemoryShares, memoryBudget } from '../../base/limits/memoryShares.ts'
import type { MetricCategory } from '../../base/ports/metrics.ts'
import { MAX_TIMER_MS } from '../../base/ports/timers.ts'
import { hexToBytes } from '../../base/primitives/bytes.ts'
import { type ApiGroup, apiGroups } from '../../config/apiGroups.ts'
import type { NodeOptions } from '../../config/options.ts'
import { isInMemory } from '../../config/storageOptions.ts'
import type { SealingMode } from '../../dev/contract.ts'
import type { AdvertisedAddress } from '../../net/p2p/peers/nat.ts'
import { markerTarget } from '../../private/privacy/groups.ts'
import type { TemplateSettings } from '../../sealing/blockTemplate.ts'
import type { PowJobLimits } from '../../sealing/pow/powJobs.ts'
import type { RemoteHashrateLimits } from '../../sealing/remoteHashrates.ts'
import type { PoolOrder, PoolSettings } from '../../txpool/contract.ts'
import { type NetworkSettings, networkSettings } from './networkSettings.ts'
import { type PermissionSettings, permissionSettings } from './permissionSettings.ts'

export interface NodeSettings {
  /** Number of blocks below the head whose states are kept; undefined: the states of all blocks. */
  readonly retainedStates: number | undefined
  /** Whether the state has preimages; undefined: as the database has them, a new one on a dev chain only. */
  readonly statePreimages: boolean | undefined
  /** Bounds of the caches and buffers of the main thread. */
  readonly memory: MemoryShares
  /** Threads that answer requests. */
  readonly readers: ReaderThreads
  readonly rpc: ApiOptions
  readonly groups: readonly ApiGroup[]
  readonly webSocketGroups: readonly ApiGroup[]
  /** undefined: there is no socket for programs of the host. */
  readonly ipcGroups: readonly ApiGroup[] | undefined
  /** 0: unlimited. */
  readonly maxBatchItems: number
  readonly maxBodyBytes: number
  readonly hosts: readonly string[]
  /** Whether a router in front of the node passes on only requests for its own host names. */
  readonly areHostsRouted: boolean
  readonly corsOrigins: readonly string[]
  readonly graphqlCorsOrigins: readonly string[]
  readonly processingTimeoutMs: number
  readonly webSocketTimeoutMs: number
  /** Whether JSON-RPC over HTTP is served over TLS. */
  readonly isSecure: boolean
  /** Endpoints that need tokens. */
  readonly authenticated: readonly ('http' | 'webSocket')[]
  /** Methods that need no token, by the option that names them. */
  readonly openMethods: ReadonlyMap<string, readonly string[]>
  /** For each connection; undefined: unlimited. */
  readonly maxRequestsPerSecond: number | undefined
  /** Whether the dev chain accepts unsigned transactions from every account at the start. */
  readonly autoImpersonates: boolean
  /** Whether the dev chain answers a transaction that fails in its block with an error. */
  readonly failsOnRevert: boolean
  /** Whether the node runs the dev chain, which seals blocks on request of its developer. */
  readonly isDev: boolean
  /** Dev chain: distance of `safe` from the head, half that of `finalized`; undefined: fork choice sets them. */
  readonly slotsInEpoch: number | undefined
  /** Whether browsers get the explorer on the port of JSON-RPC. */
  readonly hasExplorer: boolean
  /** Whether the log shows the calls of each transaction (dev chain). */
  readonly isVerbose: boolean
  readonly pool: PoolSettings
  readonly sealing: SealingSettings
  readonly identity: string | undefined
  readonly keepRevertReasons: boolean
  readonly evm: NodeOptions['evm']
  readonly crossCheck: boolean
  /** Ethash's test mode: tiny caches. */
  readonly ethashTestMode: boolean
  readonly p2pEnabled: boolean
  /** Whether the chain has peers: it is not the dev chain, and the network is on. */
  readonly hasPeers: boolean
  /** Advertised to peers. */
  readonly p2pHost: string
  /** Logged when the node listens for peers. */
  readonly p2pHostAdvice?: Pick<AdvertisedAddress, 'notice' | 'warning'>
  readonly p2pPort: number
  readonly discoveryEnabled: boolean
  readonly network: NetworkSettings
  /** undefined: every account may send, and every node may connect */
  readonly permissions: PermissionSettings | undefined
  /** Whether the files with log blooms follow the head. */
  readonly keepsLogBlooms: boolean
  /** Minimum number of removed blocks, exclusive, for logging a reorganisation. */
  readonly reorgLoggingThreshold: number
}

export interface ReaderThreads {
  readonly count: number
  /** Bounds of the caches of each. */
  readonly memory: MemoryShares
}

/** The settings that a host gives a node. */
export interface HostResources {
  /** Memory that the process can have, bytes; undefined: unknown. */
  readonly memoryBytes?: number | undefined
  /** Number of threads that may answer requests. Default: 0. */
  readonly readers?: number
}

/** Settings of block production. */
export interface SealingSettings extends TemplateSettings {
  /** When the dev chain seals blocks. */
  readonly mode: SealingMode
  /** Whether production starts with the node; the dev chain's always does. */
  readonly isEnabled: boolean
  /** Dev chain: order of the transactions within a block. */
  readonly order: PoolOrder
  /** Dev chain: whether its clock starts at the time of the head instead of the time of the host. */
  readonly continuesTime: boolean
  /** Gas usage at which a block is complete, as a fraction of its limit. */
  readonly minOccupancyRatio: number
  readonly remote: RemoteSealingSettings
  /** Ethash: whether the node's threads mine with the whole dataset. */
  readonly dag: 'light' | 'full'
}

/** Settings for miners outside the node. */
export interface RemoteSealingSettings {
  readonly job: PowJobLimits
  readonly hashrates: RemoteHashrateLimits
  /** undefined: the node's own threads mine */
  readonly stratum: StratumSettings | undefined
}

export interface StratumSettings {
  readonly host: string
  readonly port: number
  /** Hex digits without prefix. */
  readonly extranonce: string
}

/** Default beneficiary on the dev chain: no account's balance changes without a transaction. */
const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000'
const MAX_EXTRA_DATA_BYTES = 32
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

const OPEN_METHOD_OPTIONS = ['rpc-http-api-methods-no-auth', 'rpc-ws-api-methods-no-auth'] as const
/** Gas limit of a call without a cap. */
const NO_CAP = 2n ** 63n - 1n

/** @param isDev whether the node runs the dev chain */
export function settingsOf(options: NodeOptions, isDev: boolean, resources: HostResources = {}): NodeSettings {
  const memory = memoryOf(options, resources)
  const gasCap = options['rpc-call-gas-cap']
  return {
    retainedStates: retainedStates(options, isDev),
    statePreimages: options['state-preimages'],
    memory: memory.main,
    readers: { count: memory.readers, memory: memory.thread },
    rpc: {
      ...DEFAULT_API_OPTIONS,
      profile: options['rpc-profile'],
      callGasCap: gasCap === 0n || options['allow-unlimited-gas'] === true ? NO_CAP : gasCap,
      callTimeoutMs: options['rpc-call-timeout-ms'],
      maxLogsRange: options['rpc-max-logs-range'],
      maxTraceFilterRange: options['rpc-max-trace-filter-range'],
      gasPriceBlocks: options['api-gas-price-blocks'],
      gasPricePercentile: options['api-gas-price-percentile'],
      gasPriceMax: options['api-gas-price-max'],
      jsTracers: options['rpc-js-tracers'],
      ...(options['disable-min-priority-fee'] ? { defaultPriorityFee: 0n } : {}),
      ...(options['privacy-enabled'] ? { markerTarget: markerTarget(options['privacy-flexible-groups-enabled']) } : {}),
    },
    groups: apiGroups(options['rpc-http-api']),
    webSocketGroups: apiGroups(options['rpc-ws-api']),
    ipcGroups: options['rpc-ipc-enabled'] ? apiGroups(options['rpc-ipc-api']) : undefined,
    maxBatchItems: Math.max(0, options['rpc-http-max-batch-size']),
    maxBodyBytes: options['rpc-http-max-request-content-length'],
    hosts: options['host-allowlist'],
    areHostsRouted: false,
    corsOrigins: options['rpc-http-cors-origins'].filter((origin) => origin !== 'none'),
    graphqlCorsOrigins: options['graphql-http-cors-origins'].filter((origin) => origin !== 'none'),
    processingTimeoutMs: milliseconds(options['Xhttp-timeout-seconds']),
    webSocketTimeoutMs: milliseconds(options['Xws-timeout-seconds']),
    isSecure: options['rpc-http-tls-enabled'],
    authenticated: authenticatedEndpoints(options),
    openMethods: new Map(OPEN_METHOD_OPTIONS.map((name) => [name, options[name]])),
    maxRequestsPerSecond: options['rpc-max-requests-per-second'] || undefined,
    autoImpersonates: options['auto-impersonate'],
    failsOnRevert: options['fail-on-revert'],
    isDev,
    slotsInEpoch: isDev ? options['slots-in-an-epoch'] : undefined,
    hasExplorer: options.ui,
    isVerbose: options.verbose,
    pool: { ...poolSettings(options), maxBytes: memory.main.pool },
    sealing: sealingSettings(options, isDev),
    identity: options.identity,
    keepRevertReasons: options['revert-reason-enabled'],
    evm: options.evm,
    crossCheck: options['evm-cross-check'],
    ethashTestMode: options['ethash-test-mode'],
    p2pEnabled: options['p2p-enabled'],
    hasPeers: options['p2p-enabled'] && !isDev,
    p2pHost: options['p2p-host'],
    p2pPort: options['p2p-port'],
    discoveryEnabled: options['discovery-enabled'],
    network: networkSettings(options),
    permissions: permissionSettings(options),
    keepsLogBlooms: options['auto-log-bloom-caching-enabled'],
    reorgLoggingThreshold: options['reorg-logging-threshold'],
  }
}

/** Private states have caches like those of a thread. */
function memoryOf(options: NodeOptions, { memoryBytes, readers = 0 }: HostResources) {
  const target = options['memory-target'] ?? defaultMemoryTarget(memoryBytes)
  const others = options['privacy-enabled'] ? 1 : 0
  const { main, thread, threads } = memoryBudget(target, readers + others)
  return { main, thread, readers: Math.max(0, threads - others) }
}

/** A dev chain in memory would grow for ever; everything else keeps all states by default. */
function retainedStates(options: NodeOptions, isDev: boolean): number | undefined {
  const isEnabled = options['pruning-enabled'] ?? (isDev && isInMemory(options))
  return isEnabled ? options['pruning-blocks-retained'] : undefined
}

/** WebSockets without settings for authentication need the tokens of HTTP, since they also reach the HTTP port. */
function authenticatedEndpoints(options: NodeOptions): NodeSettings['authenticated'] {
  if (options['rpc-http-authentication-enabled']) return ['http', 'webSocket']
  return options['rpc-ws-authentication-enabled'] ? ['webSocket'] : []
}

function poolSettings(options: NodeOptions): PoolSettings {
  return {
    maxSize: options['tx-pool-max-size'],
    limitByAccount: options['tx-pool-limit-by-account-percentage'],
    priceBump: options['tx-pool-price-bump'],
    retentionMs: options['tx-pool-retention-hours'] * HOUR_MS,
    feeCap: options['rpc-tx-feecap'],
    minGasPrice: options['min-gas-price'],
    requireReplayProtection: options['strict-tx-replay-protection-enabled'],
  }
}

function sealingSettings(options: NodeOptions, isDev: boolean): SealingSettings {
  const coinbase = options['miner-coinbase'] ?? (isDev ? ZERO_ADDRESS : undefined)
  return {
    mode: sealingMode(options),
    coinbase: coinbase === undefined ? undefined : hexToBytes(coinbase),
    extraData: hexToBytes(options['miner-extra-data']).slice(0, MAX_EXTRA_DATA_BYTES),
    targetGasLimit: options['target-gas-limit'],
    isEnabled: options['miner-enabled'],
    order: options.order === 'FIFO' ? 'admission' : 'price',
    continuesTime: options.timestamp !== undefined,
    minOccupancyRatio: options['min-block-occupancy-ratio'],
    dag: options['miner-dag'],
    remote: {
      job: { ttlMs: options['Xminer-pow-job-ttl'], maxDepth: options['Xmax-ommers-depth'] },
      hashrates: {
        maxMiners: options['Xminer-remote-sealers-limit'],
        ttlMs: options['Xminer-remote-sealers-hashrate-ttl'] * MINUTE_MS,
      },
      stratum: options['miner-stratum-enabled'] ? stratumSettings(options) : undefined,
    },
  }
}

function stratumSettings(options: NodeOptions): StratumSettings {
  return {
    host: options['miner-stratum-host'],
    port: options['miner-stratum-port'],
    extranonce: options['Xminer-stratum-extranonce'],
  }
}

function sealingMode(options: NodeOptions): SealingMode {
  if (options['no-mining']) return { kind: 'off' }
  const seconds = options['dev-block-time']
  if (seconds === 0) return { kind: 'instant' }
  return { kind: 'interval', intervalMs: milliseconds(seconds), isMixed: options['mixed-mining'] }
}

function milliseconds(seconds: number): number {
  return Math.min(seconds * 1000, MAX_TIMER_MS)
}

/** @returns the categories of metrics to record; undefined when metrics are off */
export function metricCategories(options: NodeOptions): ReadonlySet<MetricCategory> | undefined {
  const isOn = options['metrics-enabled'] || options['metrics-push-enabled']
  if (!isOn || options['metrics-protocol'] === 'NONE') return undefined
  return new Set(options['metrics-category'].map((name) => name.toUpperCase() as MetricCategory))
}
