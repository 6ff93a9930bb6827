/**
 * The chain of a node: readers of stored blocks and states, and the only writer.
 * @module
 */

import type { MemoryShares } from '../base/limits/memoryShares.ts'
import type { Clock, Logger, SenderRecovery } from '../base/ports/host.ts'
import type { KeyValueStore } from '../base/ports/keyValueStore.ts'
import { type Metrics, noMetrics } from '../base/ports/metrics.ts'
import { equalBytes } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { Emitter } from '../base/primitives/events.ts'
import type { StateReader, StoredState } from '../state/contract.ts'
import { requireState } from '../state/errors.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import type { Block, Header } from '../types/block.ts'
import { BadBlocks } from './badBlocks.ts'
import { behindHead } from './behindHead.ts'
import type { ExecutionModules } from './blockProcessor.ts'
import { BlockReads } from './blockReads.ts'
import { BlockStore } from './blockStore.ts'
import { type Candidate, type CandidateOptions, Candidates, type VerifyOutcome } from './candidates.ts'
import { ChainMetrics } from './chainMetrics.ts'
import type {
  BadBlock,
  ChainEvents,
  ChainHeader,
  ChainReader,
  ForkChoice,
  ForkChoiceOutcome,
  ImportOptions,
  ImportOutcome,
  PendingBlock,
} from './contract.ts'
import { type RunPlan, stageRun } from './emptyRuns/planRun.ts'
import { stagePendingBlocks } from './emptyRuns/runWrites.ts'
import type { ConsensusSchedule } from './engine.ts'
import { type ExportRange, exportBlocks } from './export.ts'
import { completeFlatView } from './flatCompletion.ts'
import { type ChainGenesis, openGenesis } from './genesis.ts'
import { checkHeader, type HeaderVerdict } from './headerCheck.ts'
import { MOVE_BOUNDS, type MoveBounds } from './headMove.ts'
import { resolveForkChoice } from './headRule.ts'
import { importBlocks, insertBlocks } from './importRun.ts'
import type { InsertedBlock, InsertOptions, InsertOutcome } from './insertion.ts'
import { selectOmmers } from './ommerSelection.ts'
import { type BlockSeal, encodedBlock, type PreparedBlock, prepareBlocks } from './preparedBlock.ts'
import { type NextPlan, type SealRun, sealBlocks } from './sealRun.ts'
import { TermIndex } from './termIndex/termIndex.ts'
import type { BlockPlan } from './transition/buildInput.ts'
import { verifyAgain } from './verifyAgain.ts'
import type { Lane } from './workQueue.ts'
import { Writer } from './writer.ts'
import type { SealedBlock, WriteTask } from './writeTask.ts'

export interface ChainOptions {
  readonly kv: KeyValueStore
  readonly genesis: ChainGenesis
  readonly modules: ExecutionModules
  readonly senders: SenderRecovery
  readonly clock: Clock
  readonly logger: Logger
  /** Default: no metrics. */
  readonly metrics?: Metrics | undefined
  /**
   * Dev chain: number of blocks by which the safe block is behind the head; the finalized block is twice as far behind.
   * undefined: fork choice sets them.
   */
  readonly slotsInEpoch?: number | undefined
  /** Bounds of caches and candidates. Default: their upper bounds. */
  readonly memory?: Pick<MemoryShares, 'blocks' | 'candidates'> | undefined
  /** Default MOVE_BOUNDS. */
  readonly moveBounds?: MoveBounds
}

export class Chain extends BlockReads implements ChainReader {
  readonly events: Emitter<ChainEvents>
  readonly #blocks: BlockStore
  readonly #writer: Writer
  readonly #candidates: Candidates
  readonly #options: ChainOptions
  readonly #badBlocks: BadBlocks
  #isIndexing = false

  private constructor(options: ChainOptions, events: Emitter<ChainEvents>, writer: Writer) {
    const { kv, modules, clock, memory } = options
    const { blocks } = writer
    super({ kv, blocks, config: modules.config, index: new TermIndex(kv, blocks.runs, blocks.recent) })
    this.events = events
    this.#badBlocks = new BadBlocks(events)
    this.#blocks = blocks
    this.#writer = writer
    this.#candidates = new Candidates({ blocks, modules, clock, maxBytes: memory?.candidates })
    this.#options = options
    blocks.runs.memory.onPending = () => void this.#indexRunBlocks()
  }

  /** Adds derived blocks that were read to the index, so that they are found by their hashes after a restart. */
  async #indexRunBlocks(): Promise<void> {
    const { memory } = this.#blocks.runs
    if (this.#isIndexing) return
    this.#isIndexing = true
    try {
      while (memory.pending.size > 0) await this.run('ordinary', ({ stage }) => stagePendingBlocks(stage, memory))
    } catch {
      // The writer is closed or has too much to do: a later read tries again.
    } finally {
      this.#isIndexing = false
    }
  }

