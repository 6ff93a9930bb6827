/**
 * Headers of the chain of one peer: a skeleton of every n-th header from that peer, and the segments between them from
 * all peers, identified by hash.
 * @module
 */
import { SYNC_SEGMENTS_AHEAD, SYNC_TOLERANCE_BLOCKS } from '../../base/limits/networkLimits.ts'
import { equalBytes } from '../../base/primitives/bytes.ts'
import type { EthPeer, ResponseTo } from '../eth/contract.ts'
import type { BranchHeader, SyncBounds, SyncChain } from './contract.ts'
import { hashedRun } from './headerAnswer.ts'
import { InOrder } from './inOrder.ts'
import type { SyncRequests, Verdict } from './requests.ts'

export interface BranchSource {
  readonly chain: SyncChain
  readonly requests: SyncRequests
  readonly target: EthPeer
  readonly bounds: SyncBounds
  /** Whether another peer should be followed instead. */
  isOutdated(): boolean
}

/** Reason why the sequence of headers ended; set before it ends. */
export type BranchEnd =
  /** The head of the peer is reached. */
  | { readonly kind: 'reached' }
  /** The peer delivered a few headers, although it claims many more. */
  | { readonly kind: 'short' }
  /** Another peer gets a turn, although this one has more headers. */
  | { readonly kind: 'yielded' }
  | { readonly kind: 'undelivered'; readonly first: number; readonly last: number }

type Segment =
  /** Headers above the last skeleton header. */
  | { readonly kind: 'tail'; readonly headers: readonly BranchHeader[] }
  | { readonly kind: 'segment'; readonly first: number; readonly pivot: BranchHeader }

export class BranchHeaders {
  readonly #source: BranchSource
  readonly #ancestor: number
  #end: BranchEnd | undefined
  #last: BranchHeader | undefined

  /** @param ancestor number of the block below the first header */
  constructor(source: BranchSource, ancestor: number) {
    this.#source = source
    this.#ancestor = ancestor
  }

  /** undefined: not ended, or halted. */
  get end(): BranchEnd | undefined {
    return this.#end
  }

  /** The last header of the sequence so far. */
  get last(): BranchHeader | undefined {
    return this.#last
  }

  /** Segments in order; each is linked in itself, but not yet to the one before it. */
  async *segments(): AsyncGenerator<readonly BranchHeader[], void, undefined> {
    const filled = new InOrder(this.#skeleton(), { items: SYNC_SEGMENTS_AHEAD }, async (segment) => {
      return { value: { segment, headers: await this.#fill(segment) }, size: 0 }
    })
    for await (const { segment, headers } of filled.results()) {
      if (headers === undefined) {
        const { first, pivot } = segment as Extract<Segment, { kind: 'segment' }>
        this.#end = { kind: 'undelivered', first, last: Number(pivot.header.number) }
        return
      }
      this.#last = headers.at(-1)
      yield headers
    }
  }

  async *#skeleton(): AsyncGenerator<Segment, void, undefined> {
    const { target, bounds, isOutdated } = this.#source
    let next = this.#ancestor + 1
    while (target.head.number >= next) {
      if (next - this.#ancestor > bounds.roundBlocks || (next > this.#ancestor + 1 && isOutdated())) {
        this.#end = { kind: 'yielded' }
        return
      }
      const segments: readonly Segment[] = await this.#nextSegments(next)
      if (segments.length === 0) {
        this.#end = { kind: 'undelivered', first: next, last: next }
        return
      }
      for (const segment of segments) {
        next += segment.kind === 'tail' ? segment.headers.length : bounds.segmentHeaders
        yield segment
        if (segment.kind === 'tail' && this.#isShort(segment.headers.length, next)) {
          this.#end = { kind: 'short' }
          return
        }
      }
    }
    this.#end = { kind: 'reached' }
  }

  /** Whether an answer is much shorter than the claim. Otherwise a peer could make a round last for ever. */
  #isShort(count: number, next: number): boolean {
    const missing = this.#source.target.head.number - BigInt(next) + 1n
    return count <= SYNC_TOLERANCE_BLOCKS && missing > SYNC_TOLERANCE_BLOCKS
  }

  /** @returns none when the peer does not deliver */
  async #nextSegments(next: number): Promise<readonly Segment[]> {
    const { target, bounds } = this.#source
    const { segmentHeaders } = bounds
    const remaining = target.head.number - BigInt(next) + 1n
    const whole = remaining / BigInt(segmentHeaders)
    if (whole === 0n) {
      const headers = await this.#fromTarget(next, 1, Number(remaining))
      return headers === undefined ? [] : [{ kind: 'tail', headers }]
    }
    const limit = whole < bounds.skeletonSegments ? Number(whole) : bounds.skeletonSegments
    const pivots = (await this.#fromTarget(next + segmentHeaders - 1, segmentHeaders, limit)) ?? []
    return pivots.map((pivot, i) => ({ kind: 'segment', first: next + i * segmentHeaders, pivot }))
  }

  #fromTarget(first: number, step: number, limit: number): Promise<readonly BranchHeader[] | undefined> {
    const { chain, requests, target } = this.#source
    const skip = BigInt(step - 1)
    return requests.fetch({
      question: { kind: 'getBlockHeaders', start: BigInt(first), limit: BigInt(limit), skip, isReverse: false },
      number: first,
      only: target,
      check: ({ headers }: ResponseTo<'getBlockHeaders'>): Verdict<readonly BranchHeader[]> => {
        if (headers.length === 0) return { kind: 'empty' }
        const run = hashedRun(headers, { first, step, limit }, chain.consensus, target)
        return run.kind === 'run' ? { kind: 'good', value: run.headers } : run
      },
    })
  }

  /** @returns ascending; undefined when no peer delivers them */
  async #fill(segment: Segment): Promise<readonly BranchHeader[] | undefined> {
    if (segment.kind === 'tail') return segment.headers
    const { first, pivot } = segment
    const descending = [pivot]
    for (;;) {
      const lowest = descending.at(-1) as BranchHeader
      if (lowest.header.number === BigInt(first)) return descending.reverse()
      const more = await this.#below(lowest, Number(lowest.header.number) - first)
      if (more === undefined) return undefined
      descending.push(...more)
    }
  }

  /** Headers below one, descending. */
  #below({ header }: BranchHeader, limit: number): Promise<readonly BranchHeader[] | undefined> {
    const { chain, requests } = this.#source
    const { parentHash } = header
    const first = Number(header.number) - 1
    return requests.fetch({
      question: { kind: 'getBlockHeaders', start: parentHash, limit: BigInt(limit), skip: 0n, isReverse: true },
      number: first,
      check: ({ headers }: ResponseTo<'getBlockHeaders'>, from): Verdict<readonly BranchHeader[]> => {
        if (headers.length === 0) return { kind: 'empty' }
        const run = hashedRun(headers, { first, step: -1, limit }, chain.consensus, from)
        if (run.kind === 'wrong') return run
        const [highest] = run.headers
        return highest !== undefined && equalBytes(highest.hash, parentHash)
          ? { kind: 'good', value: run.headers }
          : { kind: 'wrong', reason: `header ${first} is not the one that was requested by its hash` }
      },
    })
  }
}
