/**
 * Calls of a range of blocks.
 * @see docs/reference/debug-and-trace.md section 8
 * @module
 */

import type { BlockNumberOrTag } from '../../../api/blockReference.ts'
import { rangeEnd } from '../../../api/lookup.ts'
import type { RpcProfile } from '../../../api/profile.ts'
import type { LoadedBlock } from '../../../api/views.ts'
import { LOG_SCAN_BLOCKS } from '../../../base/limits/limits.ts'
import type { Residency } from '../../../base/ports/keyValueStore.ts'
import type { YieldToHost } from '../../../base/ports/yieldToHost.ts'
import { bytesToHex } from '../../../base/primitives/bytes.ts'
import { NodeError } from '../../../base/primitives/errors.ts'
import type { JsonWriter } from '../../../base/primitives/jsonWriter.ts'
import type { MaybePromise } from '../../../base/primitives/maybePromise.ts'
import type { ChainReader } from '../../../chain/contract.ts'
import { retryMisses, retryMissesMaybe } from '../../../storage/retryMisses.ts'
import { callFrom, callTo, type FlatEntry } from '../../../tracing/besu/flatTrace.ts'
import { defineMethod, type MethodDefinition, param, type RequestContext, result } from '../../method.ts'
import { StreamedResult } from '../../streamedResult.ts'
import { type TraceFilterOptions, traceFilterOptions } from './filterOptions.ts'
import { FlatList, rewardTexts, traceCalls } from './flatTraces.ts'
import { nextPossibleBlock } from './possibleBlocks.ts'
import { flatTraces } from './results.ts'
import { limitsOf, replayErrors, type TraceBackend, traceableBlock } from './traceBackend.ts'

/** A search yields after this number of blocks without transactions, and after each block with transactions. */
const SCAN_BLOCKS = 64

interface Backend extends TraceBackend {
  readonly residency?: Residency | undefined
  readonly yieldToHost: YieldToHost
}

interface Range {
  readonly first: number
  readonly last: number
}

export const traceFilter: MethodDefinition<Backend> = defineMethod({
  name: 'trace_filter',
  group: 'TRACE',
  summary: 'Calls, creations and self-destructs of a range of blocks, filtered by caller and callee.',
  params: [
    param(
      'filter',
      traceFilterOptions,
      '`fromBlock` and `toBlock` (default `latest`); `fromAddress` and `toAddress`: lists of addresses; `after`: entries to skip; `count`: maximum number of entries.',
    ),
  ],
  result: result('traces', flatTraces),
  errors: [...replayErrors, 'RANGE_TOO_LARGE', 'INTERNAL_ERROR', 'TIMEOUT'],
  isHeavy: true,
  handler: (backend: Backend, [filter], context) => {
    const range = rangeOf(backend, filter)
    if (range.first > range.last || filter.count === 0) return []
    // States are available from some block up to the head, so the check of the first block covers all.
    const first = backend.chain.headerByNumber(range.first)
    if (first === undefined || traceableBlock(backend, first) === undefined) return []
    return new StreamedResult((out) => new FilterSearch(backend, filter, context, out).all(range))
  },
})

/** The genesis block has no calls; beyond the head there are no blocks. */
function rangeOf({ chain, options }: Backend, { fromBlock, toBlock }: TraceFilterOptions): Range {
  const from = numberOf(chain, fromBlock, options.profile)
  const to = numberOf(chain, toBlock, options.profile)
  const limit = options.maxTraceFilterRange
  if (limit > 0 && to - from > limit) {
    throw new NodeError({ code: 'RANGE_TOO_LARGE' }, `block range exceeds the limit of ${limit}`)
  }
  return {
    first: Math.max(from, chain.lowestNumber + 1),
    last: Math.min(to, Number(chain.head.header.number)),
  }
}

/** @throws {NodeError} INVALID_PARAMS; in Besu's profile INTERNAL_ERROR for tags other than `earliest` and `latest` */
function numberOf(chain: ChainReader, block: BlockNumberOrTag, profile: RpcProfile): number {
  if (block.kind === 'number') return block.number
  if (block.tag === 'earliest') return chain.lowestNumber
  if (block.tag === 'latest') return Number(chain.head.header.number)
  if (profile === 'geth') return rangeEnd(chain, block)
  throw new NodeError({ code: 'INTERNAL_ERROR' }, `the block tag ${block.tag} is not supported`)
}

