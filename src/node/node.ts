/**
 * The composition root: builds a node from what the host supplies. Only this folder names concrete classes.
 * @module
 */

import { Filters } from '../api/feeds/filters.ts'
import { Subscriptions } from '../api/feeds/subscriptions.ts'
import type { NodeInfo, ServiceAddress, ServiceName } from '../api/nodeInfo.ts'
import { Chain, type ChainOptions } from '../chain/chain.ts'
import type { MismatchReport } from '../chain/crossCheck.ts'
import { MIGRATIONS } from '../chain/migrations.ts'
import type { ExecutionParts } from '../chain/transition/executionInput.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import type { Genesis } from '../config/genesisFile.ts'
import type { ConsensusSchedule } from '../consensus/engine.ts'
import { createHttpApp } from '../http/app.ts'
import { HttpPolicy } from '../http/policy.ts'
import { RpcExchange } from '../http/rpcExchange.ts'
import { type SocketPort, WebSocketSession, type WebSocketSessionOptions } from '../http/webSocketSession.ts'
import type { Logger, SenderRecovery } from '../ports/host.ts'
import type { KeyValueStore, Residency } from '../ports/keyValueStore.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { RequestWorkers } from '../ports/requestWorkers.ts'
import type { Signer } from '../ports/signer.ts'
import type { TcpSockets } from '../ports/tcpSockets.ts'
import type { Timers } from '../ports/timers.ts'
import type { TraceFiles } from '../ports/traceFiles.ts'
import type { UdpSockets } from '../ports/udpSockets.ts'
import { bytesToHex } from '../primitives/bytes.ts'
import type { RpcBackend } from '../rpc/backend.ts'
import { Envelope } from '../rpc/envelope.ts'
import type { ApiGroup } from '../rpc/method.ts'
import { devMethods } from '../rpc/methods/dev/index.ts'
import { METHODS } from '../rpc/methods/index.ts'
import { notificationTexts } from '../rpc/notificationTexts.ts'
import { OutboundBudget } from '../rpc/outboundBudget.ts'
import { MethodRegistry } from '../rpc/registry.ts'
import { StateStore } from '../state/stateStore.ts'
import { migrate, type ReportMigration } from '../storage/migrations.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import { genesisBlock } from '../types/genesisHeader.ts'
import { createBackend } from './backend.ts'
import { openBlockMaking } from './blockMaking.ts'
import { enodeUrl } from './enode.ts'
import { createExecution, type ExecutionHost } from './execution.ts'
import { startIndexBuild } from './indexBuild.ts'
import { withSubjects } from './requestSubject.ts'
import type { NodeSettings } from './settings.ts'
import { stateSource } from './stateSource.ts'

