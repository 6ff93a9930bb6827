/**
 * The writer: every change of the chain runs here, one task at a time, and reads its parent within its task. Seals,
 * fork choice and changes of the dev chain precede imports (workQueue.ts). Related changes commit in one atomic batch;
 * then memory is updated, events are emitted, and the caller is answered.
 * @module
 */

import { MAX_RUN_MS, MAX_SEAL_RUN_MS, MAX_WRITER_QUEUE, SEAL_SLICE_MS } from '../base/limits/limits.ts'
import type { Clock } from '../base/ports/host.ts'
import type { KeyValueStore } from '../base/ports/keyValueStore.ts'
import { equalBytes } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import type { Emitter } from '../base/primitives/events.ts'
import type { MaybePromise } from '../base/primitives/maybePromise.ts'
import type { DevEnvironment } from '../evm/evm.ts'
import type { MutableState } from '../state/contract.ts'
import type { GenesisAlloc } from '../state/genesisState.ts'
import { retryMissesMaybe } from '../storage/retryMisses.ts'
import { announceHead } from './announceHead.ts'
import { BadBlocks } from './badBlocks.ts'
import type { ExecutionModules } from './blockProcessor.ts'
import { corrupt } from './blockRecord.ts'
import type { BlockStore, StoredHeader } from './blockStore.ts'
import type { Candidate, Candidates } from './candidates.ts'
import type { ChainMetrics } from './chainMetrics.ts'
import type {
  ChainEvents,
  ChainHeader,
  ForkChoice,
  ForkChoiceOutcome,
  ImportOptions,
  ImportOutcome,
} from './contract.ts'
import type { ChainCheckpoint } from './dev/checkpoint.ts'
import { ChainLoad } from './dev/load.ts'
import { LoadSpill, removeUnfinishedLoad } from './dev/loadSpill.ts'
import type { BlockSeal } from './executedBlock.ts'
import { completeFlatView } from './flatCompletion.ts'
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
  /** Version of the last commit. */
  readonly stateVersion: number
  readonly modules: ExecutionModules
  readonly candidates: Candidates
  readonly clock: Clock
  readonly events: Emitter<ChainEvents>
  readonly metrics: ChainMetrics
  readonly moveBounds: MoveBounds
}

/** Result of one sealing task. */
export interface SealRun {
  readonly sealed: readonly SealedBlock[]
  /** false: the batch was full, more blocks may follow. */
  readonly isComplete: boolean
}

type RunOutcome = ImportOutcome | InsertOutcome