class FilterSearch {
  readonly #backend: Backend
  readonly #filter: TraceFilterOptions
  readonly #context: RequestContext
  readonly #out: JsonWriter
  readonly #list: FlatList
  readonly #from: ReadonlySet<string>
  readonly #to: ReadonlySet<string>
  /** Matching entries still to skip, and still to write. */
  #skip: number
  #left: number

  constructor(backend: Backend, filter: TraceFilterOptions, context: RequestContext, out: JsonWriter) {
    this.#backend = backend
    this.#filter = filter
    this.#context = context
    this.#out = out
    this.#list = new FlatList(out)
    this.#from = new Set(filter.from.map(bytesToHex))
    this.#to = new Set(filter.to.map(bytesToHex))
    this.#skip = filter.after
    this.#left = filter.count ?? Number.POSITIVE_INFINITY
  }

  async all({ first, last }: Range): Promise<void> {
    this.#out.ascii('[')
    let idle = 0
    const hasAccounts = this.#from.size > 0 || this.#to.size > 0
    for (let next = first; next <= last && this.#left > 0; ) {
      // Derived blocks have rewards, but no calls.
      if (hasAccounts) next = await this.#skipDerived(next)
      if (next > last) break
      const end = Math.min(last, next + LOG_SCAN_BLOCKS - 1)
      // Output that was sent cannot be repeated, so store misses are handled here.
      const block = await retryMisses(() => this.#nextBlock(next, end), this.#backend.residency)
      next = block === undefined ? end + 1 : Number(block.header.header.number) + 1
      if (block !== undefined) await this.#block(block)
      const isIdle = block?.body.transactions.length === 0
      if (!isIdle || ++idle % SCAN_BLOCKS === 0) await this.#yieldToHost()
    }
    this.#out.ascii(']')
  }

  #skipDerived(number: number): MaybePromise<number> {
    const { chain, residency } = this.#backend
    return retryMissesMaybe(() => chain.index.skipDerived(number), residency)
  }

  async #yieldToHost(): Promise<void> {
    await this.#backend.yieldToHost()
    if (this.#context.aborted) throw new NodeError({ code: 'TIMEOUT' }, 'request timed out')
  }

  /** undefined: no block in the range may have calls of the accounts. */
  #nextBlock(from: number, to: number): LoadedBlock | undefined {
    const { chain } = this.#backend
    const number = nextPossibleBlock(chain.index, [this.#filter.from, this.#filter.to], from, to)
    const header = number === undefined ? undefined : chain.headerByNumber(number)
    if (header === undefined) return undefined
    const block = traceableBlock(this.#backend, header)
    if (block === undefined) throw new NodeError({ code: 'WORLD_STATE_UNAVAILABLE' }, 'parent state unavailable')
    return block
  }

  async #block(block: LoadedBlock): Promise<void> {
    if (block.body.transactions.length > 0) {
      const plan = {
        wants: () => this.#left > 0,
        use: (index: number, entries: readonly FlatEntry[]) =>
          this.#list.entries(block, index, this.#page(entries.filter((entry) => this.#matches(entry)))),
      }
      await traceCalls(this.#backend, block, plan, limitsOf(this.#context), this.#out)
    }
    // Block rewards have neither sender nor recipient.
    if (this.#from.size > 0 || this.#to.size > 0) return
    for (const text of this.#page(rewardTexts(this.#backend, block))) this.#list.text(text)
    if (this.#out.isFull) await this.#out.drained()
  }

  #matches(entry: FlatEntry): boolean {
    return isIn(this.#from, callFrom(entry)) && isIn(this.#to, callTo(entry))
  }

  /** Returns the part of the next matching items that belongs to the requested page. */
  #page<T>(items: readonly T[]): readonly T[] {
    const skipped = Math.min(this.#skip, items.length)
    this.#skip -= skipped
    const page = items.slice(skipped, skipped + Math.min(this.#left, items.length))
    this.#left -= page.length
    return page
  }
}

/** @param accounts empty: any */
function isIn(accounts: ReadonlySet<string>, address: Uint8Array | undefined): boolean {
  return accounts.size === 0 || (address !== undefined && accounts.has(bytesToHex(address)))
}
