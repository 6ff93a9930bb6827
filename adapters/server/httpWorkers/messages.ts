/**
 * Messages between a node and the processes that answer its clients.
 * @module
 */
import type { MetricSeries } from '../../../src/base/ports/metrics.ts'
import type { NodeOptions } from '../../../src/config/options.ts'
import type { Health } from '../../../src/http/readiness.ts'
import type { LinkMessage } from '../../../src/node/httpWorkers/messages.ts'
import type { RemoteMethod } from '../../../src/node/workerNode.ts'
import type { LogRecord } from '../../shared/logRecord.ts'
import type { ClientServerName } from '../clientServers.ts'
import type { Durability } from '../data/lmdbStore.ts'
import type { ConfigSource, WireError } from '../threads/requestWire.ts'

/** Where a worker finds the chain, and how it answers. */
export interface ChainAccess {
  readonly directory: string
  readonly durability: Durability
  readonly config: ConfigSource
  readonly isDev: boolean
  /** `os-arch/runtime`, for web3_clientVersion. */
  readonly platform: string
  readonly remoteMethods: readonly RemoteMethod[]
  /** Whether calls are counted for a mirror. */
  readonly countsCalls: boolean
}

/** Where a server of the node accepts connections. */
export interface Listener {
  readonly name: ClientServerName
  readonly host: string
  readonly port: number
}

export interface StartMessage {
  readonly kind: 'start'
  readonly chain: ChainAccess
  /** With the worker's share of memory. */
  readonly options: NodeOptions
  readonly given: ReadonlySet<string>
  readonly sharesPort: boolean
  readonly slot: number
  /** Number of workers that share the limits. */
  readonly workers: number
  readonly listeners: readonly Listener[]
  /** Public keys of the tokens that the main process issues. */
  readonly loginKeys: Readonly<Partial<Record<'http' | 'webSocket', string | undefined>>>
}

export type ToHttpWorker =
  | LinkMessage
  | StartMessage
  /** Its connection comes with it. */
  | { readonly kind: 'connection'; readonly server: ClientServerName; readonly id: number }
  /** Data were committed. */
  | { readonly kind: 'head' }
  /** Asks for a sign of life. */
  | { readonly kind: 'ping'; readonly health: Health }
  | { readonly kind: 'close' }

export type FromHttpWorker =
  | LinkMessage
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly error: WireError }
  | { readonly kind: 'pong'; readonly metrics: readonly MetricSeries[] }
  | { readonly kind: 'log'; readonly record: Omit<LogRecord, 'text'> }
  /** A connection has arrived. */
  | { readonly kind: 'taken'; readonly id: number }
  /** A connection has become a WebSocket. */
  | { readonly kind: 'upgraded'; readonly server: ClientServerName }
  | { readonly kind: 'ended'; readonly server: ClientServerName; readonly wasUpgraded: boolean }

/** Approximate memory of a message until the other process has taken it. */
export function messageBytes(message: ToHttpWorker | FromHttpWorker): number {
  switch (message.kind) {
    case 'notify':
      return OVERHEAD_BYTES + 2 * message.text.length
    case 'answer':
      return OVERHEAD_BYTES + 2 * message.answer.body.length
    case 'called':
      return message.calls.reduce((sum, { call }) => sum + OVERHEAD_BYTES + call.data.length, OVERHEAD_BYTES)
    default:
      return OVERHEAD_BYTES
  }
}

const OVERHEAD_BYTES = 512
