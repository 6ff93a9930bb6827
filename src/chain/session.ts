/**
 * One batch under construction: blocks executed on top of each other and moves of the head, staged until they are
 * committed together. Dropping a session leaves no trace.
 * @module
 */

import { MAX_RUN_BLOCKS, MAX_RUN_BYTES, MAX_RUN_KEYS } from '../config/limits.ts'
import type { KeyValueReader } from '../ports/keyValueStore.ts'
import { bytesToHex } from '../primitives/bytes.ts'
import { runResident } from '../storage/runResident.ts'
import { keys } from '../storage/schema.ts'
import { StagedStore } from '../storage/stagedStore.ts'
import { type ExecutionModules, type Processed, processBlock } from './blockProcessor.ts'
import { corrupt, encodeNumber } from './blockRecord.ts'
import { BlockStore, type PointerName, type StoredHeader } from './blockStore.ts'
import { putBlock, putCanonical, removeCanonical } from './blockWrites.ts'
import type { ImportOptions, ImportOutcome } from './contract.ts'
import { becomesHead, pathBetween } from './headRule.ts'
import { encodedBlock, type PreparedBlock, withSenders } from './preparedBlock.ts'
import { isFutureHeader } from './validation/headerRules.ts'

/** The blocks that the chain points at. */
export interface ChainPointers {
  readonly head: StoredHeader
  readonly safe: StoredHeader | undefined
  readonly finalized: StoredHeader | undefined
}

const POINTER_NAMES: readonly PointerName[] = ['head', 'safe', 'finalized']

export interface SessionBase {
  readonly kv: KeyValueReader
  readonly blocks: BlockStore
  readonly pointers: ChainPointers
  /** Next version to write trie nodes with; versions are never given twice, not even after a session was dropped. */
  nextVersion(): number
}

export class WriteSession {
  readonly stage: StagedStore
  /** Sees what is staged. */
  readonly blocks: BlockStore
  readonly #base: SessionBase
  readonly #modules: ExecutionModules
  #pointers: ChainPointers
  #stateVersion: number | undefined
  #blockCount = 0
  #blockBytes = 0

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

  get isFull(): boolean {
    return this.#blockCount >= MAX_RUN_BLOCKS || this.#blockBytes >= MAX_RUN_BYTES || this.stage.size >= MAX_RUN_KEYS
  }

  /** Checks, executes and stages a block; it becomes the head by the rule of its consensus. */
  async importBlock(prepared: PreparedBlock, options: ImportOptions, nowMs: number): Promise<ImportOutcome> {
    const { hash, block } = prepared
    const { number, parentHash, timestamp } = block.header
    const mayBecomeHead = options.mayBecomeHead ?? true
    const [known, parent] = await this.#resident(
      () => [this.blocks.header(hash), this.blocks.header(parentHash)] as const,
    )
    if (known !== undefined) return { kind: 'known', block: known, isHead: await this.#offer(known, mayBecomeHead) }
    if (parent === undefined) return { kind: 'unknownParent', hash, number, parentHash }
    if (!this.#modules.config.isProofOfStake(block.header) && isFutureHeader(block.header, nowMs))
      return { kind: 'future', hash, number, timestamp }

    const place = { parent, blocks: this.blocks, stage: this.stage, verifySeal: options.verifySeal ?? true }
    const processed = await processBlock(prepared, place, this.#modules)
    if (processed.kind === 'invalid') return { kind: 'invalid', hash, number, reason: processed.reason }
    const stored = await this.#resident(() => this.#store(prepared, parent, processed))
    return { kind: 'imported', block: stored, isHead: await this.#offer(stored, mayBecomeHead) }
  }

  /** Checks and executes a stored block once more; the head is not moved and nothing is written. */
  async verifyAgain({ hash, header }: StoredHeader, parent: StoredHeader): Promise<string | undefined> {
    const [body, transactions] = await this.#resident(
      () => [this.blocks.body(hash), this.blocks.transactionKeys(hash)] as const,
    )
    if (body === undefined || transactions === undefined) throw corrupt(`block ${bytesToHex(hash)} is incomplete`)
    const prepared = withSenders(encodedBlock({ header, ...body }), transactions.senders, transactions.hashes)
    // The seal was accepted, or deliberately not looked at, when the block came in.
    const place = { parent, blocks: this.blocks, stage: this.stage, verifySeal: false }
    const processed = await processBlock(prepared, place, this.#modules)
    return processed.kind === 'invalid' ? processed.reason : undefined
  }

  /**
   * Makes a stored block the head, whatever the branches: the canonical index, the transaction index and the flat view
   * follow. Pointers to blocks that are canonical no more are taken away.
   */
  moveHead(target: StoredHeader): Promise<void> {
    return this.#resident(() => this.#moveHead(target))
  }

  setPointers(pointers: Partial<Pick<ChainPointers, 'safe' | 'finalized'>>): void {
    this.#pointers = { ...this.#pointers, ...pointers }
  }

  /** Stages what belongs to the batch as a whole. */
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
    { state, receipts }: Extract<Processed, { kind: 'valid' }>,
  ): StoredHeader {
    const { hash, block } = prepared
    const version = this.#base.nextVersion()
    const stateRoot = state.commit({ version, stage: this.stage, block: { number: Number(block.header.number), hash } })
    this.#stateVersion = version
    const stored: StoredHeader = {
      header: block.header,
      hash,
      totalDifficulty: parent.totalDifficulty + block.header.difficulty,
      stateRoot,
      size: prepared.rlp.length,
    }
    putBlock(this.stage, prepared, stored, receipts)
    this.blocks.remember(stored, block, prepared.transactions, receipts)
    this.#blockCount++
    this.#blockBytes += stored.size
    return stored
  }

  #moveHead(target: StoredHeader): void {
    const { removed, added } = pathBetween(this.#pointers.head, target, this.blocks)
    for (const block of removed) removeCanonical(this.stage, block, this.#transactionHashes(block))
    for (const block of added) putCanonical(this.stage, block, this.#transactionHashes(block))
    const undo = removed.map(blockId)
    const redo = added.map(blockId)
    this.#modules.states.moveFlat(this.stage, undo, redo, target.stateRoot)
    this.#pointers = {
      head: target,
      safe: this.#stillCanonical(this.#pointers.safe),
      finalized: this.#stillCanonical(this.#pointers.finalized),
    }
  }

  async #offer(candidate: StoredHeader, mayBecomeHead: boolean): Promise<boolean> {
    if (!mayBecomeHead || !becomesHead(candidate, this.#pointers.head, this.#modules.config)) return false
    await this.moveHead(candidate)
    return true
  }

  #resident<T>(work: () => T): Promise<T> {
    return runResident(work, this.#modules.residency)
  }

  #transactionHashes({ hash }: StoredHeader): readonly Uint8Array[] {
    return this.blocks.transactionKeys(hash)?.hashes ?? []
  }

  #stillCanonical(block: StoredHeader | undefined): StoredHeader | undefined {
    return block !== undefined && this.blocks.isCanonical(block.hash) ? block : undefined
  }
}

function blockId({ header, hash }: StoredHeader): { readonly number: number; readonly hash: Uint8Array } {
  return { number: Number(header.number), hash }
}
