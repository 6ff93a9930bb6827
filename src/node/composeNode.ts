/**
 * The composition root: builds a node from the host's services and the parts that the host names. Only this folder
 * names concrete classes.
 * @module
 */
import type { ServiceAddress, ServiceName } from '../api/nodeInfo.ts'
import type { Chain } from '../chain/chain.ts'
import type { ConsensusSchedule } from '../chain/engine.ts'
import type { StateStore } from '../state/stateStore.ts'
import type { OpenContracts } from './contracts.ts'
import type { EndpointDeps, HttpEndpoint } from './endpoints.ts'
import type { DevChains, NextChain, NodeGenesis, NodeHost } from './host.ts'
import type { LifecycleState } from './lifecycle.ts'
import { PresentChain } from './presentChain.ts'
import { type NodeMethods, openRpcInterface, type RpcInterface } from './rpcInterface.ts'
import { openRunningChain, type RunningChain } from './runningChain.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'
import type { StateDumps } from './stateDumps.ts'
import type { Succession } from './succession.ts'
import type { OpenTracing } from './tracingPart.ts'

type PinnedServices = Parameters<NonNullable<EndpointDeps['pin']>>[0]

/** How programs outside the process reach the node. */
export interface Interfaces {
  /** HTTP for every runtime. */
  readonly fetch: HttpEndpoint['fetch']
}

/** The parts of a node that its host names, because they are large and not every host needs them from the start. */
export interface NodeParts<Opened extends Interfaces> {
  /** @returns without the methods of plugins */
  methods(settings: Pick<NodeSettings, 'isDev'>): NodeMethods
  readonly openTracing: OpenTracing
  readonly openContracts: OpenContracts
  /** @throws {NodeError} INVALID_OPTION */
  openInterfaces(deps: EndpointDeps, rpc: RpcInterface): Opened
}

export interface ComposedNode extends Interfaces, Pick<RpcInterface, 'openProvider'> {
  readonly chain: Chain
  readonly states: StateStore
  /** Value of --evm. */
  readonly evm: NodeSettings['evm']
  readonly consensus: ConsensusSchedule
  /** Whether the node produces blocks or receives them from peers; otherwise, only imports extend the chain. */
  readonly isExtended: boolean
  /** `built` until {@link composeNode} has started all parts. */
  readonly state: LifecycleState
  /** Reports the address of a listening service, for net_services. */
  announce(service: ServiceName, address: ServiceAddress): void
  /**
   * Starts the Stratum server, the network and the block production that the chain or options ask for.
   * @throws {NodeError} LISTEN_FAILED
   */
  goOnline(): Promise<void>
  /** Prints the entries of the dev chain's log that are still in memory. */
  flushActivity(): void
  /** Dumps of the whole dev chain. */
  readonly stateDumps: StateDumps
  /** Waits for the change in progress and refuses further ones. The store remains open. */
  close(): Promise<void>
}

/**
 * Builds a node and starts it.
 * @throws {NodeError} GENESIS_MISMATCH when the store belongs to another chain
 */
export async function composeNode<Opened extends Interfaces>(
  host: NodeHost,
  start: NodeGenesis,
  settings: NodeSettings,
  parts: NodeParts<Opened>,
): Promise<ComposedNode & Opened> {
  const { loadChains } = host
  let opened: Promise<Succession> | undefined
  const succession =
    loadChains &&
    (() => {
      opened ??= openSuccession(loadChains)
      return opened
    })
  const role = { ...parts, succession }
  const first = await openRunningChain(host, start, settings, role)
  const present = new PresentChain(first)
  const interfaceDeps = {
    ...host,
    residency: first.residency,
    backend: first.backend,
    info: first.info,
    settings,
    observer: first.log && present.observer,
    onHead: present.onHead,
    ...(succession && {
      pin: (services: PinnedServices) => present.pin?.(services) ?? services,
      pinGraphql: () => present.chain,
    }),
  }
  const { definitions, deferred = [] } = parts.methods(settings)
  const methods = { definitions: [...definitions, ...first.pluginMethods], deferred }
  const rpc = openRpcInterface({ ...interfaceDeps, methods })
  const interfaces = parts.openInterfaces(interfaceDeps, rpc)
  const { openProvider } = rpc
  const compose = ({ genesis, store, residency, fork }: NextChain): Promise<RunningChain> =>
    openRunningChain({ ...host, store, residency, fork }, genesis, settings, { ...role, before: present.chain })
  const openSuccession = async (load: () => Promise<DevChains>): Promise<Succession> => {
    const { Succession } = await import('./succession.ts')
    return new Succession({ chains: await load(), present, compose, openProvider })
  }
  present.lifecycles = await first.lifecycles(openProvider)
  await present.lifecycles.start()
  return {
    get chain() {
      return present.chain.services.chain
    },
    get states() {
      return present.chain.services.states
    },
    evm: settings.evm,
    get consensus() {
      return present.chain.services.consensus
    },
    ...interfaces,
    openProvider,
    get isExtended() {
      return present.chain.info.isExtended
    },
    get state() {
      return present.lifecycles?.state ?? 'built'
    },
    announce: (service, address) => present.chain.info.announce(service, address),
    goOnline: () => present.chain.goOnline(),
    flushActivity: () => present.chain.log?.flush(),
    stateDumps: {
      dump: () => present.chain.dumps.dump(),
      load: (source) => present.chain.dumps.load(source),
    },
    close: async () => {
      await ((await opened) ?? present.lifecycles)?.stop()
    },
  }
}
