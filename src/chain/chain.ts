/**
 * The chain of a node: readers of stored blocks and states, and the only writer.
 * @module
 */

import type { Clock, Logger, SenderRecovery } from '../base/ports/host.ts'
import type { KeyValueStore } from '../base/ports/keyValueStore.ts'
import { type Metrics, noMetrics } from '../base/ports/metrics.ts'
import { equalBytes } from '../base/primitives/bytes.ts'
import { Emitter } from '../base/primitives/events.ts'
import type { DevEnvironment } from '../evm/evm.ts'
import type { MutableState, StateReader, StateRoot } from '../state/contract.ts'
import { retryMisses } from '../storage/retryMisses.ts'
import type { Block, Header } from '../types/block.ts'
import type { ExecutionModules } from './blockProcessor.ts'
import { BlockReads } from './blockReads.ts'
import { corrupt } from './blockRecord.ts'
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
import type { ChainCheckpoint } from './dev/checkpoint.ts'
import { ChainDump } from './dev/dump.ts'
import type { ChainLoad } from './dev/load.ts'
import type { ConsensusSchedule } from './engine.ts'
import type { BlockSeal } from './executedBlock.ts'
import { type ExportRange, exportBlocks } from './export.ts'
import { completeFlatView } from './flatCompletion.ts'
import { type ChainGenesis, type OpenedChain, openGenesis } from './genesis.ts'
import { checkHeader, type HeaderVerdict } from './headerCheck.ts'
import { MOVE_BOUNDS, type MoveBounds } from './headMove.ts'
import type { InsertedBlock, InsertOptions, InsertOutcome } from './insertion.ts'
import { selectOmmers } from './ommerSelection.ts'
import { encodedBlock, type PreparedBlock, prepareBlocks } from './preparedBlock.ts'
import type { SealedBlock } from './session.ts'
import type { BlockPlan } from './transition/buildInput.ts'
import { type SealRun, Writer } from './writer.ts'

export interface ChainOptions {
  readonly kv: KeyValueStore
  readonly genesis: ChainGenesis
  readonly modules: ExecutionModules
  readonly senders: SenderRecovery
  readonly clock: Clock
  readonly logger: Logger
  /** Default: no metrics. */
  readonly metrics?: Metrics | undefined
  /** Whether the head is immediately safe and finalized: the chain has a single block producer (dev chain). */
  readonly isHeadFinal?: boolean
  /** Default MOVE_BOUNDS. */
  readonly moveBounds?: MoveBounds
}

export class Chain extends BlockReads implements ChainReader {
  readonly events: Emitter<ChainEvents>
  readonly #blocks: BlockStore
  readonly #writer: Writer
  readonly #candidates: Candidates
  readonly #options: ChainOptions
  readonly #originalHash: Uint8Array
  #genesis: ChainHeader

  private constructor(
    options: ChainOptions,
    { genesis, original }: OpenedChain,
    parts: { readonly blocks: BlockStore; readonly writer: Writer; readonly candidates: Candidates },
  ) {
    super({ kv: options.kv, blocks: parts.blocks, config: options.modules.config })
    this.events = parts.writer.events
    this.#blocks = parts.blocks
    this.#writer = parts.writer
    this.#candidates = parts.candidates
    this.#options = options
    this.#originalHash = original.hash
    this.#genesis = genesis
  }

  /**
   * Opens the chain of a store; writes the genesis block to an empty store first, in one batch.
   * @throws {NodeError} GENESIS_MISMATCH when the store belongs to another chain
   */
  static async open(options: ChainOptions): Promise<Chain> {
    const { kv, modules, clock, logger, moveBounds = MOVE_BOUNDS, metrics = noMetrics } = options
    const blocks = new BlockStore(kv)
    const opened = await openGenesis(kv, blocks, options.genesis, modules)
    await completeFlatView(kv, opened.pointers.head, modules)
    const events = new Emitter<ChainEvents>((error) => logger.error('a listener of chain events failed', { error }))
    const candidates = new Candidates({ blocks, modules, clock })
    const writer = new Writer({
      kv,
      blocks,
      ...opened,
      modules,
      candidates,
      clock,
      events,
      moveBounds,
      metrics: new ChainMetrics(metrics),
    })
    return new Chain(options, opened, { blocks, writer, candidates })
  }

  get genesis(): ChainHeader {
    return this.#genesis
  }

  get head(): ChainHeader {
    return this.#writer.pointers.head
  }

  get consensus(): ConsensusSchedule {
    return this.#options.modules.consensus
  }

  get safe(): ChainHeader | undefined {
    return this.#options.isHeadFinal === true ? this.head : this.#writer.pointers.safe
  }

  get finalized(): ChainHeader | undefined {
    return this.#options.isHeadFinal === true ? this.head : this.#writer.pointers.finalized
  }

  badBlocks(): readonly BadBlock[] {
    return this.#writer.badBlocks.list
  }

  forgetBadBlocks(): void {
    this.#writer.badBlocks.clear()
  }

  /** The state after a block. */
  stateAt({ stateRoot }: { readonly stateRoot: StateRoot }): StateReader {
    return this.#options.modules.states.reader(stateRoot)
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
    const derivation = this.#options.modules.derivation?.prepare(
      run.map(({ block }) => block),
      options.signal,
    )
    if (checks === undefined && derivation === undefined) return this.#writer.importRun(run, options)
    return Promise.all([checks, derivation]).then(() => this.#writer.importRun(run, options))
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
    return this.#writer.insert(run, options)
  }

  /**
   * Makes a stored block the head, on any branch; higher blocks remain stored.
   * @returns undefined when the block is not stored
   */
  setHead(hash: Uint8Array): Promise<ChainHeader | undefined> {
    return this.#writer.setHead(hash)
  }

