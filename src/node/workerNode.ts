/**
 * A node that answers clients of a chain which another process writes: what committed data answer, it answers itself; it
 * forwards the rest.
 * @module
 */
import type { PluginMethod } from '../api/plugins.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { ChainConfig } from '../config/chainConfig.ts'
import type { Health } from '../http/readiness.ts'
import { Forwarding } from '../rpc/forwarding.ts'
import type { MethodDefinition } from '../rpc/method.ts'
import { CallTally } from './callTally.ts'
import { filterRandom } from './httpWorkers/filterOwners.ts'
import type { LinkMessage } from './httpWorkers/messages.ts'
import { forwardingGraphql, type LinkAnswers, ProcessLink } from './httpWorkers/processLink.ts'
import { pluginMethod } from './plugins/pluginMethod.ts'
import { createReadNode, type ReadNode, type ReadNodeHost, type ReadNodeRole } from './readOnly/readOnlyNode.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'

/** A method of a plugin, which only the main process has. */
export type RemoteMethod = Pick<PluginMethod, 'name' | 'summary'>

export interface WorkerNodeOptions {
  /** Number of the worker, 16 to 255; no other worker of the chain has it. */
  readonly slot: number
  /** Sends a message to the main process. */
  send(message: LinkMessage): void
  /** Whether the main process has not taken much of what was sent. */
  isBehind(): boolean
  readonly remoteMethods: readonly RemoteMethod[]
  /** Whether the main process publishes which functions are called most. */
  readonly countsCalls: boolean
}

export interface WorkerNode extends ReadNode, Pick<ProcessLink, 'login'> {
  /** Receives a message of the main process. */
  receive(message: LinkMessage): void
  /** Reports what readiness depends on, as the main process sees it. */
  setHealth(health: Health): void
  /** Reports the calls that were answered since the last report, if the main process counts them. */
  reportCalls(): void
  /** The main process has ended: what is forwarded fails. */
  close(): void
}

/** Until the main process has reported. */
const UNKNOWN_HEALTH: Health = {
  isExtended: true,
  p2pEnabled: false,
  peerCount: 0,
  blocksBehind: 0,
  standstill: 'the state of the node is not known yet',
}

/** Subscription ids of a worker are above those of the main process and of other workers. */
const SLOT_BITS = 40n

/**
 * @param config of the chain in the store
 * @throws {NodeError} STORE_DAMAGED, FORMAT_TOO_NEW, STORE_NOT_MIGRATED
 */
export function createWorkerNode(
  host: ReadNodeHost,
  config: ChainConfig,
  settings: NodeSettings,
  { slot, send, isBehind, remoteMethods, countsCalls }: WorkerNodeOptions,
): WorkerNode {
  let health = UNKNOWN_HEALTH
  const answers: LinkAnswers = {
    call: (...call) => node.answers.call(...call),
    graphql: (...call) => node.answers.graphql(...call),
    login: (...call) => node.answers.login(...call),
    called: (calls) => node.answers.called(calls),
  }
  const link = new ProcessLink({ send, isBehind, answers })
  const tally = countsCalls ? new CallTally() : undefined
  const role: ReadNodeRole = {
    mirror: tally && { status: undefined, noteCall: (call) => tally.note(call) },
    methods: remoteMethods.map(forwarded),
    forwarder: new Forwarding({ main: link, isDev: settings.isDev, onAnswered: () => node.refresh() }),
    overGraphql: (own) => forwardingGraphql(own, link),
    health: currentHealth(() => health),
    filterRandom: filterRandom(host.random, slot),
    firstSubscription: BigInt(slot) << SLOT_BITS,
  }
  const node = createReadNode(host, config, settings, { role })
  return {
    ...node,
    receive: (message) => link.receive(message),
    login: (...call) => link.login(...call),
    setHealth: (next) => {
      health = next
    },
    // Of a main process that reads nothing, the counts are kept here, where they are bounded.
    reportCalls: () => {
      if (tally !== undefined && !isBehind()) link.reportCalls(tally.take())
    },
    close: () => link.close(),
  }
}

function currentHealth(health: () => Health): Health {
  return {
    get isExtended() {
      return health().isExtended
    },
    get p2pEnabled() {
      return health().p2pEnabled
    },
    get peerCount() {
      return health().peerCount
    },
    get blocksBehind() {
      return health().blocksBehind
    },
    get standstill() {
      return health().standstill
    },
  }
}

function forwarded(method: RemoteMethod): MethodDefinition {
  return pluginMethod(method, () => {
    const message = `only the process that writes the chain answers ${method.name}`
    return Promise.reject(new NodeError({ code: 'WORKER_UNAVAILABLE' }, message))
  })
}
