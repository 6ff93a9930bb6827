import type { Logger } from '../base/ports/host.ts'
import type { Chain } from '../chain/chain.ts'
import type { StatePruner } from '../chain/pruning/statePruner.ts'
import type { NodeHost } from './host.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'

/** @returns undefined for a node that keeps all states */
export function statePruning(
  host: NodeHost,
  chain: Chain,
  { retainedStates: retained, isDev }: NodeSettings,
): Lifecycle | undefined {
  if (retained === undefined) return undefined
  const { store: kv, residency, timers, yieldToHost } = host
  const logger = host.logger.child('chain')
  return new StatePruning(logger, async () => {
    const { StatePruner } = await import('../chain/pruning/statePruner.ts')
    return new StatePruner({ chain, kv, residency, timers, yieldToHost, logger, retained, isDev })
  })
}

/** Loads the code beside the first requests, which do not wait for it: deletion is work of the background. */
class StatePruning implements Lifecycle {
  readonly name = 'pruning of states'
  readonly #logger: Logger
  readonly #load: () => Promise<StatePruner>
  #pruner: StatePruner | undefined
  #isStopped = false

  constructor(logger: Logger, load: () => Promise<StatePruner>) {
    this.#logger = logger
    this.#load = load
  }

  start(): void {
    void this.#open()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#pruner?.stop()
  }

  async #open(): Promise<void> {
    try {
      const pruner = await this.#load()
      if (this.#isStopped) return
      this.#pruner = pruner
      pruner.start()
    } catch (error) {
      this.#logger.error('failed to delete old states', { error })
    }
  }
}
