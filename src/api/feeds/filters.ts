/**
 * Installed filters. Block and transaction events are stored once for all filters, and matching happens at the poll:
 * the cost of an event does not depend on the number of filters, and a filter without polls only uses memory.
 * @see docs/reference/eth-objects.md section 10
 * @module
 */

import {
  FILTER_SWEEP_INTERVAL_MS,
  FILTER_TIMEOUT_MS,
  MAX_FILTER_BLOCKS,
  MAX_FILTER_CRITERIA,
  MAX_FILTER_ITEMS,
  MAX_FILTERS,
} from '../../base/limits/limits.ts'
import type { Clock } from '../../base/ports/host.ts'
import type { Random } from '../../base/ports/random.ts'
import { bytesToBigInt } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import type { Emitter, Unsubscribe } from '../../base/primitives/events.ts'
import type { ChainEvents, ChainHeader, ChainReader } from '../../chain/contract.ts'
import type { PoolEvents } from '../../txpool/contract.ts'
import { criteriaCount, type LogFilter } from '../logFilter.ts'
import { LogMatcher } from '../logMatcher.ts'
import { blockLogs, LogViews } from '../logScan.ts'
import type { LogView } from '../viewTypes.ts'
import { EventLog } from './eventLog.ts'
import type { FilterChanges, FilterRegistry } from './filterRegistry.ts'
import { SharedListener } from './sharedListener.ts'

/** The chain and the pool that clients are told of. */
export interface FeedSources {
  readonly chain: ChainReader
  readonly chainEvents: Emitter<ChainEvents>
  readonly poolEvents: Emitter<PoolEvents>
}

export interface FiltersOptions extends FeedSources {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly random: Random
}

/** Ids are unpredictable: a filter belongs to the clients that know its id. */
const FILTER_ID_BYTES = 16

type Target =
  | { readonly kind: 'block' }
  | { readonly kind: 'transaction' }
  | { readonly kind: 'log'; readonly filter: LogFilter; readonly matcher: LogMatcher }

interface Installed {
  readonly id: bigint
  readonly target: Target
  /** Number of addresses and topics. */
  readonly criteria: number
  /** Position up to which its client has read. */
  position: number
  lastUsedMs: number
  readonly stopListening: Unsubscribe
}

interface BlockEvent {
  readonly block: ChainHeader
  readonly removed: boolean
}

export class Filters implements FilterRegistry {
  #options: FiltersOptions
  readonly #filters = new Map<bigint, Installed>()
  readonly #blocks = new EventLog<BlockEvent>(MAX_FILTER_BLOCKS)
  readonly #transactions = new EventLog<Uint8Array>(MAX_FILTER_ITEMS)
  readonly #blockListener: SharedListener
  readonly #transactionListener: SharedListener
  #criteria = 0
  #lastSweepMs: number

