/**
 * One task of the writer: blocks executed on top of each other and changes of the head, staged for the
 * next commit. Staged changes that are not committed have no effect.
 * @module
 */

import { MAX_RUN_BLOCKS, MAX_RUN_BYTES, MAX_RUN_KEYS } from '../base/limits/limits.ts'
import type { Mutation } from '../base/ports/keyValueStore.ts'
import { bytesToHex, equalBytes } from '../base/primitives/bytes.ts'
import type { MaybePromise } from '../base/primitives/maybePromise.ts'
import type { MessageResult } from '../evm/evm.ts'
import { hasState, missingState, type StateRoot } from '../state/contract.ts'
import type { BlockId } from '../state/stateDiff.ts'
import { retryMissesMaybe } from '../storage/retryMisses.ts'
import { keys } from '../storage/schema.ts'
import { StagedStore } from '../storage/stagedStore.ts'
import type { Block, Header } from '../types/block.ts'
import { ownHeader } from '../types/headerCodec.ts'
import type { StoredReceipt } from '../types/receipt.ts'
import { type ExecutionModules, processBlock, validateUnexecuted } from './blockProcessor.ts'
import { corrupt, encodeNumber } from './blockRecord.ts'
import { BlockStore } from './blockStore.ts'
import type { PointerName, StoredHeader } from './blockTables.ts'
import { putBlock, putCanonical, putDevAmendment, removeCanonical } from './blockWrites.ts'
import { parentGone } from './candidates.ts'
import type { ImportOptions, ImportOutcome } from './contract.ts'
import { type DevAmendment, encodeDevAmendment, NO_AMENDMENT } from './devAmendment.ts'
import { moveRuns, storeDerived } from './emptyRuns/runWrites.ts'
import { type ExecutedBlock, isSameParent } from './executedBlock.ts'
import { executePlan } from './executePlan.ts'
import { HeadMove } from './headMove.ts'
import { becomesHead, checkFinality, pathBetween } from './headRule.ts'
import { checkReceipts, type InsertedBlock, type InsertOutcome, storedReceipts } from './insertion.ts'
import type { ParentReads } from './parentReads.ts'
import { type BlockSeal, type PreparedBlock, withSeal } from './preparedBlock.ts'
import { retreat, sectionStep } from './termIndex/sectionBuilder.ts'
import type { BlockPlan, PlannedTransaction } from './transition/buildInput.ts'
import { persistState } from './transition/stateSlices.ts'
import type { ChainPointers, SentBatch, WriteTaskBase } from './writeTaskBase.ts'

const POINTER_NAMES: readonly PointerName[] = ['head', 'safe', 'finalized']

/** A locally built block. */
export interface SealedBlock {
  readonly block: StoredHeader
  readonly included: readonly PlannedTransaction[]
  readonly receipts: readonly StoredReceipt[]
  /** One per transaction; empty for a block that was not built here. */
  readonly results: readonly MessageResult[]
}

/** A built block that was not staged: its extension has to load data, which must not occupy the writer. */
export interface UnpreparedBlock {
  readonly unprepared: Block
}

/** Number of headers read between two yields while searching the path to another head. */
const MOVE_LOOK_AHEAD = 1024
/** Blocks of a long change of the head that are staged together; the batch may be full after each group. */
const MOVE_PIECE_BLOCKS = 32

export class WriteTask {
  readonly base: WriteTaskBase
  readonly #modules: ExecutionModules
  /** Below the stage, until it is stored. */
  #sent: SentBatch | undefined
  #stage!: StagedStore
  #blocks!: BlockStore
  #before!: ChainPointers
  #pointers!: ChainPointers
  #stateVersion: number | undefined
  #blockCount = 0
  #blockBytes = 0
  #isFlatLost = false

  constructor(base: WriteTaskBase) {
    this.base = base
    this.#modules = base.modules
    this.#begin()
  }

  get stage(): StagedStore {
    return this.#stage
  }

  /** Includes staged blocks. */
  get blocks(): BlockStore {
    return this.#blocks
  }

  get pointers(): ChainPointers {
    return this.#pointers
  }

  /** Commits what is staged as one atomic batch, and begins the next one. */
  async commit(): Promise<void> {
    await this.send()
    await this.#settle()
  }

