import { MAX_PRIVATE_FILTER_BLOCKS, MAX_PRIVATE_FILTERS, PRIVATE_FILTER_TTL_MS } from '../../base/limits/limits.ts'
import type { Clock } from '../../base/ports/host.ts'
import { StoreMiss } from '../../base/ports/keyValueStore.ts'
import type { Random } from '../../base/ports/random.ts'
import { bytesToBigInt, equalBytes } from '../../base/primitives/bytes.ts'
import { NodeError } from '../../base/primitives/errors.ts'
import type { Emitter, Unsubscribe } from '../../base/primitives/events.ts'
import type { ChainEvents } from '../../chain/contract.ts'
import type { BlockId, PrivateLog, PrivateLogs, PrivateLogTerms } from './privateLogs.ts'

/** A filter of private logs. Numbers of blocks are undefined where the head counts. */
export interface PrivateLogQuery extends PrivateLogTerms {
  readonly from: number | undefined
  readonly to: number | undefined
  /** Excludes `from` and `to`. */
  readonly blockHash: Uint8Array | undefined
}

interface Installed {
  readonly groupId: Uint8Array
  readonly query: PrivateLogQuery
  /** Blocks since the last poll that changed the group. */
  blocks: (BlockId & { readonly removed: boolean })[]
  lastUsedMs: number
}

export interface PrivateFiltersOptions {
  readonly logs: PrivateLogs
  readonly chainEvents: Emitter<ChainEvents>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly random: Random
}

const FILTER_ID_BYTES = 16

/** Filters of private logs; public filters are separate from them. Ids are unpredictable. */
export class PrivateFilters {
  readonly #options: PrivateFiltersOptions
  readonly #filters = new Map<bigint, Installed>()
  readonly #stop: Unsubscribe

  constructor(options: PrivateFiltersOptions) {
    this.#options = options
    this.#stop = options.chainEvents.on('head', ({ added, removed }) => {
      if (this.#filters.size === 0) return
      for (const { header, hash } of [...removed].reverse()) this.#record(Number(header.number), hash, true)
      for (const { header, hash } of added) this.#record(Number(header.number), hash, false)
    })
  }

  /** @throws {NodeError} TOO_MANY_FILTERS */
  install(groupId: Uint8Array, query: PrivateLogQuery): bigint {
    this.#sweep()
    if (this.#filters.size >= MAX_PRIVATE_FILTERS) {
      throw new NodeError({ code: 'TOO_MANY_FILTERS' }, 'too many filters of private logs')
    }
    const id = bytesToBigInt(this.#options.random.bytes(FILTER_ID_BYTES))
    this.#filters.set(id, { groupId, query, blocks: [], lastUsedMs: this.#options.clock.monotonic() })
    return id
  }

  /** Whether a filter belongs to a group. */
  isOf(id: bigint, groupId: Uint8Array): boolean {
    const filter = this.#filters.get(id)
    return filter !== undefined && equalBytes(filter.groupId, groupId)
  }

  /** @throws {NodeError} FILTER_NOT_FOUND */
  changes(id: bigint): PrivateLog[] {
    const { logs } = this.#options
    const filter = this.#find(id)
    if (filter === undefined) throw new NodeError({ code: 'FILTER_NOT_FOUND' }, 'filter not found')
    const { groupId, query } = filter
    const newLogs = filter.blocks.flatMap((block) => logs.inBlock(groupId, block, query, block.removed))
    filter.blocks = []
    return newLogs
  }

  /** @throws {NodeError} LOGS_FILTER_NOT_FOUND */
  query(id: bigint): { readonly groupId: Uint8Array; readonly query: PrivateLogQuery } {
    const filter = this.#find(id)
    if (filter === undefined) throw new NodeError({ code: 'LOGS_FILTER_NOT_FOUND' }, 'logs filter not found')
    return filter
  }

  /** @returns whether the filter existed */
  uninstall(id: bigint): boolean {
    return this.#filters.delete(id)
  }

  close(): void {
    this.#stop()
    this.#filters.clear()
  }

  #find(id: bigint): Installed | undefined {
    this.#sweep()
    const filter = this.#filters.get(id)
    if (filter !== undefined) filter.lastUsedMs = this.#options.clock.monotonic()
    return filter
  }

  #record(number: number, hash: Uint8Array, removed: boolean): void {
    for (const filter of this.#filters.values()) {
      if (!this.#mayHave(filter.groupId, { number, hash })) continue
      filter.blocks.push({ number, hash, removed })
      if (filter.blocks.length > MAX_PRIVATE_FILTER_BLOCKS) filter.blocks.shift()
    }
  }

  #mayHave(groupId: Uint8Array, block: BlockId): boolean {
    try {
      return this.#options.logs.isIn(groupId, block)
    } catch (error) {
      if (error instanceof StoreMiss) return true
      throw error
    }
  }

  #sweep(): void {
    const oldest = this.#options.clock.monotonic() - PRIVATE_FILTER_TTL_MS
    for (const [id, { lastUsedMs }] of this.#filters) if (lastUsedMs < oldest) this.#filters.delete(id)
  }
}
