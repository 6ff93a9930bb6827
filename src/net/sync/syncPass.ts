/**
 * One round of synchronisation: follows the chain of one peer from the common ancestor, through a pipeline of headers,
 * bodies, recovered senders and imports, each stage a bounded distance ahead of the next. Every import is committed, so
 * a round may end at any point.
 * @see docs/reference/p2p.md section 9
 * @module
 */

import { MAX_SYNC_BODY_BYTES, SYNC_BODIES_AHEAD } from '../../base/limits/networkLimits.ts'
import { bytesToHex, equalBytes } from '../../base/primitives/bytes.ts'
import { keccak256 } from '../../base/primitives/keccak.ts'
import type { ChainHeader, ImportOptions, ImportOutcome } from '../../chain/contract.ts'
import { importBlocks } from '../../chain/import.ts'
import type { ImportProgress, ImportReport } from '../../chain/importReport.ts'
import type { EncodedBlock, PreparedBlock } from '../../chain/preparedBlock.ts'
import { retryMisses } from '../../storage/retryMisses.ts'
import type { EthPeer } from '../eth/contract.ts'
import { BodyFetch } from './bodyFetch.ts'
import { BranchHeaders } from './branchHeaders.ts'
import { commonAncestor } from './commonAncestor.ts'
import { type BranchHeader, SYNC_BOUNDS, type SyncBounds, type SyncDeps } from './contract.ts'
import { BranchRules, isParent } from './headerAnswer.ts'
import { InOrder } from './inOrder.ts'
import { SyncRequests } from './requests.ts'
import type { SyncPeers } from './syncPeers.ts'

export interface SyncPassDeps extends SyncDeps {
  readonly syncPeers: SyncPeers
  readonly target: EthPeer
  /** Whether another peer should be followed instead. */
  isOutdated(): boolean
  /** Whether another peer can be followed. */
  hasAlternative(): boolean
  onStart(ancestor: number): void
  onProgress(progress: ImportProgress): void
}

export type RoundEnd =
  /** The chain of the peer is imported up to its head, or up to its last block before proof of stake. */
  | { readonly kind: 'reached' }
  /** The peer delivered a few headers, although it claims many more. */
  | { readonly kind: 'short' }
  /** The round has used its budget of blocks; another peer gets a turn. */
  | { readonly kind: 'yielded' }
  | { readonly kind: 'halted' }
  /** The peer has not answered yet, and another one can be followed. */
  | { readonly kind: 'slow' }
  /** The peer does not deliver, or what it delivered cannot be imported now. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** A peer has sent something that no honest peer sends. */
  | { readonly kind: 'breach'; readonly peer: EthPeer; readonly reason: string }
  /** The branch of the peer would not become the canonical chain. */
  | { readonly kind: 'lighter'; readonly number: bigint; readonly reason: string }
  /** The next block is ahead of the local clock. */
  | { readonly kind: 'future'; readonly number: bigint; readonly timestamp: bigint }

export interface RoundReport {
  readonly end: RoundEnd
  /** Blocks executed. */
  readonly imported: number
}

type Refusal = Exclude<ImportOutcome, { readonly kind: 'imported' | 'known' }>

/**
 * A side branch may have this many times the blocks of our chain that it replaces, plus an allowance, before it must
 * prove heavier.
 */
const BRANCH_FACTOR = 4
const BRANCH_ALLOWANCE = 4096

export class SyncPass {
  readonly #deps: SyncPassDeps
  readonly #bounds: SyncBounds
  readonly #abort = new AbortController()
  readonly #requests: SyncRequests
  #validatedNumber = 0
  /** Headers whose blocks are not imported yet, by number. */
  readonly #pending = new Map<number, BranchHeader>()
  /** The first reason to end. */
  #end: RoundEnd | undefined
  #halt: () => void = () => {}

  constructor(deps: SyncPassDeps) {
    this.#deps = deps
    this.#bounds = deps.bounds ?? SYNC_BOUNDS
    const halted = new Promise<void>((resolve) => {
      this.#halt = resolve
    })
    const { signal } = this.#abort
    const halt = {
      halted,
      get isHalted() {
        return signal.aborted
      },
    }
    this.#requests = new SyncRequests(deps, halt)
  }

