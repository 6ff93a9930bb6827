import type { Logger } from '../base/ports/host.ts'
import { bytesToHex } from '../base/primitives/bytes.ts'
import type { Unsubscribe } from '../base/primitives/events.ts'
import type { Chain } from '../chain/chain.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { NodeSettings } from './settings/nodeSettings.ts'

/**
 * Logs a warning for each reorganisation that removes more than `threshold` blocks. On a dev chain, the removal of blocks
 * without others in their place is what a client asked for.
 */
export class ReorgLog implements Lifecycle {
  readonly name = 'reorganisation log'
  readonly #events: Chain['events']
  readonly #logger: Logger
  readonly #threshold: number
  readonly #isDev: boolean
  #unsubscribe: Unsubscribe | undefined

  constructor(
    { events }: Pick<Chain, 'events'>,
    logger: Logger,
    { reorgLoggingThreshold, isDev }: Pick<NodeSettings, 'reorgLoggingThreshold' | 'isDev'>,
  ) {
    this.#events = events
    this.#logger = logger
    this.#threshold = reorgLoggingThreshold
    this.#isDev = isDev
  }

  start(): void {
    this.#unsubscribe = this.#events.on('reorg', ({ commonAncestor, removed, added }) => {
      if (removed.length <= this.#threshold || (this.#isDev && added.length === 0)) return
      this.#logger.warn('a reorganisation replaced blocks', {
        removed: removed.length,
        added: added.length,
        ancestor: commonAncestor.header.number,
        hash: bytesToHex(commonAncestor.hash),
      })
    })
  }

  stop(): void {
    this.#unsubscribe?.()
  }
}
