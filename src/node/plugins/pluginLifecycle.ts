/**
 * Connects plugins with the node: requests, metrics and events.
 * @module
 */
import type { PluginBlock, PluginMetrics } from '../../api/plugins.ts'
import { type Metrics, noMetrics } from '../../base/ports/metrics.ts'
import { bytesToHex } from '../../base/primitives/bytes.ts'
import type { Chain } from '../../chain/chain.ts'
import type { ChainHeader } from '../../chain/contract.ts'
import type { TransactionPool } from '../../txpool/transactionPool.ts'
import type { Lifecycle } from '../lifecycle.ts'
import type { RpcInterface } from '../rpcInterface.ts'
import type { PluginHost } from './pluginHost.ts'

export interface PluginServiceDeps {
  readonly chain: Chain
  readonly pool: TransactionPool
  readonly metrics?: Metrics | undefined
  readonly openProvider: RpcInterface['openProvider']
}

/** Part that starts and stops the plugins. */
export function pluginLifecycle(host: PluginHost, deps: PluginServiceDeps): Lifecycle {
  const { chain, metrics = noMetrics, openProvider } = deps
  const stops: (() => void)[] = []
  let provider: ReturnType<RpcInterface['openProvider']> | undefined
  host.connect({
    chainId: chain.config.chainId,
    request: (method, params = []) => {
      provider ??= openProvider()
      return provider.request({ method, params })
    },
    metricsOf: (plugin) => metricsOf(plugin, metrics),
  })
  return {
    name: host.name,
    start: async () => {
      stops.push(...subscribe(host, deps))
      await host.start()
    },
    stop: async () => {
      for (const stop of stops) stop()
      await host.stop()
      provider?.close()
    },
  }
}

function subscribe(host: PluginHost, { chain, pool }: PluginServiceDeps): (() => void)[] {
  return [
    chain.events.on('reorg', ({ commonAncestor, removed }) => {
      if (host.listensTo('reorg')) {
        host.emit('reorg', { commonAncestor: blockOf(commonAncestor), removed: removed.map(blockOf) })
      }
    }),
    chain.events.on('head', ({ head, added }) => {
      if (host.listensTo('head')) host.emit('head', { head: blockOf(head), added: added.map(blockOf) })
    }),
    pool.events.on('added', ({ hash, isLocal }) => {
      if (host.listensTo('transaction')) host.emit('transaction', { hash: bytesToHex(hash), isLocal })
    }),
  ]
}

function blockOf({ header, hash }: ChainHeader): PluginBlock {
  return { number: header.number, hash: bytesToHex(hash) }
}

function metricsOf(plugin: string, metrics: Metrics): PluginMetrics {
  const options = (name: string, help: string) => ({ category: 'PLUGINS' as const, name: `${plugin}_${name}`, help })
  return {
    counter: (name, help, labels) => metrics.counter(options(name, help), labels),
    gauge: (name, help, labels) => metrics.gauge(options(name, help), labels),
    histogram: (name, help, buckets, labels) => metrics.histogram({ ...options(name, help), buckets }, labels),
  }
}
