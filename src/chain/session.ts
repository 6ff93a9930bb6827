/**
 * One batch under construction: blocks executed on top of each other and changes of the head, staged for one commit. A
 * dropped session has no effect.
 * @module
 */

import { MAX_RUN_BLOCKS, MAX_RUN_BYTES, MAX_RUN_KEYS } from '../base/limits/limits.ts'
import type { KeyValueReader, Mutation } from '../base/ports/keyValueStore.ts'
import { bytesToHex, equalBytes } from '../base/primitives/bytes.ts'
import type { MaybePromise } from '../base/primitives/maybePromise.ts'
import type { DevEnvironment, MessageResult } from '../evm/evm.ts'
import { type MutableState, missingState, type StateRoot } from '../state/contract.ts'
import { isSameRoot } from '../state/stateContext.ts'
import { retryMissesMaybe } from '../storage/retryMisses.ts'
import { keys } from '../storage/schema.ts'
import { StagedStore } from '../storage/stagedStore.ts'
import type { StoredReceipt } from '../types/receipt.ts'
import { type ExecutionModules, processBlock, validateUnexecuted } from './blockProcessor.ts'
import { corrupt, encodeNumber } from './blockRecord.ts'
import { BlockStore, type PointerName, type StoredHeader } from './blockStore.ts'
import { putBlock, putCanonical, putDevAmendment, removeCanonical } from './blockWrites.ts'
import { parentGone } from './candidates.ts'
import type { ImportOptions, ImportOutcome } from './contract.ts'
import { type ChainCheckpoint, genesisCheckpoint, restoreRecords, takeCheckpoint } from './dev/checkpoint.ts'
import { type DevAmendment, decodeDevAmendment, encodeDevAmendment, NO_AMENDMENT } from './dev/devAmendment.ts'
import { isSameEnvironment } from './dev/devEnvironment.ts'
import { type BlockSeal, type ExecutedBlock, executePlan, withSeal } from './executedBlock.ts'
import { HeadMove, type MoveBounds } from './headMove.ts'
import { becomesHead, checkFinality, pathBetween } from './headRule.ts'
import { checkReceipts, type InsertedBlock, type InsertOutcome, storedReceipts } from './insertion.ts'
import type { ParentReads } from './parentReads.ts'
import { encodedBlock, type PreparedBlock, withSenders } from './preparedBlock.ts'
import { retreat, sectionStep } from './termIndex/sectionBuilder.ts'
import type { BlockCandidate, BlockPlan } from './transition/buildInput.ts'

/** The block pointers of the chain. */
export interface ChainPointers {
  readonly head: StoredHeader
  readonly safe: StoredHeader | undefined
  readonly finalized: StoredHeader | undefined
}

const POINTER_NAMES: readonly PointerName[] = ['head', 'safe', 'finalized']

/** A locally built block. */
export interface SealedBlock {
  readonly block: StoredHeader
  readonly included: readonly BlockCandidate[]
  readonly receipts: readonly StoredReceipt[]
  /** One per transaction; empty unless an address is watched. */
  readonly results: readonly MessageResult[]
}

/** Number of headers read between two yields while searching the path to another head. */
const MOVE_LOOK_AHEAD = 1024
/** Blocks of a long change of the head that are staged together; the batch may be full after each group. */
const MOVE_PIECE_BLOCKS = 32

export interface SessionBase {
  readonly kv: KeyValueReader
  readonly blocks: BlockStore
  readonly pointers: ChainPointers
  readonly moveBounds: MoveBounds
  /** Next version for trie nodes; versions are never reused, not even those of a dropped session. */
  nextVersion(): number
}

export class WriteSession {
  readonly stage: StagedStore
  /** Includes staged blocks. */
  readonly blocks: BlockStore
  readonly #base: SessionBase
  readonly #modules: ExecutionModules
  #pointers: ChainPointers
  #stateVersion: number | undefined
  #blockCount = 0
  #blockBytes = 0
  #farMove: HeadMove | undefined

