/**
 * The chain of a node: stored blocks and states to read, and the one writer to change them.
 * @module
 */

import type { ConsensusSchedule } from '../consensus/engine.ts'
import { Emitter } from '../events/events.ts'
import type { Clock, Logger, SenderRecovery } from '../ports/host.ts'
import type { KeyValueStore } from '../ports/keyValueStore.ts'
import { type Metrics, noMetrics } from '../ports/metrics.ts'
import type { MutableState, StateReader, StateRoot } from '../state/contract.ts'
import type { Block } from '../types/block.ts'
import type { ExecutionModules } from './blockProcessor.ts'
import { BlockReads } from './blockReads.ts'
import { BlockStore } from './blockStore.ts'
import { type Candidate, type CandidateOptions, Candidates, type VerifyOutcome } from './candidates.ts'
import { ChainMetrics } from './chainMetrics.ts'
import type { ChainCheckpoint } from './checkpoint.ts'
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
import type { BlockSeal } from './executedBlock.ts'
import { type ExportRange, exportBlocks } from './export.ts'
import { type ChainGenesis, openGenesis } from './genesis.ts'
import { MOVE_BOUNDS, type MoveBounds } from './headMove.ts'
import type { InsertedBlock, InsertOptions, InsertOutcome } from './insertion.ts'
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
  /** Default: nothing is measured. */
  readonly metrics?: Metrics | undefined
  /** The head is safe and finalized as soon as it is set: the chain has one block producer (dev chain). */
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

  private constructor(
    options: ChainOptions,
    genesis: ChainHeader,
    parts: { readonly blocks: BlockStore; readonly writer: Writer; readonly candidates: Candidates },
  ) {
    super({ kv: options.kv, blocks: parts.blocks, config: options.modules.config, genesis })
    this.events = parts.writer.events
    this.#blocks = parts.blocks
    this.#writer = parts.writer
    this.#candidates = parts.candidates
    this.#options = options
  }

  /**
   * Opens the chain of a store; an empty store gets the genesis block first, in one batch.
   * @throws {NodeError} GENESIS_MISMATCH when the store belongs to another chain
   */
  static async open(options: ChainOptions): Promise<Chain> {
    const { kv, modules, clock, logger, moveBounds = MOVE_BOUNDS, metrics = noMetrics } = options
    const blocks = new BlockStore(kv)
    const opened = await openGenesis(kv, blocks, options.genesis, modules)
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
    return new Chain(options, opened.genesis, { blocks, writer, candidates })
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

  /** Recovers the senders, then imports one block in its turn. */
  async import(block: Block, options: Omit<ImportOptions, 'signal'> = {}): Promise<ImportOutcome> {
    const prepared = await prepareBlocks([encodedBlock(block, this.consensus)], this.#options.senders)
    const [outcome] = await this.importRun(prepared, options)
    return outcome as ImportOutcome
  }

  /**
   * Imports consecutive blocks in their turn.
   * @returns one outcome a block, up to the first that was not accepted; those before it are kept
   */
  importRun(run: readonly PreparedBlock[], options: ImportOptions = {}): Promise<ImportOutcome[]> {
    const ready = this.#prepareSealChecks(run, options)
    return ready === undefined
      ? this.#writer.importRun(run, options)
      : ready.then(() => this.#writer.importRun(run, options))
  }

  /** Work of the engines that would keep the writer and everybody else waiting; undefined: there is none. */
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
   * Stores consecutive blocks with their receipts without executing them: below the block from which a synchronising node
   * has the state. They become canonical when `options.isPivot` asks for it. Their states are not available: no block can
   * be executed on top of them.
   * @returns one outcome a block, up to the first that was not accepted; those before it are kept
   */
  insert(run: readonly InsertedBlock[], options: InsertOptions = {}): Promise<InsertOutcome[]> {
    return this.#writer.insert(run, options)
  }

  /**
   * Makes a stored block the head, forward, back or on another branch; blocks above stay stored.
   * @returns undefined when the block is not stored
   */
  setHead(hash: Uint8Array): Promise<ChainHeader | undefined> {
    return this.#writer.setHead(hash)
  }

  /**
   * Goes back to the parent of a canonical block, checks and executes the block again and makes it the head.
   * @returns undefined when there is no such block
   * @throws {NodeError} INVALID_BLOCK when it does not pass this time; nothing has changed then
   */
  replayBlock(number: number): Promise<ChainHeader | undefined> {
    return this.#writer.replayBlock(number)
  }

  /**
   * Builds a block on a stored parent and executes it. Nothing is stored, and no turn of the writer is taken.
   * @returns undefined when there is nothing to put in and the block may not be empty
   * @throws {NodeError} CANDIDATE_PARENT_GONE, CANDIDATES_FULL, BLOCK_NOT_BUILT
   */
  build(
    plan: BlockPlan,
    parent: Pick<ChainHeader, 'hash'>,
    options?: CandidateOptions,
  ): Promise<Candidate | undefined> {
    return this.#candidates.build(plan, parent, options)
  }

  /**
   * Applies every rule but the seal's to a block and executes it. Nothing is stored, and no turn of the writer is taken.
   * @throws {NodeError} CANDIDATES_FULL
   */
  verify(prepared: PreparedBlock, options?: CandidateOptions): Promise<VerifyOutcome> {
    return this.#candidates.verify(prepared, options)
  }

  /**
   * Stores an executed block, in one turn of the writer; nothing is executed. It becomes the head by the rule of its
   * consensus. The seal is not checked: the caller vouches for it.
   * @throws {NodeError} CANDIDATE_PARENT_GONE, CANDIDATE_COMMITTED, CANDIDATE_DISCARDED, CANDIDATE_UNKNOWN,
   * CANDIDATE_SEAL_REFUSED; nothing has changed then. After any error the candidate cannot be committed again.
   */
  commit(
    candidate: Candidate,
    seal: BlockSeal = {},
    options: Pick<ImportOptions, 'mayBecomeHead'> = {},
  ): Promise<ImportOutcome> {
    return this.#writer.commit(candidate, seal, options)
  }

  /**
   * Makes a candidate readable like a stored block. It cannot be committed afterwards.
   * @throws {NodeError} CANDIDATE_UNKNOWN, CANDIDATE_COMMITTED, CANDIDATE_DISCARDED
   */
  show(candidate: Candidate): Promise<PendingBlock> {
    return this.#candidates.show(candidate)
  }

  /** Lets go of a candidate that is not needed any more. */
  discard(candidate: Candidate): void {
    this.#candidates.discard(candidate)
  }

  /**
   * Makes blocks on top of the head, in one turn of the writer.
   * @param next asked for each block; undefined ends the run. May be called again when the store has to fetch something,
   * so it must change nothing that outlives the run.
   * @param built told once of each block, before the run is committed
   * @throws {NodeError} BLOCK_NOT_BUILT; nothing of the run is kept then
   */
  seal(next: (parent: ChainHeader) => BlockPlan | undefined, built?: (block: SealedBlock) => void): Promise<SealRun> {
    return this.#writer.seal(next, built)
  }

  /**
   * Changes the state after the head from outside: every later execution starts from there (dev chain).
   * @param change may be called again when the store has to fetch something
   */
  amendHead(change: (state: MutableState) => void): Promise<ChainHeader> {
    return this.#writer.amendHead(change)
  }

  /** Where the chain stands, to come back to (dev chain). Holds for as long as the process runs. */
  checkpoint(): Promise<ChainCheckpoint> {
    return this.#writer.checkpoint()
  }

  /** Goes back to a point of this chain; undefined: the genesis block as it was made (dev chain). */
  restore(checkpoint: ChainCheckpoint | undefined): Promise<ChainHeader> {
    return this.#writer.restore(checkpoint)
  }

  /** Sets head, safe and finalized block as a consensus client asks. */
  setForkChoice(choice: ForkChoice): Promise<ForkChoiceOutcome> {
    return this.#writer.setForkChoice(choice)
  }

  /** @throws {NodeError} INVALID_BLOCK_RANGE */
  exportBlocks(range: ExportRange): Generator<Uint8Array, void, undefined> {
    return exportBlocks(this.#blocks, Number(this.head.header.number), range)
  }

  /** Runs other work on the store, such as what completes an index, while nothing else is written. */
  inTurn(work: () => void | Promise<void>): Promise<void> {
    return this.#writer.inTurn(work)
  }

  /** Waits for the changes under way; further ones are refused. The store stays open. */
  close(): Promise<void> {
    return this.#writer.close()
  }
}