  constructor(options: FiltersOptions) {
    this.#options = options
    this.#lastSweepMs = options.clock.monotonic()
    this.#blockListener = new SharedListener(() => {
      const stop = this.#options.chainEvents.on('head', (event) => this.#onHead(event))
      return () => {
        stop()
        this.#blocks.clear()
      }
    })
    this.#transactionListener = new SharedListener(() => {
      const stop = this.#options.poolEvents.on('added', ({ hash }) => this.#onAdded(hash))
      return () => {
        stop()
        this.#transactions.clear()
      }
    })
  }

  /** Reports events of another chain from now on. Those of the present chain that no client has asked for are dropped. */
  follow(sources: FeedSources): void {
    this.#options = { ...this.#options, ...sources }
    this.#blockListener.restart()
    this.#transactionListener.restart()
    for (const installed of this.#filters.values()) installed.position = this.#eventsFor(installed.target).end
  }

  /** Number of installed filters, including those that have expired but were not removed yet. */
  get size(): number {
    return this.#filters.size
  }

  installBlockFilter(): bigint {
    return this.#install({ kind: 'block' }, 0)
  }

  installPendingTransactionFilter(): bigint {
    return this.#install({ kind: 'transaction' }, 0)
  }

  installLogFilter(filter: LogFilter): bigint {
    return this.#install({ kind: 'log', filter, matcher: new LogMatcher(filter) }, criteriaCount(filter))
  }

  changes(id: bigint): FilterChanges {
    const installed = this.#use(id)
    if (installed === undefined) throw new NodeError({ code: 'FILTER_NOT_FOUND' }, 'filter not found')
    const changes = this.#changesOf(installed)
    if (changes === undefined) {
      this.#remove(installed)
      throw new NodeError({ code: 'FILTER_NOT_FOUND' }, 'filter not found')
    }
    // This comes last, because a read that causes a store miss is repeated and must find the same events.
    installed.position = this.#eventsFor(installed.target).end
    return changes
  }

  logFilter(id: bigint): LogFilter {
    const target = this.#use(id)?.target
    if (target?.kind !== 'log') throw new NodeError({ code: 'LOGS_FILTER_NOT_FOUND' }, 'filter not found')
    return target.filter
  }

  uninstall(id: bigint): boolean {
    const installed = this.#use(id)
    if (installed !== undefined) this.#remove(installed)
    return installed !== undefined
  }

  #install(target: Target, criteria: number): bigint {
    this.#sweep(!this.#hasRoom(criteria))
    if (!this.#hasRoom(criteria)) {
      throw new NodeError({ code: 'TOO_MANY_FILTERS' }, 'too many filters: uninstall some, or wait until they time out')
    }
    const listener = target.kind === 'transaction' ? this.#transactionListener : this.#blockListener
    const installed: Installed = {
      id: bytesToBigInt(this.#options.random.bytes(FILTER_ID_BYTES)),
      target,
      criteria,
      position: this.#eventsFor(target).end,
      lastUsedMs: this.#options.clock.monotonic(),
      stopListening: listener.use(),
    }
    this.#filters.set(installed.id, installed)
    this.#criteria += criteria
    return installed.id
  }

  #hasRoom(criteria: number): boolean {
    return this.#filters.size < MAX_FILTERS && this.#criteria + criteria <= MAX_FILTER_CRITERIA
  }

  /** Returns the filter and restarts its idle time; undefined when it is unknown or expired. */
  #use(id: bigint): Installed | undefined {
    this.#sweep()
    const installed = this.#filters.get(id)
    if (installed === undefined) return undefined
    const now = this.#options.clock.monotonic()
    if (isIdle(installed, now)) {
      this.#remove(installed)
      return undefined
    }
    installed.lastUsedMs = now
    return installed
  }

  #remove(installed: Installed): void {
    if (!this.#filters.delete(installed.id)) return
    this.#criteria -= installed.criteria
    installed.stopListening()
  }

  /** @returns undefined when events were dropped, or exceed the limit of one answer */
  #changesOf({ target, position }: Installed): FilterChanges | undefined {
    if (target.kind === 'transaction') {
      const hashes = this.#transactions.since(position)
      return hashes && { kind: 'hashes', hashes }
    }
    const events = this.#blocks.since(position)
    if (events === undefined) return undefined
    if (target.kind === 'log') {
      const logs = this.#logsOf(events, target)
      return logs && { kind: 'logs', logs }
    }
    return { kind: 'hashes', hashes: events.filter(({ removed }) => !removed).map(({ block }) => block.hash) }
  }

  #logsOf(events: readonly BlockEvent[], { filter, matcher }: Target & { kind: 'log' }): LogView[] | undefined {
    const last = filter.toBlock?.kind === 'number' ? filter.toBlock.number : Number.POSITIVE_INFINITY
    const logs: LogView[] = []
    for (const { block, removed } of events) {
      if (block.header.number > last) continue
      const views = blockLogs(this.#options.chain, block, matcher, removed, new LogViews()).views
      if (logs.length + views.length > MAX_FILTER_ITEMS) return undefined
      for (const view of removed ? views.reverse() : views) logs.push(view)
    }
    return logs
  }

  #eventsFor({ kind }: Target): EventLog<unknown> {
    return kind === 'transaction' ? this.#transactions : this.#blocks
  }

  #onAdded(hash: Uint8Array): void {
    this.#transactions.push(hash)
    this.#sweep()
  }

  #onHead({ added, removed }: ChainEvents['head']): void {
    for (let i = removed.length - 1; i >= 0; i--) {
      this.#blocks.push({ block: removed[i] as ChainHeader, removed: true })
    }
    for (const block of added) this.#blocks.push({ block, removed: false })
    this.#sweep()
  }

  /** Removes expired filters, and events that every filter has read. */
  #sweep(isUrgent = false): void {
    const now = this.#options.clock.monotonic()
    if (!isUrgent && now - this.#lastSweepMs < FILTER_SWEEP_INTERVAL_MS) return
    this.#lastSweepMs = now
    let blocksRead = this.#blocks.end
    let transactionsRead = this.#transactions.end
    for (const installed of this.#filters.values()) {
      if (isIdle(installed, now)) this.#remove(installed)
      else if (installed.target.kind === 'transaction') {
        transactionsRead = Math.min(transactionsRead, installed.position)
      } else blocksRead = Math.min(blocksRead, installed.position)
    }
    this.#blocks.dropBefore(blocksRead)
    this.#transactions.dropBefore(transactionsRead)
  }
}

function isIdle({ lastUsedMs }: Installed, now: number): boolean {
  return now - lastUsedMs >= FILTER_TIMEOUT_MS
}