  /**
   * Reverts to the parent of a canonical block, validates and executes the block again and makes it the head.
   * @returns undefined when the block does not exist
   * @throws {NodeError} INVALID_BLOCK when the block proves invalid; the chain is then unchanged
   */
  replayBlock(number: number): Promise<ChainHeader | undefined> {
    return this.#writer.replayBlock(number)
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
    const select = (): readonly Header[] => {
      const stored = this.#blocks.header(parent.hash)
      return stored === undefined ? [] : selectOmmers(stored, this.#blocks, modules, clock.now())
    }
    return retryMisses(select, modules.residency)
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
    const ready = this.#options.modules.derivation?.prepare([candidate.block])
    return ready === undefined
      ? this.#writer.commit(candidate, seal, options)
      : ready.then(() => this.#writer.commit(candidate, seal, options))
  }

  /**
   * Makes a candidate readable like a stored block. It cannot be committed afterwards.
   * @throws {NodeError} CANDIDATE_UNKNOWN, CANDIDATE_COMMITTED, CANDIDATE_DISCARDED
   */
  show(candidate: Candidate): Promise<PendingBlock> {
    return this.#candidates.show(candidate)
  }

  /** Releases a candidate that is no longer needed. */
  discard(candidate: Candidate): void {
    this.#candidates.discard(candidate)
  }

  /**
   * Seals blocks on top of the head in one task of the writer.
   * @param next returns the plan of each block; undefined ends the batch. May be called again after a store miss, so it
   *   must have no lasting effects.
   * @param built called once per block, before the batch is committed
   * @throws {NodeError} BLOCK_NOT_BUILT; the whole batch is then dropped
   */
  seal(next: (parent: ChainHeader) => BlockPlan | undefined, built?: (block: SealedBlock) => void): Promise<SealRun> {
    return this.#writer.seal(next, built)
  }

  /**
   * Removes the newest blocks (dev chain).
   * @throws {NodeError} INVALID_PARAMS when there are fewer blocks
   */
  rollback(depth: number): Promise<ChainHeader> {
    return this.#writer.rollback(depth)
  }

  /**
   * Replaces the newest blocks by the same number of sealed ones (dev chain).
   * @param next as in `seal`
   * @throws {NodeError} INVALID_PARAMS when there are fewer blocks; BLOCK_NOT_BUILT
   */
  reorganise(
    depth: number,
    next: (parent: ChainHeader) => BlockPlan | undefined,
    built: (block: SealedBlock) => void,
  ): Promise<void> {
    return this.#writer.reorganise(depth, next, built)
  }

  /**
   * Amends the state after the head: every later execution starts from the amended state (dev chain).
   * @param change may be called again after a store miss
   */
  amendHead(change: (state: MutableState) => void): Promise<ChainHeader> {
    return this.#writer.amendHead(change)
  }

  /** Changes the environment of calls on the head and of all further blocks (dev chain). */
  setEnvironment(change: (current: DevEnvironment | undefined) => DevEnvironment | undefined): Promise<ChainHeader> {
    return this.#writer.setEnvironment(change)
  }

  /** The current position of the chain, for a later restore (dev chain). Valid until the process ends. */
  checkpoint(): Promise<ChainCheckpoint> {
    return this.#writer.checkpoint()
  }

  /** Restores a checkpoint of this chain; undefined: the original genesis block of the node (dev chain). */
  restore(checkpoint: ChainCheckpoint | undefined): Promise<ChainHeader> {
    const isLoaded = !equalBytes(this.#genesis.hash, this.#originalHash)
    return checkpoint === undefined && isLoaded ? this.#loadOriginal() : this.#writer.restore(checkpoint)
  }

  /** Replaces a loaded chain by the original genesis block. */
  async #loadOriginal(): Promise<ChainHeader> {
    const { genesis, modules } = this.#options
    const rlp = await retryMisses(() => this.#blocks.blockRlp(this.#originalHash), modules.residency)
    if (rlp === undefined) throw corrupt('it has no genesis block')
    const nothing = { senders: [], hashes: [], receipts: undefined, terms: undefined, amendment: undefined }
    return this.load(async (load) => {
      await load.begin(this.#originalHash)
      for (const account of genesis.alloc) await load.account(account)
      await load.block({ rlp, changes: [], ...nothing })
    })
  }

  /** The chain up to its current head, for reading it whole (dev chain). */
  async dump(): Promise<ChainDump> {
    return new ChainDump(this.#options.kv, this.#blocks, await this.#writer.checkpoint())
  }

  /**
   * Replaces the whole chain (dev chain).
   * @param work nothing is changed when it fails
   */
  async load(work: (load: ChainLoad) => Promise<void>): Promise<ChainHeader> {
    const { genesis, modules } = this.#options
    const head = await this.#writer.load(work, genesis.alloc)
    this.#genesis = (await retryMisses(() => this.#blocks.headerByNumber(0), modules.residency)) ?? this.#genesis
    return head
  }

  /** Sets head, safe and finalized block as requested by a consensus client. */
  setForkChoice(choice: ForkChoice): Promise<ForkChoiceOutcome> {
    return this.#writer.setForkChoice(choice)
  }

  /** @throws {NodeError} INVALID_BLOCK_RANGE */
  exportBlocks(range: ExportRange): Generator<Uint8Array, void, undefined> {
    return exportBlocks(this.#blocks, Number(this.head.header.number), range)
  }

  /** Runs other work on the store (such as completing an index) as a task of the writer. */
  inTurn(work: () => void | Promise<void>): Promise<void> {
    return this.#writer.inTurn(work)
  }

  /** Waits for changes in progress and refuses further ones. The store remains open. */
  close(): Promise<void> {
    return this.#writer.close()
  }
}