  /**
   * Hands what is staged to the store as one atomic batch, and begins the next one on top of it. Only one batch is on its way:
   * an earlier one has been stored before.
   * @returns undefined when nothing is staged
   */
  async send(): Promise<SentBatch | undefined> {
    await this.#settle()
    this.#stagePointers()
    const { stage, blocks, pointers } = this
    if (stage.size === 0) {
      this.#begin()
      return undefined
    }
    const sent = this.base.send({ stage, blocks, pointers, isFlatLost: this.#isFlatLost })
    if (this.base.sent !== sent) await sent.committed
    this.#begin()
    return sent
  }

  /** Waits until the batch below the stage is stored, and removes it from the way of reads. */
  async #settle(): Promise<void> {
    const sent = this.#sent
    if (sent === undefined) return
    await sent.committed
    this.#sent = undefined
    this.#stage.rebase(this.base.kv)
    this.#blocks.rebase(this.base.blocks)
    this.#modules.states.rebase(this.#stage)
  }

  /** Drops what is staged since the last commit. */
  discard(): void {
    this.#begin()
  }

  /** Commits what is staged and lets urgent tasks run, which may move the head. */
  async giveWay(): Promise<void> {
    await this.commit()
    await this.base.giveWay()
    this.#begin()
  }

  #begin(): void {
    const { sent, kv } = this.base
    const { blocks, pointers } = sent ?? this.base
    this.#sent = sent
    this.#before = pointers
    this.#pointers = pointers
    this.#stage = new StagedStore(sent?.stage ?? kv)
    this.#blocks = new BlockStore(this.#stage, blocks)
    if (sent !== undefined) this.#modules.states.stack(this.#stage, sent.stage)
    this.#stateVersion = undefined
    this.#blockCount = 0
    this.#blockBytes = 0
    this.#isFlatLost = false
  }

  get isFull(): boolean {
    return this.#blockCount >= MAX_RUN_BLOCKS || this.#blockBytes >= MAX_RUN_BYTES || this.stage.size >= MAX_RUN_KEYS
  }