/** Outcomes after which the next block of an import follows. */
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
   * Imports consecutive blocks, in one batch if they fit. Urgent tasks run between two batches; when some are waiting,
   * the batch ends after the current block.
   * @returns one outcome per block, up to the first that was not accepted; the preceding blocks are kept
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
   * Stores consecutive blocks with their receipts, without executing them; yields to urgent tasks like `importRun`.
   * @returns one outcome per block, up to the first that was not accepted; the preceding blocks are kept
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
   * Makes a stored block the head, on any branch; higher blocks remain stored. A change over more than
   * MAX_ATOMIC_MOVE_BLOCKS is committed in steps: each has its own events, and after a crash the head is a block on the
   * path.
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
   * Validates and executes a canonical block again on the state of its parent and makes it the head.
   * @returns undefined when the block does not exist
   * @throws {NodeError} INVALID_BLOCK when the block proves invalid; the chain is then unchanged
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
   * Seals consecutive blocks on top of the head, in one batch if they fit.
   * @param next returns the plan of each block; undefined ends the batch. May be called again after a store miss, so it
   *   must have no lasting effects.
   * @param built called once per block, before the batch is committed
   * @returns the committed blocks; incomplete when the batch was full
   * @throws {NodeError} BLOCK_NOT_BUILT; the whole batch is then dropped
   */
  seal(next: (parent: ChainHeader) => BlockPlan | undefined, built?: (block: SealedBlock) => void): Promise<SealRun> {
    return this.#queue.run(async () => {
      const session = this.#begin()
      const run = await this.#sealOn(session, next, built)
      await this.#commit(session)
      return run
    }, 'urgent')
  }

  /** Stages sealed blocks until the batch is full or its time is over. */
  async #sealOn(
    session: WriteSession,
    next: (parent: ChainHeader) => BlockPlan | undefined,
    built?: (block: SealedBlock) => void,
  ): Promise<SealRun> {
    const { clock } = this.#options
    const slicer = this.#options.modules.scheduler?.slicer(SEAL_SLICE_MS)
    const startedMs = clock.monotonic()
    const sealed: SealedBlock[] = []
    while (!session.isFull && clock.monotonic() - startedMs <= MAX_SEAL_RUN_MS) {
      const plan = await this.#resident(() => next(session.pointers.head))
      const block = plan && (await session.sealBlock(plan))
      if (block === undefined) return { sealed, isComplete: true }
      sealed.push(block)
      built?.(block)
      if (slicer?.isDue) await slicer.yield()
    }
    return { sealed, isComplete: false }
  }

  /**
   * Removes the newest blocks (dev chain).
   * @throws {NodeError} INVALID_PARAMS when there are fewer blocks
   */
  rollback(depth: number): Promise<ChainHeader> {
    return this.#queue.run(async () => {
      await this.#commit(await this.#moveBack(depth))
      return this.#pointers.head
    }, 'urgent')
  }

  /**
   * Replaces the newest blocks by the same number of sealed ones, in one batch if they fit (dev chain).
   * @param next as in `seal`
   * @throws {NodeError} INVALID_PARAMS when there are fewer blocks; BLOCK_NOT_BUILT
   */
  reorganise(
    depth: number,
    next: (parent: ChainHeader) => BlockPlan | undefined,
    built: (block: SealedBlock) => void,
  ): Promise<void> {
    return this.#queue.run(async () => {
      let session = await this.#moveBack(depth)
      for (let left = depth; left > 0; ) {
        const end = left
        let made = 0
        const limited = (parent: ChainHeader) => (made < end ? next(parent) : undefined)
        const { sealed, isComplete } = await this.#sealOn(session, limited, (block) => {
          made++
          built(block)
        })
        left -= sealed.length
        if (isComplete || left === 0) break
        await this.#commit(session)
        session = this.#begin()
      }
      await this.#commit(session)
    }, 'urgent')
  }

  /** @returns a session whose head is `depth` blocks below the current one, to be committed */
  async #moveBack(depth: number): Promise<WriteSession> {
    const session = this.#begin()
    const height = Number(session.pointers.head.header.number)
    if (depth > height) {
      const message = `depth ${depth} is more than the ${height} blocks above the genesis block`
      throw new NodeError({ code: 'INVALID_PARAMS' }, message)
    }
    const target = await this.#resident(() => session.blocks.headerByNumber(height - depth))
    if (target === undefined) throw corrupt(`block ${height - depth} is not in the canonical index`)
    if (target.stateRoot.isMissing === true) {
      const message = `the state after block ${target.header.number} is not available`
      throw new NodeError({ code: 'INVALID_PARAMS' }, message)
    }
    return this.#moveHead(session, target)
  }

  /**
   * Stores an executed block without executing it again. The parent must be unchanged since the candidate was created.
   * @throws {NodeError} CANDIDATE_PARENT_GONE, CANDIDATE_COMMITTED, CANDIDATE_DISCARDED, CANDIDATE_UNKNOWN,
   *   CANDIDATE_SEAL_REFUSED; the chain is then unchanged
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

  /** Amends the state after the head (dev chain). */
  amendHead(change: (state: MutableState) => void): Promise<ChainHeader> {
    return this.#queue.run(async () => {
      const session = this.#begin()
      await session.amendHead(change)
      await this.#commit(session)
      return this.#pointers.head
    }, 'urgent')
  }

  /**
   * Changes the environment of calls on the head and of all further blocks (dev chain).
   * @throws whatever `change` throws
   */
  setEnvironment(change: (current: DevEnvironment | undefined) => DevEnvironment | undefined): Promise<ChainHeader> {
    return this.#queue.run(async () => {
      const session = this.#begin()
      await session.setEnvironment(change(session.pointers.head.dev))
      await this.#commit(session)
      return this.#pointers.head
    }, 'urgent')
  }

  checkpoint(): Promise<ChainCheckpoint> {
    return this.#queue.run(() => this.#begin().checkpoint(), 'urgent')
  }

  /**
   * Replaces the whole chain (dev chain).
   * @param work nothing is changed when it fails
   * @param genesis accounts of the node's genesis block
   */
  load(work: (load: ChainLoad) => Promise<void>, genesis: GenesisAlloc): Promise<ChainHeader> {
    return this.#queue.run(async () => {
      const { kv, modules, blocks } = this.#options
      const session = this.#begin()
      const spill = new LoadSpill(kv, this.#stateVersion + 1, () => this.#stateVersion)
      try {
        await work(new ChainLoad(session, modules, genesis, spill))
      } catch (error) {
        await removeUnfinishedLoad(kv, modules.residency)
        throw error
      }
      spill.complete(session.stage)
      // Blocks of both chains may have different amendments.
      blocks.forgetAmendable()
      await this.#commit(session)
      const { head } = this.#pointers
      await completeFlatView(kv, head, modules)
      return head
    }, 'urgent')
  }

  /** Restores a checkpoint of this chain; undefined: the original genesis block. */
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

  /** Sets head, safe and finalized block as requested by a consensus client. */
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

  /** Queues other work on the store as a task. */
  inTurn(work: () => void | Promise<void>): Promise<void> {
    return this.#queue.run(work)
  }

  /** Refuses new changes and waits for those in progress. */
  close(): Promise<void> {
    return this.#queue.close()
  }

  #begin(): WriteSession {
    const { kv, blocks, modules, moveBounds } = this.#options
    const nextVersion = (): number => ++this.#stateVersion
    return new WriteSession({ kv, blocks, pointers: this.#pointers, moveBounds, nextVersion }, modules)
  }

  /**
   * Stages blocks in batches, up to the first that is not accepted. Urgent tasks run between two batches.
   * @returns the outcomes with the session in which the last batch is staged, to be committed
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

  /**
   * @returns the session in which the end of the change is staged, to be committed; the given one unless the path is
   *   long
   */
  async #moveHead(session: WriteSession, target: StoredHeader): Promise<WriteSession> {
    const { move, isFar } = await session.planMove(target)
    if (isFar) return this.#moveFar(session, move)
    await session.moveHead(target)
    return session
  }

  /**
   * Commits all steps of a change of the head but the last one within one task: other tasks must not see a head on the
   * path.
   */
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

  #resident<T>(work: () => T): MaybePromise<T> {
    return retryMissesMaybe(work, this.#options.modules.residency)
  }
}
