/**
 * The one writer: every change of the chain runs here, one at a time, and reads its parent inside its turn. Seals, fork
 * choice and changes of the dev chain go before imports (workQueue.ts). What belongs together commits in one atomic
 * batch; memory follows the commit, then events are told, then the caller is answered.
 * @module
 */

import { MAX_RUN_MS, MAX_SEAL_RUN_MS, MAX_WRITER_QUEUE } from '../config/limits.ts'
import type { Emitter } from '../events/events.ts'
import type { Clock } from '../ports/host.ts'
import type { KeyValueStore } from '../ports/keyValueStore.ts'
import { equalBytes } from '../primitives/bytes.ts'
import { NodeError } from '../primitives/errors.ts'
import type { MutableState } from '../state/contract.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import { announceHead } from './announceHead.ts'
import { BadBlocks } from './badBlocks.ts'
import type { ExecutionModules } from './blockProcessor.ts'
import type { BlockStore, StoredHeader } from './blockStore.ts'
import type { Candidate, Candidates } from './candidates.ts'
import type { ChainMetrics } from './chainMetrics.ts'
import type { ChainCheckpoint } from './checkpoint.ts'
import type {
  ChainEvents,
  ChainHeader,
  ForkChoice,
  ForkChoiceOutcome,
  ImportOptions,
  ImportOutcome,
} from './contract.ts'
import type { BlockSeal } from './executedBlock.ts'
import type { HeadMove, MoveBounds } from './headMove.ts'
import { resolveForkChoice } from './headRule.ts'
import type { InsertedBlock, InsertOptions, InsertOutcome } from './insertion.ts'
import type { PreparedBlock } from './preparedBlock.ts'
import { type ChainPointers, type SealedBlock, WriteSession } from './session.ts'
import type { BlockPlan } from './transition/buildInput.ts'
import { WorkQueue } from './workQueue.ts'

export interface WriterOptions {
  readonly kv: KeyValueStore
  readonly blocks: BlockStore
  readonly pointers: ChainPointers
  /** Of the last commit. */
  readonly stateVersion: number
  readonly modules: ExecutionModules
  readonly candidates: Candidates
  readonly clock: Clock
  readonly events: Emitter<ChainEvents>
  readonly metrics: ChainMetrics
  readonly moveBounds: MoveBounds
}

/** What one turn of sealing gave. */
export interface SealRun {
  readonly sealed: readonly SealedBlock[]
  /** false: the batch was full, there may be more to do. */
  readonly isComplete: boolean
}

type RunOutcome = ImportOutcome | InsertOutcome

/** After these a run goes on. */
const ACCEPTED: ReadonlySet<RunOutcome['kind']> = new Set(['imported', 'inserted', 'known'])

export class Writer {
  readonly #options: WriterOptions
  readonly #queue = new WorkQueue(MAX_WRITER_QUEUE)
  readonly badBlocks: BadBlocks
  #pointers: ChainPointers
  #stateVersion: number

  constructor(options: WriterOptions) {
    this.#options = options
    this.badBlocks = new BadBlocks(options.events)
    this.#pointers = options.pointers
    this.#stateVersion = options.stateVersion
  }

  get events(): Emitter<ChainEvents> {
    return this.#options.events
  }

  get pointers(): ChainPointers {
    return this.#pointers
  }