  /**
   * Opens the chain of a store; writes the genesis block to an empty store first, in one batch.
   * @throws {NodeError} GENESIS_MISMATCH when the store belongs to another chain
   */
  static async open(options: ChainOptions): Promise<Chain> {
    const { kv, modules, clock, logger, moveBounds = MOVE_BOUNDS, metrics = noMetrics } = options
    const blocks = new BlockStore(kv, undefined, options.memory?.blocks)
    await retryMisses(() => blocks.runs.refresh(), modules.residency)
    await retryMisses(() => blocks.stateBound.refresh(kv), modules.residency)
    const openedChain = await openGenesis(kv, blocks, options.genesis, modules)
    await completeFlatView(kv, openedChain.pointers.head, modules)
    const events = new Emitter<ChainEvents>((error) => logger.error('a chain-event listener threw', { error }))
    const chainMetrics = new ChainMetrics(metrics)
    const position = { kv, blocks, ...openedChain }
    const writer = new Writer({ ...position, modules, clock, logger, events, moveBounds, metrics: chainMetrics })
    return new Chain(options, events, writer)
  }

  get genesis(): ChainHeader {
    return this.#writer.pointers.genesis
  }

  get lowestNumber(): number {
    return this.#options.genesis.forked === undefined ? Number(this.genesis.header.number) : 0
  }

  get head(): ChainHeader {
    return this.#writer.pointers.head
  }

  get consensus(): ConsensusSchedule {
    return this.#options.modules.consensus
  }

  get safe(): ChainHeader | undefined {
    const slots = this.#options.slotsInEpoch
    return slots === undefined ? this.#writer.pointers.safe : behindHead(this, slots)
  }

  get finalized(): ChainHeader | undefined {
    const slots = this.#options.slotsInEpoch
    return slots === undefined ? this.#writer.pointers.finalized : behindHead(this, 2 * slots)
  }

  badBlocks(): readonly BadBlock[] {
    return this.#badBlocks.list
  }

  forgetBadBlocks(): void {
    this.#badBlocks.clear()
  }

  /** The state after a block. @throws {NodeError} STATE_NOT_AVAILABLE */
  stateAt({ stateRoot }: { readonly stateRoot: StoredState }): StateReader {
    return this.#options.modules.states.reader(requireState(stateRoot))
  }

