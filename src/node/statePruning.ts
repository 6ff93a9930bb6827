import type { Chain } from '../chain/chain.ts'
import type { NodeHost } from './host.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'

/** @returns undefined for a node that keeps all states */
export async function statePruning(
  host: NodeHost,
  chain: Chain,
  { retainedStates, isDev }: NodeSettings,
): Promise<Lifecycle | undefined> {
  if (retainedStates === undefined) return undefined
  const { StatePruner } = await import('../chain/pruning/statePruner.ts')
  const { store: kv, residency, timers, yieldToHost, logger } = host
  const retained = retainedStates
  return new StatePruner({ chain, kv, residency, timers, yieldToHost, logger: logger.child('chain'), retained, isDev })
}
