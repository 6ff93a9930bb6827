/**
 * Notifications of new blocks and of their logs.
 * @see docs/reference/rpc-envelope.md section 11
 * @module
 */

import { bytesToHex } from '../../base/primitives/bytes.ts'
import type { Emitter, Unsubscribe } from '../../base/primitives/events.ts'
import type { ChainEvents, ChainHeader, ChainReader } from '../../chain/contract.ts'
import type { ResidentTurns } from '../../storage/residentTurns.ts'
import type { LogFilter } from '../logFilter.ts'
import { LogMatcher } from '../logMatcher.ts'
import { blockLogs, LogViews } from '../logScan.ts'
import { blockView } from '../views.ts'
import type { LogView } from '../viewTypes.ts'
import { Audience, type Subscription } from './audience.ts'
import type { FeedTexts } from './feedTexts.ts'
import { SharedListener } from './sharedListener.ts'

/** Subscriptions with the same log filter. */
interface LogGroup {
  readonly audience: Audience
  readonly matcher: LogMatcher
  /** First and last matching block number. */
  readonly first: number
  readonly last: number
}

export class HeadFeed {
  #chain: ChainReader
  #events: Emitter<ChainEvents>
  #turns: ResidentTurns
  readonly #texts: FeedTexts
  readonly #source: SharedListener
  readonly #hashes: Audience
  readonly #transactions: Audience
  readonly #logs = new Map<string, LogGroup>()

  constructor(chain: ChainReader, events: Emitter<ChainEvents>, turns: ResidentTurns, texts: FeedTexts) {
    this.#chain = chain
    this.#events = events
    this.#turns = turns
    this.#texts = texts
    this.#source = new SharedListener(() => this.#events.on('head', (event) => this.#onHead(event)))
    this.#hashes = new Audience(this.#source, texts)
    this.#transactions = new Audience(this.#source, texts)
  }

  /** Tells of another chain from now on. */
  follow(chain: ChainReader, events: Emitter<ChainEvents>, turns: ResidentTurns): void {
    this.#chain = chain
    this.#events = events
    this.#turns = turns
    this.#source.restart()
  }

  /** @param includeTransactions whole transactions instead of their hashes */
  joinBlocks(subscription: Subscription, includeTransactions: boolean): Unsubscribe {
    return (includeTransactions ? this.#transactions : this.#hashes).join(subscription)
  }

  joinLogs(subscription: Subscription, filter: LogFilter): Unsubscribe {
    const key = filterKey(filter)
    const group = this.#logs.get(key) ?? newGroup(filter, new Audience(this.#source, this.#texts))
    this.#logs.set(key, group)
    const leave = group.audience.join(subscription)
    return () => {
      leave()
      if (group.audience.isEmpty) this.#logs.delete(key)
    }
  }

  #onHead({ added, removed }: ChainEvents['head']): void {
    for (let i = removed.length - 1; i >= 0; i--) this.#tellLogs(removed[i] as ChainHeader, true)
    for (const block of added) {
      this.#tellBlock(block, this.#hashes, false)
      this.#tellBlock(block, this.#transactions, true)
      this.#tellLogs(block, false)
    }
  }

  #tellBlock(block: ChainHeader, audience: Audience, full: boolean): void {
    if (audience.isEmpty) return
    this.#turns.run(() => {
      const view = blockView(this.#chain, block, full)
      if (view !== undefined) audience.send(this.#texts.block(view))
    })
  }

  #tellLogs(block: ChainHeader, removed: boolean): void {
    const { number, logsBloom } = block.header
    const groups: LogGroup[] = []
    for (const group of this.#logs.values()) {
      if (number >= group.first && number <= group.last && group.matcher.mayMatch(logsBloom)) groups.push(group)
    }
    if (groups.length === 0) return
    this.#turns.run(() => {
      const logs = groups.map(({ matcher }) => {
        return blockLogs(this.#chain, block, matcher, removed, new LogViews()).views
      })
      this.#sendLogs(groups, logs, removed)
    })
  }

  /** @param logs of each group, in the order of the block */
  #sendLogs(groups: readonly LogGroup[], logs: readonly LogView[][], removed: boolean): void {
    const texts = new Map<number, string>()
    for (const [at, { audience }] of groups.entries()) {
      const views = logs[at] ?? []
      for (const view of removed ? views.reverse() : views) {
        let text = texts.get(view.logIndex)
        if (text === undefined) {
          text = this.#texts.log(view)
          texts.set(view.logIndex, text)
        }
        audience.send(text)
      }
    }
  }
}

function newGroup(filter: LogFilter, audience: Audience): LogGroup {
  const { fromBlock, toBlock } = filter
  return {
    audience,
    matcher: new LogMatcher(filter),
    first: fromBlock?.kind === 'number' ? fromBlock.number : 0,
    last: toBlock?.kind === 'number' ? toBlock.number : Number.POSITIVE_INFINITY,
  }
}

/** Equal for filters that match the same logs and are written identically. */
function filterKey({ addresses, topics, fromBlock, toBlock }: LogFilter): string {
  const hex = (values: readonly Uint8Array[] | undefined) => values?.map(bytesToHex) ?? null
  const bound = (block: LogFilter['fromBlock']) => (block?.kind === 'number' ? block.number : null)
  return JSON.stringify([hex(addresses), topics.map(hex), bound(fromBlock), bound(toBlock)])
}
