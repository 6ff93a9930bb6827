/**
 * Candidates: blocks that were executed but not stored, such as work for miners, proposals, blocks under verification
 * and the pending block. States are immutable, so building a candidate does not occupy the writer; committing one does
 * (writer.ts).
 * @module
 */
import { MAX_CANDIDATE_BYTES, MAX_CANDIDATES } from '../base/limits/limits.ts'
import type { Clock } from '../base/ports/host.ts'
import { bytesToHex, equalBytes } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { hasState } from '../state/contract.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import type { Block } from '../types/block.ts'
import type { StoredReceipt } from '../types/receipt.ts'
import type { ExecutionModules } from './blockProcessor.ts'
import type { BlockStore } from './blockStore.ts'
import type { ChainHeader, ImportOutcome, PendingBlock } from './contract.ts'
import { type ExecutedBlock, executedBytes } from './executedBlock.ts'
import { executePlan, executePrepared } from './executePlan.ts'
import { checkFinality } from './headRule.ts'
import type { PreparedBlock } from './preparedBlock.ts'
import type { BlockPlan, PlannedTransaction } from './transition/buildInput.ts'

/** An executed block in memory. An opaque handle: only the chain that created it accepts it. */
export interface Candidate {
  /** Complete except for the seal. */
  readonly block: Block
  /** RLP of `block`. */
  readonly rlp: Uint8Array
  /** 32 bytes; sealing the block changes its hash. */
  readonly hash: Uint8Array
  readonly parent: ChainHeader
  readonly receipts: readonly StoredReceipt[]
  /** One address per transaction, 20 bytes each. */
  readonly senders: readonly Uint8Array[]
  /** Transactions of a locally built block; empty for a verified one. */
  readonly included: readonly PlannedTransaction[]
  /** Memory (estimate). */
  readonly bytes: number
}

export interface CandidateOptions {
  /** true: retained until it is committed or discarded. Default false: the oldest candidate is evicted by new ones. */
  readonly isPinned?: boolean
}

export type VerifyOutcome =
  /** The block is valid except for its seal, which was not checked. */
  { readonly kind: 'verified'; readonly candidate: Candidate } | Exclude<ImportOutcome, { readonly kind: 'imported' }>

type Status = 'live' | 'committing' | 'committed' | 'discarded'

interface Entry {
  status: Status
  /** Released when the candidate is committed or discarded. */
  executed: ExecutedBlock | undefined
  readonly isPinned: boolean
  /** Number of requested commits that have not started. */
  asked: number
}

export interface CandidatesOptions {
  readonly blocks: BlockStore
  readonly modules: ExecutionModules
  readonly clock: Clock
  /** Default MAX_CANDIDATES and MAX_CANDIDATE_BYTES. */
  readonly maxCount?: number
  readonly maxBytes?: number | undefined
}

export class Candidates {
  readonly #options: CandidatesOptions
  readonly #entries = new WeakMap<Candidate, Entry>()
  /** Oldest first. */
  readonly #live = new Set<Candidate>()
  readonly #maxCount: number
  readonly #maxBytes: number
  #bytes = 0

  constructor(options: CandidatesOptions) {
    this.#options = options
    this.#maxCount = options.maxCount ?? MAX_CANDIDATES
    this.#maxBytes = options.maxBytes ?? MAX_CANDIDATE_BYTES
  }

  get count(): number {
    return this.#live.size
  }

  /** Memory of all live candidates (estimate). */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * Builds a block on a stored parent and executes it.
   * @returns undefined when there are no transactions to include and the block may not be empty
   * @throws {NodeError} CANDIDATE_PARENT_GONE, CANDIDATES_FULL, BLOCK_NOT_BUILT
   */
  async build(
    plan: BlockPlan,
    parent: Pick<ChainHeader, 'hash'>,
    options: CandidateOptions = {},
  ): Promise<Candidate | undefined> {
    const { blocks, modules } = this.#options
    const stored = await retryMisses(() => blocks.header(parent.hash), modules.residency)
    if (stored === undefined) throw parentGone(parent.hash)
    const executed = await executePlan(plan, { parent: stored, blocks }, modules)
    return executed && this.#add(executed, options)
  }