  /**
   * Imports consecutive blocks, in one batch while they are few. Between two batches urgent work has its turn; when some
   * waits, the batch ends with the block under way.
   * @returns one outcome a block, up to the first that was not accepted; those before it are kept
   */
  importRun(run: readonly PreparedBlock[], options: ImportOptions): Promise<ImportOutcome[]> {
    return this.#queue.run(async () => {
      const { clock } = this.#options
      const stage = (session: WriteSession, prepared: PreparedBlock): Promise<ImportOutcome> =>
        session.importBlock(prepared, options, clock.now())
      const { outcomes, session } = await this.#stageRun(run, stage, options.signal)
      await this.#commit(session)
      const last = outcomes.at(-1)
      const rejected = run[outcomes.length - 1]
      if (last?.kind === 'invalid' && rejected !== undefined) this.badBlocks.add(rejected, last.reason)
      return outcomes
    })
  }

  /**
   * Stores consecutive blocks with their receipts, without executing them; urgent work has its turn as in `importRun`.
   * @returns one outcome a block, up to the first that was not accepted; those before it are kept
   */
  insert(run: readonly InsertedBlock[], options: InsertOptions): Promise<InsertOutcome[]> {
    return this.#queue.run(async () => {
      const { clock } = this.#options
      const { verifySeal = true, isPivot = false, signal } = options
      const stage = (session: WriteSession, inserted: InsertedBlock): Promise<InsertOutcome> =>
        session.insertBlock(inserted, verifySeal, clock.now())
      const { outcomes, session, isWhole } = await this.#stageRun(run, stage, signal)
      const last = isPivot && isWhole ? run.at(-1) : undefined
      const pivot = last && (await this.#resident(() => session.blocks.header(last.prepared.hash)))
      await this.#commit(pivot === undefined ? session : await this.#moveHead(session, pivot))
      return outcomes
    })
  }

  /**
   * Makes a stored block the head, forward, back or on another branch; blocks above stay stored. A move over more than
   * MAX_ATOMIC_MOVE_BLOCKS is committed in steps: each has its events, and after a crash the head is a block on the way.
   * @returns undefined when the block is not stored
   */
  setHead(hash: Uint8Array): Promise<ChainHeader | undefined> {
    return this.#queue.run(async () => {
      const session = this.#begin()
      const target = await this.#resident(() => session.blocks.header(hash))
      if (target === undefined) return undefined
      await this.#commit(await this.#moveHead(session, target))
      return target
    }, 'urgent')
  }

  /**
   * Checks and executes a canonical block again on the state of its parent and makes it the head.
   * @returns undefined when there is no such block
   * @throws {NodeError} INVALID_BLOCK when it does not pass this time; nothing has changed then
   */
  replayBlock(number: number): Promise<ChainHeader | undefined> {
    return this.#queue.run(async () => {
      const session = this.#begin()
      const [target, parent] = await this.#resident(() => {
        const block = session.blocks.headerByNumber(number)
        return [block, block && session.blocks.header(block.header.parentHash)] as const
      })
      if (target === undefined || parent === undefined) return undefined
      const reason = await session.verifyAgain(target, parent, this.#options.clock.now())
      if (reason !== undefined) {
        throw new NodeError(
          { code: 'INVALID_BLOCK', number, reason },
          `Invalid block at block number ${number}: ${reason}`,
        )
      }
      await this.#commit(await this.#moveHead(session, target))
      return target
    })
  }

  /**
   * Makes blocks on top of the head, one after the other, in one batch while they are few.
   * @param next asked for each block; undefined ends the run. May be called again when the store has to fetch something,
   * so it must change nothing that outlives the run.
   * @param built told once of each block, before the batch is committed
   * @returns the blocks made, committed; fewer than there could be when the batch was full
   * @throws {NodeError} BLOCK_NOT_BUILT; nothing of the batch is kept then
   */
  seal(next: (parent: ChainHeader) => BlockPlan | undefined, built?: (block: SealedBlock) => void): Promise<SealRun> {
    return this.#queue.run(async () => {
      const { clock } = this.#options
      const slicer = this.#options.modules.scheduler?.slicer()
      const session = this.#begin()
      const startedMs = clock.monotonic()
      const sealed: SealedBlock[] = []
      let isComplete = false
      while (!session.isFull && clock.monotonic() - startedMs <= MAX_SEAL_RUN_MS) {
        const plan = await this.#resident(() => next(session.pointers.head))
        const block = plan && (await session.sealBlock(plan))
        isComplete = block === undefined
        if (block === undefined) break
        sealed.push(block)
        built?.(block)
        if (slicer?.isDue) await slicer.yield()
      }
      await this.#commit(session)
      return { sealed, isComplete }
    }, 'urgent')
  }

  /**
   * Stores an executed block; nothing is executed. The parent must be as it was when the candidate was made.
   * @throws {NodeError} CANDIDATE_PARENT_GONE, CANDIDATE_COMMITTED, CANDIDATE_DISCARDED, CANDIDATE_UNKNOWN,
   * CANDIDATE_SEAL_REFUSED; nothing has changed then
   */
  async commit(
    candidate: Candidate,
    seal: BlockSeal,
    { mayBecomeHead = true }: Pick<ImportOptions, 'mayBecomeHead'>,
  ): Promise<ImportOutcome> {
    const { candidates } = this.#options
    const withdraw = candidates.ask(candidate)
    try {
      return await this.#queue.run(() => this.#commitCandidate(candidate, seal, mayBecomeHead), 'urgent')
    } finally {
      withdraw()
    }
  }

  async #commitCandidate(candidate: Candidate, seal: BlockSeal, mayBecomeHead: boolean): Promise<ImportOutcome> {
    const { candidates } = this.#options
    const executed = candidates.take(candidate)
    let isCommitted = false
    try {
      let session = this.#begin()
      const outcome = await session.commitCandidate(executed, seal, mayBecomeHead)
      if (session.farMove !== undefined) session = await this.#moveFar(session, session.farMove)
      await this.#commit(session)
      isCommitted = true
      return outcome
    } finally {
      candidates.settle(candidate, isCommitted ? 'committed' : 'discarded')
    }
  }

  /** Changes the state after the head from outside (dev chain). */
  amendHead(change: (state: MutableState) => void): Promise<ChainHeader> {
    return this.#queue.run(async () => {
      const session = this.#begin()
      await session.amendHead(change)
      await this.#commit(session)
      return this.#pointers.head
    }, 'urgent')
  }

  checkpoint(): Promise<ChainCheckpoint> {
    return this.#queue.run(() => this.#begin().checkpoint(), 'urgent')
  }

  /** Goes back to a point of this chain; undefined: the genesis block as it was made. */
  restore(checkpoint: ChainCheckpoint | undefined): Promise<ChainHeader> {
    return this.#queue.run(async () => {
      let session = this.#begin()
      const block =
        checkpoint === undefined ? await this.#resident(() => session.blocks.headerByNumber(0)) : checkpoint.block
      if (block !== undefined) session = await this.#moveHead(session, block)
      await session.restore(checkpoint)
      await this.#commit(session)
      return this.#pointers.head
    }, 'urgent')
  }

  /** Sets head, safe and finalized block as a consensus client asks. */
  setForkChoice(choice: ForkChoice): Promise<ForkChoiceOutcome> {
    return this.#queue.run(async () => {
      let session = this.#begin()
      const resolved = await this.#resident(() => resolveForkChoice(choice, session.blocks))
      if (resolved.kind !== 'resolved') return resolved
      const { head, pointers } = resolved
      if (!equalBytes(head.hash, session.pointers.head.hash)) session = await this.#moveHead(session, head)
      session.setPointers(pointers)
      await this.#commit(session)
      return { kind: 'updated', head }
    }, 'urgent')
  }

  /** Runs work that is none of the chain's own on the store, in its turn. */
  inTurn(work: () => void | Promise<void>): Promise<void> {
    return this.#queue.run(work)
  }

  /** Refuses new changes and waits for those under way. */
  close(): Promise<void> {
    return this.#queue.close()
  }

  #begin(): WriteSession {
    const { kv, blocks, modules, moveBounds } = this.#options
    const nextVersion = (): number => ++this.#stateVersion
    return new WriteSession({ kv, blocks, pointers: this.#pointers, moveBounds, nextVersion }, modules)
  }

  /**
   * Stages block after block up to the first that is not accepted, in batches. Urgent work has its turn between two of them.
   * @returns with the session that the last batch is staged in, to be committed
   */
  async #stageRun<Item, Outcome extends RunOutcome>(
    run: readonly Item[],
    stage: (session: WriteSession, item: Item) => Promise<Outcome>,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly outcomes: Outcome[]; readonly session: WriteSession; readonly isWhole: boolean }> {
    const { clock, modules } = this.#options
    const outcomes: Outcome[] = []
    const slicer = modules.scheduler?.slicer()
    let session = this.#begin()
    let startedMs = clock.monotonic()
    for (const item of run) {
      if (signal?.aborted) return { outcomes, session, isWhole: false }
      const outcome = await stage(session, item)
      outcomes.push(outcome)
      if (!ACCEPTED.has(outcome.kind)) return { outcomes, session, isWhole: false }
      if (session.farMove !== undefined) session = await this.#moveFar(session, session.farMove)
      if (session.isFull || this.#queue.hasUrgent || clock.monotonic() - startedMs > MAX_RUN_MS) {
        await this.#commit(session)
        await this.#queue.giveWay()
        session = this.#begin()
        startedMs = clock.monotonic()
      }
      if (slicer?.isDue) await slicer.yield()
    }
    return { outcomes, session, isWhole: true }
  }

  /** @returns the session that the end of the move is staged in, to be committed; the one given, unless the way is long */
  async #moveHead(session: WriteSession, target: StoredHeader): Promise<WriteSession> {
    const { move, isFar } = await session.planMove(target)
    if (isFar) return this.#moveFar(session, move)
    await session.moveHead(target)
    return session
  }

  /** Commits all steps of a move but the last one. The turn is kept: other work would find a head on the way. */
  async #moveFar(session: WriteSession, move: HeadMove): Promise<WriteSession> {
    const slicer = this.#options.modules.scheduler?.slicer()
    let current = session
    while (!(await current.moveToward(move))) {
      await this.#commit(current)
      current = this.#begin()
      if (slicer?.isDue) await slicer.yield()
    }
    return current
  }

  async #commit(session: WriteSession): Promise<void> {
    session.finish()
    if (session.stage.size === 0) return
    const { kv, clock, metrics } = this.#options
    const startedMs = clock.monotonic()
    const mutations = session.stage.size
    await kv.commit(session.stage.mutations())
    metrics.commitSeconds.observe((clock.monotonic() - startedMs) / 1000)
    metrics.commits.add()
    metrics.mutations.add(mutations)
    this.#options.blocks.absorb(session.blocks)
    const before = this.#pointers.head
    this.#pointers = session.pointers
    const { events, blocks, modules } = this.#options
    await announceHead(before, session.pointers.head, {
      events,
      blocks,
      metrics,
      residency: modules.residency,
    })
  }

  #resident<T>(work: () => T): Promise<T> {
    return retryMisses(work, this.#options.modules.residency)
  }
}