  /** Number of the newest header of the peer's chain that is valid as far as headers show. */
  get validatedNumber(): number {
    return this.#validatedNumber
  }

  /** Ends the round: requests are abandoned, executed blocks are committed. */
  stop(): void {
    this.#endWith({ kind: 'halted' })
  }

  /** @throws errors of the chain and its store */
  async run(): Promise<RoundReport> {
    const { chain, target, residency } = this.#deps
    const { finality } = chain.consensus.claimedBy(chain.head.header)
    const targetHead = await retryMisses(() => target.head.hash && chain.headerByHash(target.head.hash), residency)
    const lie = targetHead && this.#falseClaim(targetHead.hash, targetHead.totalDifficulty)
    if (lie !== undefined) return this.#report(lie)
    const requests = this.#requests
    const commonHeader = await commonAncestor({
      chain,
      residency,
      requests,
      peer: target,
      forkBlocks: this.#bounds.forkBlocks,
    })
    if (commonHeader.kind === 'unanswered')
      return this.#report(requests.hasLostPatience ? { kind: 'slow' } : 'does not deliver headers of its chain')
    if (commonHeader.kind === 'none') {
      return this.#report({
        kind: 'breach',
        peer: target,
        reason: `its block ${commonHeader.lowest} differs from this chain`,
      })
    }
    const ancestor = await retryMisses(() => chain.headerByNumber(commonHeader.number), residency)
    if (ancestor === undefined) return this.#report('the head of this chain has moved')
    const isFork = await this.#isFork(commonHeader.fork)
    if (isFork && finality === 'immediate') {
      const reason = `its block ${commonHeader.number + 1} differs from a final block of this chain`
      return this.#report({ kind: 'breach', peer: target, reason })
    }
    this.#deps.onStart(commonHeader.number)
    return this.#import(ancestor, isFork)
  }

  /**
   * Whether the peer has another block than this chain has now. The head may have moved since the headers were compared,
   * which is no fault of the peer.
   */
  async #isFork(fork: BranchHeader | undefined): Promise<boolean> {
    if (fork === undefined) return false
    const { chain, residency } = this.#deps
    const hash = await retryMisses(() => chain.canonicalHash(Number(fork.header.number)), residency)
    return hash !== undefined && !equalBytes(hash, fork.hash)
  }

  async #import(ancestor: ChainHeader, isFork: boolean): Promise<RoundReport> {
    const { chain, senders, clock, residency, onProgress, verifySeal = true } = this.#deps
    const number = Number(ancestor.header.number)
    const branchLimit = BRANCH_FACTOR * (Number(chain.head.header.number) - number) + BRANCH_ALLOWANCE
    const roundBlocks = Math.max(this.#bounds.roundBlocks, isFork ? branchLimit : 0)
    const bounds = { ...this.#bounds, roundBlocks }
    const headers = new BranchHeaders({ ...this.#deps, bounds, requests: this.#requests }, number)
    const rules = new BranchRules(chain, ancestor.header, ancestor.totalDifficulty)
    const bodies = new BodyFetch({ ...this.#deps, requests: this.#requests })
    const checkedHeaders = this.#checked(headers, rules, ancestor)
    const worthwhile = isFork ? this.#heavier(headers, checkedHeaders, rules, branchLimit) : checkedHeaders
    const stages = new InOrder(
      inBatches(worthwhile, bodies),
      { items: SYNC_BODIES_AHEAD, size: MAX_SYNC_BODY_BYTES },
      async (batch) => {
        const value = await bodies.blocks(batch)
        return { value: { batch, blocks: value }, size: (value ?? []).reduce((sum, { rlp }) => sum + rlp.length, 0) }
      },
      (batch) => bodies.estimate(batch),
    )
    const supply = { remainingBlocks: 0 }
    const report = await importBlocks(
      { chain: this.#importTarget(), senders, clock, ...(residency === undefined ? {} : { residency }) },
      {
        blocks: this.#blocks(stages, supply),
        isWaiting: () => supply.remainingBlocks === 0 && stages.isWaiting,
        verifySeal,
        signal: this.#abort.signal,
        onProgress,
      },
    )
    return this.#ended(report, headers, rules)
  }

  /** The chain, with a halt of the whole pipeline at the first block that is not accepted. */
  #importTarget() {
    const { chain } = this.#deps
    return {
      genesis: chain.genesis,
      consensus: chain.consensus,
      isCanonical: (hash: Uint8Array): boolean => chain.isCanonical(hash),
      importRun: async (run: readonly PreparedBlock[], options: ImportOptions): Promise<ImportOutcome[]> => {
        try {
          const outcomes = await chain.importRun(run, options)
          const last = outcomes.at(-1)
          if (last !== undefined && last.kind !== 'imported' && last.kind !== 'known') this.#refused(last)
          this.#forget(run.at(-1)?.block.header.number)
          return outcomes
        } catch (error) {
          this.#endWith({ kind: 'failed', reason: 'the import failed' })
          throw error
        }
      },
    }
  }

  /** Headers in order, each valid as far as headers show. */
  async *#checked(
    headers: BranchHeaders,
    rules: BranchRules,
    ancestor: ChainHeader,
  ): AsyncGenerator<readonly BranchHeader[], void, undefined> {
    const { chain, clock, target } = this.#deps
    let last: Pick<BranchHeader, 'hash'> = ancestor
    for await (const segment of headers.segments()) {
      const [first] = segment
      if (first === undefined || !isParent(last, first)) {
        this.#endWhenDrained({ kind: 'failed', reason: `its chain has changed below block ${first?.header.number}` })
        return
      }
      for (const [i, header] of segment.entries()) {
        const bad = this.#isBad(header)
        const step = rules.follow(header, clock.now())
        const isSealed = chain.consensus.claimedBy(header.header).finality !== 'forkChoice'
        if (!bad && step.kind === 'valid' && isSealed) continue
        if (i > 0) yield segment.slice(0, i)
        if (step.kind === 'future') this.#endWhenDrained(step)
        // The chain of the peer is followed up to the last block that proves its worth.
        else if (!bad && step.kind === 'valid') this.#endWhenDrained({ kind: 'reached' })
        else {
          const reason = step.kind === 'invalid' ? step.reason : 'known to be invalid'
          this.#endWhenDrained({ kind: 'breach', peer: target, reason: `block ${header.header.number}: ${reason}` })
        }
        return
      }
      last = segment.at(-1) as BranchHeader
      this.#validatedNumber = Number((last as BranchHeader).header.number)
      yield segment
    }
  }

  /**
   * Withholds the headers of another branch until it is heavier than this chain. A longer branch is executed before it
   * has shown that, up to a bound.
   */
  async *#heavier(
    headers: BranchHeaders,
    segments: AsyncIterable<readonly BranchHeader[]>,
    rules: BranchRules,
    limit: number,
  ): AsyncGenerator<readonly BranchHeader[], void, undefined> {
    const { chain } = this.#deps
    let withheld: (readonly BranchHeader[])[] = []
    let count = 0
    let isHeavier = false
    for await (const segment of segments) {
      count += segment.length
      isHeavier ||= rules.totalDifficulty > chain.head.totalDifficulty
      withheld.push(segment)
      if (!isHeavier && count > limit) break
      if (!isHeavier && count <= this.#bounds.branchHeaders) continue
      yield* withheld
      withheld = []
    }
    const hasEnded = headers.end?.kind === 'reached' || headers.end?.kind === 'short'
    if (isHeavier || (count <= limit && !hasEnded)) return
    const number = headers.last?.header.number ?? chain.head.header.number
    const reason = `its ${count} blocks up to ${number} have less total difficulty than this chain`
    this.#endWhenDrained({ kind: 'lighter', number, reason })
  }

  async *#blocks(
    stages: InOrder<
      readonly BranchHeader[],
      { readonly batch: readonly BranchHeader[]; readonly blocks: readonly EncodedBlock[] | undefined }
    >,
    supply: { remainingBlocks: number },
  ): AsyncGenerator<EncodedBlock, void, undefined> {
    for await (const { batch, blocks } of stages.results()) {
      if (blocks === undefined) {
        const [first] = batch
        this.#endWhenDrained({
          kind: 'failed',
          reason: `no peer delivers bodies from block ${first?.header.number} on`,
        })
        return
      }
      supply.remainingBlocks = blocks.length
      for (const [i, block] of blocks.entries()) {
        this.#pending.set(Number(block.block.header.number), batch[i] as BranchHeader)
        supply.remainingBlocks--
        yield block
      }
    }
  }

  #ended(report: ImportReport, headers: BranchHeaders, rules: BranchRules): RoundReport {
    const { imported, end } = report
    if (end.kind === 'failed') this.#endWhenDrained({ kind: 'failed', reason: end.reason })
    const headersEnd = this.#endOf(headers, rules)
    // A branch that turns out to be lighter also proves that the peer's claimed total difficulty was wrong.
    if (this.#end?.kind === 'lighter' && headersEnd.kind === 'breach') return { imported, end: headersEnd }
    return { imported, end: this.#end ?? headersEnd }
  }

  #endOf({ end, last }: BranchHeaders, rules: BranchRules): RoundEnd {
    if (end === undefined) return { kind: 'halted' }
    if (end.kind === 'undelivered') {
      if (this.#requests.hasLostPatience) return { kind: 'slow' }
      return { kind: 'failed', reason: `no peer delivers the headers from ${end.first} to ${end.last}` }
    }
    const lie = end.kind === 'reached' && last !== undefined && this.#falseClaim(last.hash, rules.totalDifficulty)
    if (lie) return lie
    return { kind: end.kind }
  }

  /** @returns a breach when the peer has claimed a greater total difficulty for this block, and it decides */
  #falseClaim(hash: Uint8Array, totalDifficulty: bigint): RoundEnd | undefined {
    const { chain, target } = this.#deps
    const { head } = target
    if (head.hash === undefined || head.totalDifficulty === undefined || head.isDifficultyOlder) return undefined
    if (!equalBytes(hash, head.hash) || head.totalDifficulty <= totalDifficulty) return undefined
    if (chain.consensus.claimedBy(chain.head.header).finality !== 'difficulty') return undefined
    const reason = `claims total difficulty ${head.totalDifficulty}, its chain has ${totalDifficulty}`
    return { kind: 'breach', peer: target, reason }
  }

  #refused(refusal: Refusal): void {
    const { target } = this.#deps
    const { number } = refusal
    if (refusal.kind === 'future') this.#endWith({ kind: 'future', number, timestamp: refusal.timestamp })
    else if (refusal.kind === 'unknownParent') {
      this.#endWith({ kind: 'failed', reason: `the parent of block ${number} is no longer stored` })
    } else {
      const delivered = this.#pending.get(Number(number))
      // Some engines leave the seals out of the block hash, so the delivering peer may have changed them.
      const isWhole = delivered === undefined || equalBytes(keccak256(delivered.encoding), delivered.hash)
      const peer = isWhole ? target : delivered.from
      const reason = `invalid block ${number} ${bytesToHex(refusal.hash)}: ${refusal.reason}`
      this.#endWith({ kind: 'breach', peer, reason })
    }
  }

  /** Whether the block was refused before. If the hash does not cover the seals, another version may be valid. */
  #isBad({ hash, encoding }: BranchHeader): boolean {
    const { chain } = this.#deps
    return chain.badBlocks().some((bad) => equalBytes(bad.hash, hash)) && equalBytes(keccak256(encoding), hash)
  }

  /** Blocks up to this one have been imported, or refused. */
  #forget(last: bigint | undefined): void {
    for (const number of this.#pending.keys()) {
      if (last === undefined || number > last) return
      this.#pending.delete(number)
    }
  }

  /** Ends the round now. */
  #endWith(end: RoundEnd): void {
    this.#end ??= end
    this.#abort.abort()
    this.#halt()
  }

  /** Ends the round when the blocks before this point are imported. */
  #endWhenDrained(end: RoundEnd): void {
    this.#end ??= end
  }

  /** Reports the end of a round that imported nothing. @param end the end, or why the peer failed */
  #report(end: RoundEnd | string): RoundReport {
    const roundEnd: RoundEnd = typeof end === 'string' ? { kind: 'failed', reason: end } : end
    return { imported: 0, end: this.#end ?? roundEnd }
  }
}

/** Headers whose bodies are requested together. */
async function* inBatches(
  segments: AsyncIterable<readonly BranchHeader[]>,
  bodies: BodyFetch,
): AsyncGenerator<readonly BranchHeader[], void, undefined> {
  for await (const segment of segments) {
    for (let at = 0; at < segment.length; ) {
      const end = at + bodies.batch
      yield segment.slice(at, end)
      at = end
    }
  }
}
