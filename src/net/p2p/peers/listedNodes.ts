import { MAX_LISTED_NODES } from '../../../base/limits/limits.ts'
import type { Logger } from '../../../base/ports/host.ts'
import type { Timer, Timers } from '../../../base/ports/timers.ts'
import type { NodeLists } from '../discovery/dns/nodeLists.ts'
import type { NodeRecord } from '../discovery/nodeRecord.ts'
import { LIST_INTERVAL_MS } from './policy.ts'

export interface ListedNodesOptions {
  readonly timers: Timers
  readonly log: Logger
  readonly lists: NodeLists
  /** Receives the records of each reading. */
  onRead(records: readonly NodeRecord[]): void
}

/** Reads the DNS node lists from time to time. */
export class ListedNodes {
  readonly #options: ListedNodesOptions
  #timer: Timer | undefined
  #isStopped = false

  constructor(options: ListedNodesOptions) {
    this.#options = options
    void this.#read()
  }

  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
  }

  async #read(): Promise<void> {
    const { lists, log, timers, onRead } = this.#options
    const { records, problems } = await lists.read(MAX_LISTED_NODES)
    if (this.#isStopped) return
    this.#timer = timers.schedule(LIST_INTERVAL_MS, () => void this.#read())
    log.debug('read the DNS node lists', { nodes: records.length, problems: problems.length })
    if (records.length === 0 && problems.length > 0) {
      log.warn('the DNS node lists yield no nodes', { reason: problems[0] })
    }
    onRead(records)
  }
}
