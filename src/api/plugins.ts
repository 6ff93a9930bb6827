/**
 * The contract of plugins: modules of the operator that run inside the node. A module's default export is a plugin, or
 * a function that returns one. docs/plugins has an example.
 *
 * Plugins run on the node's thread: one that computes without end blocks the node, like any other part of the program.
 * @module
 */
import type { Logger } from '../base/ports/host.ts'
import type { Counter, Gauge, Histogram, MetricLabels } from '../base/ports/metrics.ts'

export interface Plugin {
  /** Lower-case letters and digits, beginning with a letter; also the prefix of its methods and metrics. */
  readonly name: string
  /** JSON-RPC methods of the group PLUGINS. */
  readonly methods?: readonly PluginMethod[]
  /** Called before the node serves requests. A failure disables the plugin, not the node. */
  start?(context: PluginContext): void | Promise<void>
  /** Reads the plugin's configuration again: plugins_reloadPluginConfig. */
  reload?(): void | Promise<void>
  stop?(): void | Promise<void>
}

export interface PluginMethod {
  /** `<plugin>_<method>` */
  readonly name: string
  readonly summary: string
  /**
   * @param params as the client sent them; none: an empty array
   * @returns a JSON value; undefined is null
   */
  handler(params: readonly unknown[]): unknown
}

export interface PluginContext {
  readonly logger: Logger
  readonly metrics: PluginMetrics
  readonly chainId: bigint
  /** Sends a JSON-RPC request to this node; every method is allowed. @throws the error of the answer */
  request(method: string, params?: readonly unknown[]): Promise<unknown>
  /** Events arrive after the change, in order, outside the work that caused it. */
  on<Name extends keyof PluginEvents>(name: Name, listener: (event: PluginEvents[Name]) => void | Promise<void>): void
}

/** Series named `besu_plugins_<plugin>_<name>`. */
export interface PluginMetrics {
  counter(name: string, help: string, labels?: MetricLabels): Counter
  gauge(name: string, help: string, labels?: MetricLabels): Gauge
  histogram(name: string, help: string, buckets: readonly number[], labels?: MetricLabels): Histogram
}

export interface PluginBlock {
  readonly number: bigint
  /** 0x and 64 digits */
  readonly hash: string
}

export interface PluginEvents {
  /** The head changed; `added` became canonical, oldest first. */
  head: { readonly head: PluginBlock; readonly added: readonly PluginBlock[] }
  /** Blocks are no longer canonical, oldest first; precedes `head`. */
  reorg: { readonly commonAncestor: PluginBlock; readonly removed: readonly PluginBlock[] }
  /** A transaction was added to the pool. */
  transaction: { readonly hash: string; readonly isLocal: boolean }
}

/** Plugins as RPC methods see them. */
export interface PluginControl {
  /** Starts to reload a plugin's configuration. @returns false when there is no plugin of this name */
  reload(name: string): boolean
}