  /** Recovers the senders, then queues the import of one block. */
  async import(block: Block, options: Omit<ImportOptions, 'signal'> = {}): Promise<ImportOutcome> {
    const prepared = await prepareBlocks([encodedBlock(block, this.consensus)], this.#options.senders)
    const [outcome] = await this.importRun(prepared, options)
    return outcome as ImportOutcome
  }

  /**
   * Validates a header and its seal on top of its parent. Stores nothing and does not occupy the writer.
   * @param hash 32 bytes
   */
  checkHeader(header: Header, hash: Uint8Array): Promise<HeaderVerdict> {
    const { modules, clock } = this.#options
    return checkHeader({ header, hash }, { blocks: this.#blocks, clock }, modules)
  }

  /**
   * Queues the import of consecutive blocks.
   * @returns one outcome per block, up to the first that was not accepted; the preceding blocks are kept
   */
  importRun(run: readonly PreparedBlock[], options: ImportOptions = {}): Promise<ImportOutcome[]> {
    const checks = this.#prepareSealChecks(run, options)
    const derivation = this.#options.modules.extension?.prepare(
      run.map(({ block }) => block),
      options.signal,
    )
    if (checks === undefined && derivation === undefined) return this.#importRun(run, options)
    return Promise.all([checks, derivation]).then(() => this.#importRun(run, options))
  }

  #importRun(run: readonly PreparedBlock[], options: ImportOptions): Promise<ImportOutcome[]> {
    const work = async (task: WriteTask): Promise<ImportOutcome[]> => {
      const outcomes = await importBlocks(task, run, options)
      const last = outcomes.at(-1)
      const rejected = run[outcomes.length - 1]
      if (last?.kind === 'invalid' && rejected !== undefined) this.#badBlocks.add(rejected, last.reason)
      return outcomes
    }
    const outcomes = this.#writer.run('ordinary', work, 'overlaps')
    options.onQueued?.()
    return outcomes
  }

  /** Long work of the engines that would otherwise block the writer; undefined when there is none. */
  #prepareSealChecks(
    run: readonly PreparedBlock[],
    { verifySeal = true }: Pick<ImportOptions, 'verifySeal'>,
  ): Promise<unknown> | undefined {
    const { scheduler, config, consensus } = this.#options.modules
    const ends = run.length > 1 ? [run[0], run[run.length - 1]] : run
    if (!verifySeal || scheduler === undefined) return undefined
    const waits = ends.flatMap((prepared) => {
      const header = prepared?.block.header
      const engine = header && consensus.claimedBy(header)
      return header === undefined || engine?.prepareSealCheck === undefined
        ? []
        : (engine.prepareSealCheck(header, config.rulesAt(header), scheduler.turn) ?? [])
    })
    return waits.length === 0 ? undefined : Promise.all(waits)
  }

  /**
   * Stores consecutive blocks with their receipts without executing them: blocks below the one from which a
   * synchronising node has the state. They become canonical if `options.isPivot` is set. Their states are not
   * available: no block can be executed on top of them.
   * @returns one outcome per block, up to the first that was not accepted; the preceding blocks are kept
   */
  insert(run: readonly InsertedBlock[], options: InsertOptions = {}): Promise<InsertOutcome[]> {
    return this.run('ordinary', (task) => insertBlocks(task, run, options))
  }

  /**
   * Makes a stored block the head, on any branch; higher blocks remain stored. A change over more than
   * MAX_ATOMIC_MOVE_BLOCKS is committed in steps: each has its own events, and after a crash the head is a block on the
   * path.
   * @returns undefined when the block is not stored
   * @throws {NodeError} STATE_NOT_AVAILABLE when it was stored without execution
   */
  setHead(hash: Uint8Array): Promise<ChainHeader | undefined> {
    return this.run('urgent', async (task) => {
      const target = await task.resident(() => task.blocks.header(hash))
      if (target === undefined) return undefined
      requireState(target.stateRoot)
      await task.moveHead(target)
      return target
    })
  }

  /**
   * Reverts to the parent of a canonical block, validates and executes the block again and makes it the head.
   * @returns undefined when the block does not exist
   * @throws {NodeError} INVALID_BLOCK when the block proves invalid, STATE_NOT_AVAILABLE when it was stored without
   *   execution; the chain is then unchanged
   */
  replayBlock(number: number): Promise<ChainHeader | undefined> {
    return this.run('ordinary', async (task) => {
      const [target, parent] = await task.resident(() => {
        const block = task.blocks.headerByNumber(number)
        return [block, block && task.blocks.parentOf(block)] as const
      })
      if (target === undefined || parent === undefined) return undefined
      requireState(target.stateRoot)
      const reason = await verifyAgain(task, target, parent, this.#options.clock.now())
      if (reason !== undefined) {
        throw new NodeError(
          { code: 'INVALID_BLOCK', number, reason },
          `Invalid block at block number ${number}: ${reason}`,
        )
      }
      await task.moveHead(target)
      return target
    })
  }

  /**
   * Builds a block on a stored parent and executes it, without storing anything or occupying the writer.
   * @returns undefined when there are no transactions to include and the block may not be empty
   * @throws {NodeError} CANDIDATE_PARENT_GONE, CANDIDATES_FULL, BLOCK_NOT_BUILT
   */
  build(
    plan: BlockPlan,
    parent: Pick<ChainHeader, 'hash'>,
    options?: CandidateOptions,
  ): Promise<Candidate | undefined> {
    return this.#candidates.build(plan, parent, options)
  }

  /** Headers that a block on top of a stored one may list as ommers, at most two. */
  ommersFor(parent: Pick<ChainHeader, 'hash'>): Promise<readonly Header[]> {
    const { modules, clock } = this.#options
    return selectOmmers(parent.hash, this.#blocks, modules, clock.now())
  }

  /**
   * Validates a block except for its seal and executes it, without storing anything or occupying the writer.
   * @throws {NodeError} CANDIDATES_FULL
   */
  verify(prepared: PreparedBlock, options?: CandidateOptions): Promise<VerifyOutcome> {
    return this.#candidates.verify(prepared, options)
  }

  /**
   * Stores an executed block in one task of the writer, without executing it again. The head rule of its consensus
   * engine applies. The seal is not checked: the caller is responsible for it.
   * @throws {NodeError} CANDIDATE_PARENT_GONE, CANDIDATE_COMMITTED, CANDIDATE_DISCARDED, CANDIDATE_UNKNOWN,
   *   CANDIDATE_SEAL_REFUSED; the chain is then unchanged. After any error the candidate cannot be committed again.
   */
  commit(
    candidate: Candidate,
    seal: BlockSeal = {},
    options: Pick<ImportOptions, 'mayBecomeHead'> = {},
  ): Promise<ImportOutcome> {
    const ready = this.#options.modules.extension?.prepare([candidate.block])
    return ready === undefined
      ? this.#commit(candidate, seal, options)
      : ready.then(() => this.#commit(candidate, seal, options))
  }

  async #commit(
    candidate: Candidate,
    seal: BlockSeal,
    { mayBecomeHead = true }: Pick<ImportOptions, 'mayBecomeHead'>,
  ): Promise<ImportOutcome> {
    const candidates = this.#candidates
    const withdraw = candidates.ask(candidate)
    try {
      return await this.run('urgent', async (task) => {
        const executed = candidates.take(candidate)
        let isCommitted = false
        try {
          const outcome = await task.commitCandidate(executed, seal, mayBecomeHead)
          await task.commit()
          isCommitted = true
          return outcome
        } finally {
          candidates.endCommit(candidate, isCommitted ? 'committed' : 'discarded')
        }
      })
    } finally {
      withdraw()
    }
  }

  /**
   * Makes a candidate readable like a stored block. It cannot be committed afterwards.
   * @throws {NodeError} CANDIDATE_UNKNOWN, CANDIDATE_COMMITTED, CANDIDATE_DISCARDED
   */
  detach(candidate: Candidate): Promise<PendingBlock> {
    return this.#candidates.detach(candidate)
  }

  /** Releases a candidate that is no longer needed. */
  discard(candidate: Candidate): void {
    this.#candidates.discard(candidate)
  }

  /**
   * Seals blocks on top of the head in one task of the writer, in one batch if they fit.
   * @param built called once per block, before the batch is committed
   * @param runMs time after which the batch ends
   * @returns the committed blocks; incomplete when the batch was full, or ended before an unprepared block
   * @throws {NodeError} BLOCK_NOT_BUILT; the whole batch is then dropped
   */
  seal(next: NextPlan, built?: (block: SealedBlock) => void, runMs?: number): Promise<SealRun> {
    return this.run('urgent', (task) => sealBlocks(task, next, built, runMs === undefined ? {} : { runMs }))
  }

  /**
   * Adds a run of empty blocks to the chain, and seals the block after it, in one batch.
   * @param plan of the run on top of a block; undefined: none
   * @param next as in {@link seal}; returns one plan
   * @returns without sealed blocks when the next blocks cannot be derived
   * @throws {NodeError} BLOCK_NOT_BUILT; the whole batch is then dropped
   */
  sealRun(
    plan: (head: ChainHeader) => RunPlan | undefined,
    next: NextPlan,
    built?: (block: SealedBlock) => void,
  ): Promise<SealRun> {
    return this.run('urgent', async (task) => {
      const given = plan(task.pointers.head)
      const run = given && (await task.resident(() => stageRun(task, given)))
      if (run === undefined) return { sealed: [], isComplete: false }
      const sealed = await sealBlocks(task, next, built)
      return { ...sealed, derived: { first: run.header(run.first), last: run.header(run.last) } }
    })
  }

  /**
   * Loads the data that the block extension needs for transactions that are about to be sealed.
   * @returns undefined when there is nothing to load
   */
  prepareExtension(bodies: readonly Pick<Block, 'transactions'>[]): Promise<void> | undefined {
    return this.#options.modules.extension?.prepare(bodies)
  }

  /** Sets head, safe and finalized block as requested by a consensus client. */
  setForkChoice(choice: ForkChoice): Promise<ForkChoiceOutcome> {
    return this.run('urgent', async (task) => {
      const resolution = await task.resident(() => resolveForkChoice(choice, task.blocks))
      if (resolution.kind !== 'resolved') return resolution
      const { head, pointers } = resolution
      if (!equalBytes(head.hash, task.pointers.head.hash)) await task.moveHead(head)
      task.setPointers(pointers)
      return { kind: 'updated', head }
    })
  }

  /** @throws {NodeError} INVALID_BLOCK_RANGE */
  exportBlocks(range: ExportRange): Generator<Uint8Array, void, undefined> {
    return exportBlocks(this.#blocks, Number(this.head.header.number), range)
  }

  /**
   * Queues a task of the writer: the only way to change the chain, or to work on the store while nothing else does.
   * The changes that a task has staged are committed when it ends; if it fails, its batch is dropped.
   */
  run<T>(lane: Lane, work: (task: WriteTask) => T | Promise<T>): Promise<T> {
    return this.#writer.run(lane, work)
  }

  /** Waits for changes in progress and refuses further ones. The store remains open. */
  close(): Promise<void> {
    if (this.#blocks.runs.memory.pending.size === 0) return this.#writer.close()
    return this.#indexRunBlocks().then(() => this.#writer.close())
  }
}
