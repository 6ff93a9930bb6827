import type { MetricsRegistry } from '../base/ports/metrics.ts'
import type { BlockProduction } from './blockProduction.ts'
import { EventLoopDelay } from './eventLoopDelay.ts'
import type { NodeHost } from './host.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { RunningInfo } from './nodeInfo.ts'
import { nodeMetrics } from './nodeMetrics.ts'
import type { ChainServices } from './openChain.ts'
import { registerProcessMetrics } from './processMetrics.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'

/** The parts that measure the node. */
export function metricsParts(
  metrics: MetricsRegistry,
  host: NodeHost,
  { chain, execution }: ChainServices,
  { pool }: BlockProduction,
  info: RunningInfo,
  { network: { limits } }: NodeSettings,
): readonly Lifecycle[] {
  const stop = host.processUsage && registerProcessMetrics(metrics, host.processUsage)
  const { scheduler } = execution.control
  return [
    ...(stop === undefined ? [] : [{ name: 'process metrics', stop }]),
    nodeMetrics({ metrics, chain, pool, info, scheduler, maxPeers: limits.maxPeers }),
    new EventLoopDelay(metrics, host),
  ]
}