/** What a runtime supplies. */
export interface NodeHost extends ExecutionHost {
  readonly store: KeyValueStore
  /** Over a store that is not resident as a whole. */
  readonly residency?: Residency
  readonly logger: Logger
  readonly senders: SenderRecovery
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

export interface IsoNode {
  readonly chain: Chain
  readonly states: StateStore
  /** Of --evm. */
  readonly evm: NodeSettings['evm']
  readonly consensus: ConsensusSchedule
  /** The request and response contract of every runtime. */
  readonly fetch: (request: Request) => Response | Promise<Response>
  /** For servers that go past `fetch`: the same decisions, the same answers. */
  readonly policy: HttpPolicy
  readonly exchange: RpcExchange
  /** What waits to be sent over all connections. */
  readonly outbound: OutboundBudget
  readonly webSocket: {
    /** Serves a WebSocket that the host has accepted. @param authorization the header of its upgrade */
    open(port: SocketPort, authorization: string | undefined): WebSocketSession
  }
  /** Tells the node that a service listens, for net_services. */
  announce(service: ServiceName, address: ServiceAddress): void
  /** Waits for the change under way and refuses further ones. The store stays open. */
  close(): Promise<void>
}

export const VERSION = '0.1.0'

/** Hardhat's network helpers work with nodes that say so, and refuse all others. */
const DEV_CLIENT_PREFIX = 'anvil/'

/** eth/68 */
const PROTOCOL_VERSION = 68

/** What needs a connection: a WebSocket serves it whatever its API groups are. */
const WEBSOCKET_METHODS = METHODS.filter(({ needsSubscriber }) => needsSubscriber === true).map(({ name }) => name)

/**
 * @throws {NodeError} GENESIS_MISMATCH when the store belongs to another chain, UNSUPPORTED_CONSENSUS
 */
export async function createNode(
  host: NodeHost,
  { genesis, text }: NodeGenesis,
  settings: NodeSettings,
): Promise<IsoNode> {
  const { config } = genesis
  const { store, clock, timers, random, logger, senders, residency, yieldToHost } = host
  const reportMigration = migrationReporter(host)
  await openResident(() => migrate(store, MIGRATIONS, reportMigration), residency)
  const { evm, consensus, scheduler } = createExecution(host, config, settings)
  const states = new StateStore(store)
  const resident = residency === undefined ? {} : { residency }
  const { keepRevertReasons } = settings
  const crossCheck = settings.crossCheck ? { keepMismatchReport: mismatchReportKeeper(host) } : {}
  const chainOptions: ChainOptions = {
    kv: store,
    genesis: { alloc: genesis.alloc, text, block: (stateRoot) => genesisBlock(genesis, stateRoot) },
    modules: { config, states, evm, consensus, scheduler, keepRevertReasons, ...crossCheck, ...resident },
    senders,
    clock,
    logger: logger.child('chain'),
    isHeadFinal: settings.isDev,
  }
  const chain = await openResident(() => Chain.open(chainOptions), residency)
  const services: Partial<Record<ServiceName, ServiceAddress>> = {}
  const info = nodeInfo(host, config, settings, services)
  const calls: ExecutionParts = {
    config,
    evm,
    consensus,
    control: { scheduler, ...resident },
  }
  const source = stateSource(states)
  const making = await openBlockMaking({
    store,
    residency,
    chain,
    states: source,
    clock,
    timers,
    random,
    yieldToHost,
    logger,
    settings,
  })
  const events = { chain, chainEvents: chain.events, poolEvents: making.pool.events }
  const onError = (error: unknown): void => logger.error('a notification failed', { error })
  const backend = createBackend({
    chain,
    states,
    consensus,
    calls,
    senders,
    traceFiles: host.traceFiles,
    clock,
    settings,
    info,
    making,
    filters: new Filters({ ...events, clock, random }),
    subscriptions: new Subscriptions({
      ...events,
      texts: notificationTexts(settings.rpc.profile),
      ...resident,
      onError,
    }),
    timers,
    yieldToHost,
  })
  const httpHost = making.pending === undefined ? host : { ...host, residency: making.pending.residency }
  const { policy, exchange, outbound, webSocket, fetch } = createHttp(httpHost, settings, backend)
  const indexBuild = startIndexBuild(host, chain)
  return {
    chain,
    states,
    evm: evm.name,
    consensus,
    fetch,
    policy,
    exchange,
    outbound,
    webSocket,
    announce: (service, address) => {
      services[service] = address
    },
    close: async () => {
      await indexBuild.close()
      await making.close()
      await chain.close()
    },
  }
}

/** Opening can be cut off at any point, so it begins again with what it missed in memory. */
function openResident<T>(open: () => Promise<T>, residency: Residency | undefined): Promise<T> {
  return retryMisses(open, residency)
}

/** Logs each percent once, and lets signals in between batches. */
function migrationReporter({ logger, yieldToHost }: NodeHost): ReportMigration {
  let logged = -1
  return ({ step, to, progress }) => {
    const percent = Math.floor(progress * 100)
    if (percent !== logged) logger.info('migrating the database', { step, format: to, percent })
    logged = percent
    return yieldToHost()
  }
}

function mismatchReportKeeper({ logger, keepFile }: NodeHost): (report: MismatchReport, blockHash: Uint8Array) => void {
  return (report, blockHash) => {
    const name = `cross-check-mismatch-${bytesToHex(blockHash)}.json`
    logger.error('the cross-check differs', { report: name })
    keepFile?.(name, JSON.stringify(report, undefined, 2))
  }
}

function nodeInfo(
  { platform, signer }: NodeHost,
  config: ChainConfig,
  { identity, isDev, p2pEnabled, p2pHost, p2pPort }: NodeSettings,
  services: NodeInfo['services'],
): NodeInfo {
  const name = identity === undefined ? 'isonode' : `isonode/${identity}`
  return {
    clientVersion: `${isDev ? DEV_CLIENT_PREFIX : ''}${name}/v${VERSION}/${platform}`,
    networkId: config.networkId,
    network: {
      enabled: p2pEnabled,
      listening: false,
      peerCount: 0,
      enode: signer && enodeUrl(signer.publicKey, p2pHost, p2pPort),
    },
    services,
    syncStatus: undefined,
    protocolVersion: PROTOCOL_VERSION,
  }
}

function createHttp(
  { clock, timers, logger, residency, workers }: NodeHost,
  settings: NodeSettings,
  backend: RpcBackend,
): Pick<IsoNode, 'policy' | 'exchange' | 'outbound' | 'webSocket' | 'fetch'> {
  const registry = new MethodRegistry(settings.isDev ? [...METHODS, ...devMethods] : METHODS)
  const described = {
    ...backend,
    openRpc: (groups: ReadonlySet<ApiGroup>) =>
      registry.openRpc(groups, { title: 'isonode JSON-RPC', version: VERSION }),
  }
  const shared = {
    backend: described,
    profile: settings.rpc.profile,
    logger: logger.child('rpc'),
    clock,
    yieldToHost: backend.yieldToHost,
    workers: workers && withSubjects(workers, backend.chain),
    ...(residency === undefined ? {} : { residency }),
  }
  const envelope = new Envelope({
    ...shared,
    served: registry.serve(settings.groups),
    maxBatchItems: settings.maxBatchItems,
  })
  const policy = new HttpPolicy({
    hosts: settings.hosts,
    corsOrigins: settings.corsOrigins,
    maxBodyBytes: settings.maxBodyBytes,
  })
  const http = logger.child('http')
  const exchange = new RpcExchange({ envelope, logger: http, timers, timeoutMs: settings.processingTimeoutMs })
  const health = { p2pEnabled: false, peerCount: 0, blocksBehind: 0 }
  const outbound = new OutboundBudget({
    clock,
    timers,
    yieldToHost: backend.yieldToHost,
    onEnded: (count) => http.warn('connections that did not read were ended', { count }),
  })
  const app = createHttpApp({ policy, exchange, health, timers })
  const sessions: WebSocketSessionOptions = {
    envelope: new Envelope({
      ...shared,
      served: registry.serve(settings.webSocketGroups, WEBSOCKET_METHODS),
      transport: 'websocket',
    }),
    logger: logger.child('ws'),
    clock,
    outbound,
    timers,
    timeoutMs: settings.webSocketTimeoutMs,
  }
  const webSocket: IsoNode['webSocket'] = {
    open: (port, authorization) => new WebSocketSession(sessions, port, authorization),
  }
  return { policy, exchange, outbound, webSocket, fetch: (request) => app.fetch(request) }
}