  constructor(base: SessionBase, modules: ExecutionModules) {
    this.#base = base
    this.#modules = modules
    this.#pointers = base.pointers
    this.stage = new StagedStore(base.kv)
    this.blocks = new BlockStore(this.stage, base.blocks)
  }

  get pointers(): ChainPointers {
    return this.#pointers
  }

  /** Set when an imported block becomes the head over a path too long for this batch. */
  get farMove(): HeadMove | undefined {
    return this.#farMove
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
    const [known, parent, rival] = await this.#resident(
      () => [this.blocks.header(hash), this.blocks.header(parentHash), this.#finalRival(prepared)] as const,
    )
    if (known !== undefined)
      return { kind: 'known', block: known, isHead: await this.#considerAsHead(known, mayBecomeHead) }
    if (parent === undefined || parent.stateRoot.isMissing === true) {
      return { kind: 'unknownParent', hash, number, parentHash }
    }
    if (consensus.claimedBy(block.header).arrival(block.header, nowMs) === 'future') {
      return { kind: 'future', hash, number, timestamp }
    }
    if (rival !== undefined) return { kind: 'invalid', hash, number, reason: rival }

    const place = { parent, blocks: this.blocks, stage: this.stage, verifySeal: options.verifySeal ?? true, nowMs }
    const processed = await processBlock(prepared, place, this.#modules)
    if (processed.kind === 'invalid') return { kind: 'invalid', hash, number, reason: processed.reason }
    const stored = await this.#resident(() => this.#store(prepared, parent, processed))
    if (stored.dev !== undefined) await this.#putDevAmendment(stored, { ...NO_AMENDMENT, environment: stored.dev })
    const deriving = this.#derive(prepared, stored, parent)
    if (deriving !== undefined) await deriving
    return { kind: 'imported', block: stored, isHead: await this.#considerAsHead(stored, mayBecomeHead) }
  }

  /** Validates and stages a block with its receipts, without executing it or changing the head. */
  async insertBlock(inserted: InsertedBlock, verifySeal: boolean, nowMs: number): Promise<InsertOutcome> {
    const { prepared } = inserted
    const { hash, block } = prepared
    const { number, parentHash, timestamp } = block.header
    const [known, parent, rival] = await this.#resident(
      () => [this.blocks.header(hash), this.blocks.header(parentHash), this.#finalRival(prepared)] as const,
    )
    const isHead = equalBytes(hash, this.#pointers.head.hash)
    if (known !== undefined) return { kind: 'known', block: known, isHead }
    if (parent === undefined) return { kind: 'unknownParent', hash, number, parentHash }
    if (this.#modules.consensus.claimedBy(block.header).arrival(block.header, nowMs) === 'future') {
      return { kind: 'future', hash, number, timestamp }
    }
    if (rival !== undefined) return { kind: 'invalid', hash, number, reason: rival }
    const place = { parent, blocks: this.blocks, stage: this.stage, verifySeal, nowMs }
    const checked = await validateUnexecuted(prepared, place, this.#modules)
    if (checked.kind === 'invalid') return { kind: 'invalid', hash, number, reason: checked.reason }
    const reason = checkReceipts(inserted)
    if (reason !== undefined) return { kind: 'invalid', hash, number, reason }
    const stored = this.#storedHeader(prepared, parent, missingState(block.header.stateRoot))
    this.#stageBlock(prepared, stored, storedReceipts(inserted), checked.parentReads, undefined)
    return { kind: 'inserted', block: stored }
  }

  /**
   * Builds a block on top of the head, executes and stages it; it becomes the head.
   * @returns undefined when there are no transactions to include and the block may not be empty
   * @throws {NodeError} BLOCK_NOT_BUILT
   */
  async sealBlock(plan: BlockPlan): Promise<SealedBlock | undefined> {
    const place = { parent: this.#pointers.head, blocks: this.blocks, stage: this.stage }
    const executed = await executePlan(plan, place, this.#modules)
    if (executed === undefined) return undefined
    const block = await this.#stageExecuted(executed, executed.prepared, place.parent)
    await this.moveHead(block)
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
    const [known, parent, rival] = await this.#resident(
      () =>
        [this.blocks.header(prepared.hash), this.blocks.header(header.parentHash), this.#finalRival(prepared)] as const,
    )
    if (known !== undefined)
      return { kind: 'known', block: known, isHead: await this.#considerAsHead(known, mayBecomeHead) }
    if (parent === undefined || !isSameParent(parent, executed.parent)) throw parentGone(header.parentHash)
    if (rival !== undefined) return { kind: 'invalid', hash: prepared.hash, number: header.number, reason: rival }
    const block = await this.#stageExecuted(executed, prepared, parent)
    return { kind: 'imported', block, isHead: await this.#considerAsHead(block, mayBecomeHead) }
  }

  /** @param prepared the executed block, sealed */
  async #stageExecuted(executed: ExecutedBlock, prepared: PreparedBlock, parent: StoredHeader): Promise<StoredHeader> {
    const stored = await this.#resident(() => this.#store(prepared, parent, executed))
    // The same block may have been stored with other amendments before a checkpoint was restored.
    const amendment = executed.built?.amendment ?? (parent.dev && NO_AMENDMENT)
    if (amendment !== undefined) await this.#putDevAmendment(stored, { ...amendment, environment: parent.dev })
    const deriving = this.#derive(prepared, stored, parent)
    if (deriving !== undefined) await deriving
    return stored
  }

  #derive(prepared: PreparedBlock, stored: StoredHeader, parent: StoredHeader): Promise<void> | undefined {
    const { stage, blocks } = this
    const nextVersion = (): number => this.nextVersion()
    return this.#modules.derivation?.derive({ prepared, stored, parent, stage, blocks, nextVersion })
  }

  /**
   * Amends the state after the head (dev chain).
   * @param change may be called again after a store miss
   */
  async amendHead(change: (state: MutableState) => void): Promise<void> {
    const { head } = this.#pointers
    const id = blockId(head)
    const stateRoot = await this.#resident(() => {
      const state = this.#modules.states.mutable(head.stateRoot, this.stage)
      change(state)
      const amend = this.stage.get(keys.reverseDiff(id.number, id.hash)) !== undefined
      return state.persist({ version: this.nextVersion(), stage: this.stage, block: id, amend })
    })
    await this.#putDevAmendment(head, { ...(await this.#amendmentOf(head)), stateRoot })
    this.#replaceHead({ ...head, stateRoot })
  }

  /** Sets the environment of calls on the head and of all further blocks (dev chain). */
  async setEnvironment(environment: DevEnvironment | undefined): Promise<void> {
    const { head } = this.#pointers
    await this.#putDevAmendment(head, { ...(await this.#amendmentOf(head)), environment })
    this.#replaceHead({ ...head, dev: environment })
  }

  async #amendmentOf(block: StoredHeader): Promise<DevAmendment> {
    const { number, hash } = blockId(block)
    const before = await this.#resident(() => this.stage.get(keys.devAmendment(number, hash)))
    return before === undefined ? NO_AMENDMENT : decodeDevAmendment(before)
  }

  async checkpoint(): Promise<ChainCheckpoint> {
    return this.#resident(() => takeCheckpoint(this.#pointers.head, this.stage))
  }

  /** Restores a checkpoint of this chain; undefined: the original genesis block. */
  async restore(checkpoint: ChainCheckpoint | undefined): Promise<void> {
    const point = checkpoint ?? (await this.#resident(() => this.#genesisCheckpoint()))
    const current = await this.#resident(() => this.blocks.header(point.block.hash))
    if (current === undefined) throw corrupt(`block ${bytesToHex(point.block.hash)} is missing`)
    await this.moveHead(current)
    await this.#resident(() => restoreRecords(point, current, this.stage, this.#modules.states))
    this.#replaceHead(point.block)
  }

  /** Validates and executes a stored block again, without changing the head or writing anything. */
  async verifyAgain({ hash, header }: StoredHeader, parent: StoredHeader, nowMs: number): Promise<string | undefined> {
    const [body, transactions] = await this.#resident(
      () => [this.blocks.body(hash), this.blocks.transactionKeys(hash)] as const,
    )
    if (body === undefined || transactions === undefined) throw corrupt(`block ${bytesToHex(hash)} is incomplete`)
    const prepared = withSenders(
      encodedBlock({ header, ...body }, this.#modules.consensus),
      transactions.senders,
      transactions.hashes,
    )
    // The seal was accepted, or deliberately not checked, at import.
    const place = { parent, blocks: this.blocks, stage: this.stage, verifySeal: false, nowMs }
    const processed = await processBlock(prepared, place, this.#modules)
    return processed.kind === 'invalid' ? processed.reason : undefined
  }

  /**
   * Makes a stored block the head, on any branch: the canonical index, the indexes and the flat view follow. `safe` and
   * `finalized` are cleared when their blocks are no longer canonical. Stages everything together; plan a path that may
   * be long first ({@link planMove}).
   */
  async moveHead(target: StoredHeader): Promise<void> {
    await this.#resident(() => this.#moveHead(target))
    await this.#resident(() => this.stageAll(sectionStep(this.stage, Number(target.header.number)) ?? []))
  }

  /** The path to a stored block; `isFar`: it has more blocks than one batch may hold. */
  async planMove(target: StoredHeader): Promise<{ readonly move: HeadMove; readonly isFar: boolean }> {
    const move = new HeadMove(target)
    const slicer = this.#modules.scheduler?.slicer()
    while (!(await this.#resident(() => move.findAncestor(this.blocks, MOVE_LOOK_AHEAD)))) {
      if (slicer?.isDue) await slicer.yield()
    }
    return { move, isFar: move.length(this.#pointers.head) > this.#base.moveBounds.atomicBlocks }
  }

  /** Stages the next step of a change of the head. @returns whether the target is reached */
  async moveToward(move: HeadMove): Promise<boolean> {
    const { stepBlocks } = this.#base.moveBounds
    for (let left = stepBlocks; left > 0; left -= MOVE_PIECE_BLOCKS) {
      const { head } = this.#pointers
      const stop = await this.#resident(() => move.next(head, this.blocks, Math.min(left, MOVE_PIECE_BLOCKS)))
      await this.moveHead(stop)
      if (equalBytes(stop.hash, move.target.hash)) return true
      if (this.stage.size >= MAX_RUN_KEYS) break
    }
    return false
  }

  setPointers(pointers: Partial<ChainPointers>): void {
    this.#pointers = { ...this.#pointers, ...pointers }
  }

  /** Makes a block without parent the head; all other blocks have been removed. */
  adoptGenesis(genesis: StoredHeader): void {
    putCanonical(this.stage, genesis, [])
    this.blocks.rememberHeader(genesis)
    this.#pointers = { head: genesis, safe: undefined, finalized: undefined }
  }

  /** Stages the writes of the batch as a whole. */
  finish(): void {
    const before = this.#base.pointers
    for (const name of POINTER_NAMES) {
      const block = this.#pointers[name]
      if (block === before[name]) continue
      if (block === undefined) this.stage.delete(keys.meta(name))
      else this.stage.put(keys.meta(name), block.hash)
    }
    if (this.#stateVersion !== undefined) this.stage.put(keys.meta('stateVersion'), encodeNumber(this.#stateVersion))
  }

  #store(
    prepared: PreparedBlock,
    parent: StoredHeader,
    { state, receipts, parentReads }: Pick<ExecutedBlock, 'state' | 'receipts' | 'parentReads'>,
  ): StoredHeader {
    const { hash, block } = prepared
    const version = this.nextVersion()
    const stateRoot = state.persist({
      version,
      stage: this.stage,
      block: { number: Number(block.header.number), hash },
    })
    const stored = this.#storedHeader(prepared, parent, stateRoot)
    this.#stageBlock(prepared, stored, receipts, parentReads, state.knownAccounts())
    return stored
  }

  #storedHeader({ block, hash, rlp }: PreparedBlock, parent: StoredHeader, stateRoot: StateRoot): StoredHeader {
    const totalDifficulty = parent.totalDifficulty + block.header.difficulty
    return { header: block.header, hash, totalDifficulty, stateRoot, size: rlp.length, dev: parent.dev }
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

  #moveHead(target: StoredHeader): void {
    const { removed, added } = pathBetween(this.#pointers.head, target, this.blocks)
    const lowest = removed.at(-1)
    if (lowest !== undefined) this.stageAll(retreat(this.stage, Number(lowest.header.number)))
    for (const block of removed) removeCanonical(this.stage, block, this.#transactionHashes(block))
    for (const block of added) putCanonical(this.stage, block, this.#transactionHashes(block))
    const isWhole = [...removed, ...added, target].every(({ stateRoot }) => stateRoot.isMissing !== true)
    // Without the states, the flat view remains at its current state, for which it stays correct.
    if (isWhole) {
      this.#modules.states.moveFlat(this.stage, removed.map(blockId), added.map(blockId), target.stateRoot)
    }
    this.#pointers = {
      head: target,
      safe: this.#stillCanonical(this.#pointers.safe),
      finalized: this.#stillCanonical(this.#pointers.finalized),
    }
  }

  stageAll(mutations: readonly Mutation[]): void {
    for (const { key, value } of mutations) {
      if (value === undefined) this.stage.delete(key)
      else this.stage.put(key, value)
    }
  }

  /** Version for trie nodes; never reused, even if the work is repeated. */
  nextVersion(): number {
    this.#stateVersion = this.#base.nextVersion()
    return this.#stateVersion
  }

  async #putDevAmendment({ header, hash }: StoredHeader, amendment: DevAmendment): Promise<void> {
    const encoded = encodeDevAmendment(amendment)
    await this.#resident(() => putDevAmendment(this.stage, Number(header.number), hash, encoded))
  }

  #replaceHead(head: StoredHeader): void {
    const { safe, finalized } = this.#pointers
    const replaced = (block: StoredHeader | undefined): StoredHeader | undefined =>
      block !== undefined && equalBytes(block.hash, head.hash) ? head : block
    this.blocks.rememberHeader(head)
    this.#pointers = { head, safe: replaced(safe), finalized: replaced(finalized) }
  }

  #genesisCheckpoint(): ChainCheckpoint {
    const genesis = this.blocks.headerByNumber(0)
    if (genesis === undefined) throw corrupt('it has no genesis block')
    return genesisCheckpoint(genesis, this.blocks.sealedRoot(genesis))
  }

  async #considerAsHead(candidate: StoredHeader, mayBecomeHead: boolean): Promise<boolean> {
    if (equalBytes(candidate.hash, this.#pointers.head.hash)) return true
    if (!mayBecomeHead || !(await this.#resident(() => this.#becomesHead(candidate)))) return false
    if (!equalBytes(candidate.header.parentHash, this.#pointers.head.hash)) {
      const { move, isFar } = await this.planMove(candidate)
      if (isFar) this.#farMove = move
      if (isFar) return true
    }
    await this.moveHead(candidate)
    return true
  }

  #becomesHead(candidate: StoredHeader): boolean {
    return becomesHead(candidate, this.#pointers.head, this.#modules.consensus, this.blocks)
  }

  #finalRival({ block, hash }: PreparedBlock): string | undefined {
    return checkFinality(block.header, hash, this.blocks, this.#modules.consensus)
  }

  #resident<T>(work: () => T): MaybePromise<T> {
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

/** Whether a block that was executed on one of the parents is also valid on the other. */
function isSameParent(a: StoredHeader, b: StoredHeader): boolean {
  return isSameRoot(a.stateRoot, b.stateRoot) && isSameEnvironment(a.dev, b.dev)
}

function blockId({ header, hash }: StoredHeader): { readonly number: number; readonly hash: Uint8Array } {
  return { number: Number(header.number), hash }
}