  /**
   * Validates a block except for its seal, and executes it.
   * @throws {NodeError} CANDIDATES_FULL
   */
  async verify(prepared: PreparedBlock, options: CandidateOptions = {}): Promise<VerifyOutcome> {
    const { blocks, modules, clock } = this.#options
    const { hash, block } = prepared
    const { number, parentHash, timestamp } = block.header
    const { consensus } = modules
    const [storedBlock, parent, head, rival] = await retryMisses(
      () =>
        [
          blocks.header(hash),
          blocks.header(parentHash),
          blocks.pointer('head'),
          checkFinality(block.header, hash, blocks, consensus),
        ] as const,
      modules.residency,
    )
    if (storedBlock !== undefined && hasState(storedBlock))
      return { kind: 'known', block: storedBlock, isHead: head !== undefined && equalBytes(head.hash, hash) }
    if (parent === undefined || !hasState(parent)) return { kind: 'unknownParent', hash, number, parentHash }
    const nowMs = clock.now()
    if (consensus.claimedBy(block.header).arrival(block.header, nowMs) === 'future')
      return { kind: 'future', hash, number, timestamp }
    if (rival !== undefined) return { kind: 'invalid', hash, number, reason: rival }
    const executed = await executePrepared(prepared, { parent, blocks, verifySeal: false, nowMs }, modules)
    if ('kind' in executed) return { kind: 'invalid', hash, number, reason: executed.reason }
    return { kind: 'verified', candidate: this.#add(executed, options) }
  }

  /**
   * Makes a candidate readable like a stored block. It cannot be committed afterwards.
   * @throws {NodeError} CANDIDATE_UNKNOWN, CANDIDATE_COMMITTED, CANDIDATE_DISCARDED
   */
  async detach(candidate: Candidate): Promise<PendingBlock> {
    const { prepared, parent, receipts, state } = this.take(candidate)
    try {
      const { states, residency } = this.#options.modules
      const { block, hash, transactions } = prepared
      const stateRoot = await retryMisses(() => states.detach(state), residency)
      const totalDifficulty = parent.totalDifficulty + block.header.difficulty
      return {
        header: { header: block.header, hash, totalDifficulty, stateRoot, dev: parent.dev },
        body: block,
        senders: transactions.senders,
        transactionHashes: transactions.hashes,
        receipts,
        size: prepared.rlp.length,
      }
    } finally {
      this.endCommit(candidate, 'discarded')
    }
  }

  /** Releases a candidate. No effect on one that is released or being committed. */
  discard(candidate: Candidate): void {
    const entry = this.#entries.get(candidate)
    if (entry?.status === 'live') this.#release(candidate, entry, 'discarded')
  }

  /** Registers a requested commit: the candidate is not evicted before the commit starts. */
  ask(candidate: Candidate): () => void {
    const entry = this.#entries.get(candidate)
    if (entry === undefined) return () => {}
    entry.asked++
    return () => {
      entry.asked--
    }
  }

  /**
   * Passes the candidate to its commit.
   * @throws {NodeError} CANDIDATE_UNKNOWN, CANDIDATE_COMMITTED, CANDIDATE_DISCARDED
   */
  take(candidate: Candidate): ExecutedBlock {
    const entry = this.#entries.get(candidate)
    if (entry === undefined)
      throw new NodeError({ code: 'CANDIDATE_UNKNOWN' }, 'the candidate was not created by this chain')
    const number = Number(candidate.block.header.number)
    if (entry.status === 'discarded')
      throw new NodeError({ code: 'CANDIDATE_DISCARDED', number }, `the candidate for block ${number} was discarded`)
    if (entry.executed === undefined || entry.status !== 'live')
      throw new NodeError(
        { code: 'CANDIDATE_COMMITTED', number },
        `the candidate for block ${number} was already committed`,
      )
    entry.status = 'committing'
    return entry.executed
  }

  /** Called when the commit has ended. A candidate whose commit failed cannot be committed again. */
  endCommit(candidate: Candidate, status: 'committed' | 'discarded'): void {
    const entry = this.#entries.get(candidate)
    if (entry?.status === 'committing') this.#release(candidate, entry, status)
  }

  #release(candidate: Candidate, entry: Entry, status: Status): void {
    entry.status = status
    entry.executed = undefined
    if (this.#live.delete(candidate)) this.#bytes -= candidate.bytes
  }

  #add(executed: ExecutedBlock, { isPinned = false }: CandidateOptions): Candidate {
    const { prepared, parent, receipts, built } = executed
    const bytes = executedBytes(executed)
    this.#makeRoom(bytes)
    const candidate: Candidate = {
      block: prepared.block,
      rlp: prepared.rlp,
      hash: prepared.hash,
      parent,
      receipts,
      senders: prepared.transactions.senders,
      included: built?.included ?? [],
      bytes,
    }
    this.#entries.set(candidate, { status: 'live', executed, isPinned, asked: 0 })
    this.#live.add(candidate)
    this.#bytes += bytes
    return candidate
  }

  /** Evicts the oldest evictable candidates until one more fits. */
  #makeRoom(bytes: number): void {
    for (const candidate of this.#live) {
      if (this.#live.size < this.#maxCount && this.#bytes + bytes <= this.#maxBytes) return
      const entry = this.#entries.get(candidate)
      if (entry?.status !== 'live' || entry.isPinned || entry.asked > 0) continue
      this.#release(candidate, entry, 'discarded')
    }
    // A candidate larger than the bound is accepted if it is the only one.
    if (this.#live.size === 0) return
    if (this.#live.size < this.#maxCount && this.#bytes + bytes <= this.#maxBytes) return
    throw new NodeError(
      { code: 'CANDIDATES_FULL', count: this.#live.size, bytes: this.#bytes },
      `too many candidate blocks: ${this.#live.size} with ${this.#bytes} bytes`,
    )
  }
}

/** The parent is not stored, or its state differs from the one that the candidate was executed on. */
export function parentGone(hash: Uint8Array): NodeError {
  return new NodeError(
    { code: 'CANDIDATE_PARENT_GONE', parentHash: hash },
    `the parent block ${bytesToHex(hash)} is not stored, or its state has changed`,
  )
}