  /** Validates, executes and stages a block; the head rule of its consensus engine applies. */
  async importBlock(prepared: PreparedBlock, options: ImportOptions, nowMs: number): Promise<ImportOutcome> {
    const { hash, block } = prepared
    const { number, parentHash, timestamp } = block.header
    const mayBecomeHead = options.mayBecomeHead ?? true
    const { consensus } = this.#modules
    const [storedBlock, parent, rival] = await this.resident(
      () => [this.blocks.header(hash), this.blocks.header(parentHash), this.#finalRival(prepared)] as const,
    )
    if (storedBlock !== undefined && hasState(storedBlock))
      return { kind: 'known', block: storedBlock, isHead: await this.#considerAsHead(storedBlock, mayBecomeHead) }
    if (parent === undefined || !hasState(parent)) {
      return { kind: 'unknownParent', hash, number, parentHash }
    }
    if (consensus.claimedBy(block.header).arrival(block.header, nowMs) === 'future') {
      return { kind: 'future', hash, number, timestamp }
    }
    if (rival !== undefined) return { kind: 'invalid', hash, number, reason: rival }

    const context = { parent, blocks: this.blocks, stage: this.stage, verifySeal: options.verifySeal ?? true, nowMs }
    const processed = await processBlock(prepared, context, this.#modules)
    if (processed.kind === 'invalid') return { kind: 'invalid', hash, number, reason: processed.reason }
    const isSide = !(mayBecomeHead && this.#isNext(block.header))
    const stored = await this.#store(prepared, parent, processed, isSide)
    if (stored.dev !== undefined) await this.putDevAmendment(stored, { ...NO_AMENDMENT, environment: stored.dev })
    const deriving = this.#derive(prepared, stored, parent)
    if (deriving !== undefined) await deriving
    if (storedBlock !== undefined) this.#replacePointers(stored)
    return { kind: 'imported', block: stored, isHead: await this.#considerAsHead(stored, mayBecomeHead) }
  }

  /** Validates and stages a block with its receipts, without executing it or changing the head. */
  async insertBlock(inserted: InsertedBlock, verifySeal: boolean, nowMs: number): Promise<InsertOutcome> {
    const { prepared } = inserted
    const { hash, block } = prepared
    const { number, parentHash, timestamp } = block.header
    const [storedBlock, parent, rival] = await this.resident(
      () => [this.blocks.header(hash), this.blocks.header(parentHash), this.#finalRival(prepared)] as const,
    )
    const isHead = equalBytes(hash, this.#pointers.head.hash)
    if (storedBlock !== undefined) return { kind: 'known', block: storedBlock, isHead }
    if (parent === undefined) return { kind: 'unknownParent', hash, number, parentHash }
    if (this.#modules.consensus.claimedBy(block.header).arrival(block.header, nowMs) === 'future') {
      return { kind: 'future', hash, number, timestamp }
    }
    if (rival !== undefined) return { kind: 'invalid', hash, number, reason: rival }
    const context = { parent, blocks: this.blocks, stage: this.stage, verifySeal, nowMs }
    const checked = await validateUnexecuted(prepared, context, this.#modules)
    if (checked.kind === 'invalid') return { kind: 'invalid', hash, number, reason: checked.reason }
    const reason = checkReceipts(inserted)
    if (reason !== undefined) return { kind: 'invalid', hash, number, reason }
    const stored = this.#storedHeader(prepared, parent, undefined)
    this.#stageBlock(prepared, stored, storedReceipts(inserted), checked.parentReads, undefined)
    return { kind: 'inserted', block: stored }
  }

  /**
   * Builds a block on top of the head, executes and stages it; it becomes the head.
   * @param mayLoad whether the extension may load data within this task
   * @returns undefined when there are no transactions to include and the block may not be empty
   * @throws {NodeError} BLOCK_NOT_BUILT
   */
  async sealBlock(plan: BlockPlan, mayLoad: boolean): Promise<SealedBlock | UnpreparedBlock | undefined> {
    const context = { parent: this.#pointers.head, blocks: this.blocks, stage: this.stage }
    const executed = await executePlan(plan, context, this.#modules)
    if (executed === undefined) return undefined
    const { extension } = this.#modules
    if (extension !== undefined && !mayLoad) {
      const unprepared = executed.prepared.block
      if (!extension.isPrepared(unprepared.transactions)) return { unprepared }
    }
    const block = await this.#stageExecuted(executed, executed.prepared, context.parent, false)
    await this.stageHead(block)
    const { receipts, built } = executed
    return { block, included: built?.included ?? [], receipts, results: built?.results ?? [] }
  }

  /**
   * Stages a candidate; the head rule of its consensus engine applies.
   * @throws {NodeError} CANDIDATE_PARENT_GONE, CANDIDATE_SEAL_REFUSED
   */
  async commitCandidate(executed: ExecutedBlock, seal: BlockSeal, mayBecomeHead: boolean): Promise<ImportOutcome> {
    const { header } = executed.prepared.block
    const prepared = withSeal(executed.prepared, seal, this.#modules)
    const [storedBlock, parent, rival] = await this.resident(
      () =>
        [this.blocks.header(prepared.hash), this.blocks.header(header.parentHash), this.#finalRival(prepared)] as const,
    )
    if (storedBlock !== undefined && hasState(storedBlock))
      return { kind: 'known', block: storedBlock, isHead: await this.#considerAsHead(storedBlock, mayBecomeHead) }
    if (parent === undefined || !isSameParent(parent, executed.parent)) throw parentGone(header.parentHash)
    if (rival !== undefined) return { kind: 'invalid', hash: prepared.hash, number: header.number, reason: rival }
    const isSide = !(mayBecomeHead && this.#isNext(header))
    const block = await this.#stageExecuted(executed, prepared, parent, isSide)
    if (storedBlock !== undefined) this.#replacePointers(block)
    return { kind: 'imported', block, isHead: await this.#considerAsHead(block, mayBecomeHead) }
  }

  /** @param prepared the executed block, sealed */
  async #stageExecuted(
    executed: ExecutedBlock,
    prepared: PreparedBlock,
    parent: StoredHeader,
    isSide: boolean,
  ): Promise<StoredHeader> {
    const stored = await this.#store(prepared, parent, executed, isSide)
    // The same block may have been stored with other amendments before a checkpoint was restored.
    const amendment = executed.built?.amendment ?? (parent.dev && NO_AMENDMENT)
    if (amendment !== undefined) await this.putDevAmendment(stored, { ...amendment, environment: parent.dev })
    const deriving = this.#derive(prepared, stored, parent)
    if (deriving !== undefined) await deriving
    return stored
  }

  #derive(prepared: PreparedBlock, stored: StoredHeader, parent: StoredHeader): Promise<void> | undefined {
    const { stage, blocks } = this
    const nextVersion = (): number => this.nextVersion()
    return this.#modules.extension?.derive({ prepared, stored, parent, stage, blocks, nextVersion })
  }

  /**
   * Makes a stored block the head, on any branch. A change over more blocks than one batch may hold is committed in
   * steps within the task, since other tasks would see a head on the path; the last step remains staged.
   */
  async moveHead(target: StoredHeader): Promise<void> {
    const move = new HeadMove(target)
    const slicer = this.#modules.scheduler?.slicer()
    while (!(await this.resident(() => move.findAncestor(this.blocks, MOVE_LOOK_AHEAD)))) {
      if (slicer?.isDue) await slicer.yield()
    }
    if (move.length(this.#pointers.head, this.blocks) <= this.base.moveBounds.atomicBlocks)
      return this.stageHead(target)
    while (!(await this.#moveToward(move))) {
      await this.commit()
      if (slicer?.isDue) await slicer.yield()
    }
  }

  /** Stages the next step of a change of the head. @returns whether the target is reached */
  async #moveToward(move: HeadMove): Promise<boolean> {
    const { stepBlocks } = this.base.moveBounds
    for (let remainingBlocks = stepBlocks; remainingBlocks > 0; remainingBlocks -= MOVE_PIECE_BLOCKS) {
      const { head } = this.#pointers
      const stop = await this.resident(() => move.next(head, this.blocks, Math.min(remainingBlocks, MOVE_PIECE_BLOCKS)))
      await this.stageHead(stop)
      if (equalBytes(stop.hash, move.target.hash)) return true
      if (this.stage.size >= MAX_RUN_KEYS) break
    }
    return false
  }

  /**
   * Makes a stored block the head within one batch: the canonical index, the indexes and the flat view follow. `safe`
   * and `finalized` are cleared when their blocks are no longer canonical.
   */
  async stageHead(target: StoredHeader): Promise<void> {
    await this.resident(() => this.#stageHead(target))
    await this.resident(() => this.stageAll(sectionStep(this.stage, Number(target.header.number)) ?? []))
  }

  setPointers(pointers: Partial<ChainPointers>): void {
    this.#pointers = { ...this.#pointers, ...pointers }
  }

  /** Reads the blocks of the pointers again, after states were deleted. */
  renewPointers(): void {
    const { genesis, head, safe, finalized } = this.#pointers
    const renewed = <T extends StoredHeader | undefined>(old: T): T | StoredHeader =>
      old === undefined ? old : (this.blocks.header(old.hash) ?? old)
    this.#pointers = { genesis: renewed(genesis), head, safe: renewed(safe), finalized: renewed(finalized) }
  }

  /** Makes a block without parent the head; all other blocks have been removed. */
  adoptGenesis(genesis: StoredHeader): void {
    putCanonical(this.stage, genesis, [])
    this.blocks.rememberHeader(genesis)
    this.#pointers = { genesis, head: genesis, safe: undefined, finalized: undefined }
  }

  #stagePointers(): void {
    for (const name of POINTER_NAMES) {
      const block = this.#pointers[name]
      if (block === this.#before[name]) continue
      if (block === undefined) this.stage.delete(keys.meta(name))
      else this.stage.put(keys.meta(name), block.hash)
    }
    if (this.#stateVersion !== undefined) this.stage.put(keys.meta('stateVersion'), encodeNumber(this.#stateVersion))
  }

  async #store(
    prepared: PreparedBlock,
    parent: StoredHeader,
    { state, receipts, parentReads }: Pick<ExecutedBlock, 'state' | 'receipts' | 'parentReads'>,
    isSide: boolean,
  ): Promise<StoredHeader> {
    const { hash, block } = prepared
    const id = { number: Number(block.header.number), hash }
    const commit = { version: this.nextVersion(), stage: this.stage, block: id, isSide }
    const persisting = persistState(state, commit, this.#modules)
    const stateRoot = persisting instanceof Promise ? await persisting : persisting
    const stored = this.#storedHeader(prepared, parent, stateRoot)
    this.#stageBlock(prepared, stored, receipts, parentReads, state.knownAccounts())
    return stored
  }

  /** @param executed the state after the block; undefined when it was not executed */
  #storedHeader(
    { block, hash, rlp, encodings }: PreparedBlock,
    parent: StoredHeader,
    executed: StateRoot | undefined,
  ): StoredHeader {
    const header = ownHeader(block.header, encodings.header)
    const totalDifficulty = parent.totalDifficulty + header.difficulty
    const stateRoot = executed ?? missingState(header.stateRoot)
    return { header, hash, totalDifficulty, stateRoot, size: rlp.length, dev: parent.dev }
  }

  #stageBlock(
    prepared: PreparedBlock,
    stored: StoredHeader,
    receipts: readonly StoredReceipt[],
    parentReads: ParentReads,
    accounts: readonly Uint8Array[] | undefined,
  ): void {
    parentReads.stageWrites(this.stage)
    putBlock(this.stage, prepared, stored, receipts, accounts)
    this.blocks.remember(stored, prepared.block, prepared.transactions, receipts)
    this.#blockCount++
    this.#blockBytes += stored.size
  }

  #stageHead(block: StoredHeader): void {
    const { stage } = this
    const target = storeDerived(block, this.blocks, stage)
    const { commonAncestor, removed, added, ...runs } = pathBetween(this.#pointers.head, target, this.blocks)
    if (removed.length + runs.removedRuns.length > 0) {
      this.stageAll(retreat(stage, Number(commonAncestor.header.number) + 1))
    }
    for (const block of removed) removeCanonical(stage, block, this.#transactionHashes(block))
    moveRuns(stage, runs, target)
    for (const block of added) putCanonical(stage, block, this.#transactionHashes(block))
    // Without the states, the flat view remains at its current state, for which it stays correct.
    if (hasState(target) && removed.every(hasState) && added.every(hasState)) {
      this.moveFlat(removed.map(blockId), added.map(blockId), target.stateRoot)
    }
    this.#pointers = {
      ...this.#pointers,
      head: target,
      safe: this.#stillCanonical(this.#pointers.safe),
      finalized: this.#stillCanonical(this.#pointers.finalized),
    }
  }

  /** Moves the flat view with the head. Where it cannot follow, it is given up and built again in the background. */
  moveFlat(undo: readonly BlockId[], redo: readonly BlockId[], newRoot: StateRoot): void {
    const { states } = this.#modules
    if (states.moveFlat(this.stage, undo, redo, newRoot) || this.base.flatRecovery.isRunning) return
    states.dropFlat(this.stage)
    this.#isFlatLost = true
  }

  stageAll(mutations: readonly Mutation[]): void {
    for (const { key, value } of mutations) {
      if (value === undefined) this.stage.delete(key)
      else this.stage.put(key, value)
    }
  }

  /** Version for trie nodes; never reused, even if the work is repeated. */
  nextVersion(): number {
    this.#stateVersion = this.base.nextVersion()
    return this.#stateVersion
  }

  /** Records how a stored block deviates from the protocol. */
  async putDevAmendment({ header, hash }: StoredHeader, amendment: DevAmendment): Promise<void> {
    const encoded = encodeDevAmendment(amendment)
    await this.resident(() => putDevAmendment(this.stage, Number(header.number), hash, encoded))
  }

  /** Replaces the head by the same block with another state or environment. */
  replaceHead(head: StoredHeader): void {
    this.blocks.rememberHeader(head)
    this.#replacePointers(head)
  }

  /** Lets the pointers to a block name its new version. */
  #replacePointers(block: StoredHeader): void {
    const replaced = <T extends StoredHeader | undefined>(old: T): T | StoredHeader =>
      old !== undefined && equalBytes(old.hash, block.hash) ? block : old
    const { genesis, head, safe, finalized } = this.#pointers
    this.#pointers = { genesis, head: replaced(head), safe: replaced(safe), finalized: replaced(finalized) }
  }

  async #considerAsHead(candidate: StoredHeader, mayBecomeHead: boolean): Promise<boolean> {
    if (equalBytes(candidate.hash, this.#pointers.head.hash)) return true
    if (!mayBecomeHead || !(await this.resident(() => this.#becomesHead(candidate)))) return false
    await (this.#isNext(candidate.header) ? this.stageHead(candidate) : this.moveHead(candidate))
    return true
  }

  /** Whether the block is a child of the head. */
  #isNext({ parentHash }: Header): boolean {
    return equalBytes(parentHash, this.#pointers.head.hash)
  }

  #becomesHead(candidate: StoredHeader): boolean {
    return becomesHead(candidate, this.#pointers.head, this.#modules.consensus, this.blocks)
  }

  #finalRival({ block, hash }: PreparedBlock): string | undefined {
    return checkFinality(block.header, hash, this.blocks, this.#modules.consensus)
  }

  /** Runs reads of the store again once the keys that they miss are loaded. */
  resident<T>(work: () => T): MaybePromise<T> {
    return retryMissesMaybe(work, this.#modules.residency)
  }

  #transactionHashes({ hash }: StoredHeader): readonly Uint8Array[] {
    const transactions = this.blocks.transactionKeys(hash)
    if (transactions === undefined) throw corrupt(`block ${bytesToHex(hash)} is missing`)
    return transactions.hashes
  }

  #stillCanonical(block: StoredHeader | undefined): StoredHeader | undefined {
    return block !== undefined && this.blocks.isCanonical(block.hash) ? block : undefined
  }
}

export function blockId({ header, hash }: StoredHeader): BlockId {
  return { number: Number(header.number), hash }
}
