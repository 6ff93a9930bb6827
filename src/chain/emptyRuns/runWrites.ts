/**
 * Database writes of runs.
 * @module
 */

import { bytesToHex } from '../../base/primitives/bytes.ts'
import { encodeStateDiff } from '../../state/stateDiff.ts'
import { textToKey } from '../../storage/keyText.ts'
import { keys } from '../../storage/schema.ts'
import type { StagedStore } from '../../storage/stagedStore.ts'
import { encodeBody } from '../../types/blockCodec.ts'
import { encodeHeader } from '../../types/headerCodec.ts'
import { corrupt, encodeBlockRecord, encodeNumber } from '../blockRecord.ts'
import type { BlockStore } from '../blockStore.ts'
import type { StoredHeader } from '../blockTables.ts'
import type { BlockRun } from '../contract.ts'
import type { BranchPath, RunPiece } from '../headRule.ts'
import { encodeBlockTerms } from '../termIndex/blockTerms.ts'
import type { EmptyRun } from './emptyRun.ts'
import { encodeRunRecord, encodeStoredRun } from './runRecord.ts'
import { canonicalRuns, encodeCanonicalRun, encodeRunBlock, type RunMemory } from './runTables.ts'

/** Stores a run and lets its last block be found by its hash, since its child refers to it. */
export function putRun(stage: StagedStore, run: EmptyRun): void {
  const { record, state } = run.stored
  stage.put(keys.emptyRun(run.id), encodeStoredRun(state.version, encodeRunRecord(record)))
  stage.put(keys.meta('runs'), Uint8Array.of(1))
  putRunBlock(stage, run, run.last)
}

export function putRunBlock(stage: StagedStore, run: BlockRun, number: number): void {
  stage.put(keys.runBlock(run.hashOf(number)), encodeRunBlock({ number, runId: run.id }))
}

/** Adds the derived blocks that were read to the index. */
export function stagePendingBlocks(stage: StagedStore, { pending }: Pick<RunMemory, 'pending'>): void {
  for (const [name, block] of pending) stage.put(keys.runBlock(textToKey(name)), encodeRunBlock(block))
  pending.clear()
}

/** Makes derived blocks canonical. */
export function putPiece(stage: StagedStore, { run, first, last }: RunPiece): void {
  if (first <= last) stage.put(keys.canonicalRun(last), encodeCanonicalRun(first, run.id))
}

/** Removes derived blocks from the canonical chain. */
function removePiece(stage: StagedStore, { first, last }: Pick<RunPiece, 'first' | 'last'>): void {
  for (const piece of [...canonicalRuns(stage, first, last)]) {
    stage.delete(keys.canonicalRun(piece.last))
    if (piece.first < first) stage.put(keys.canonicalRun(first - 1), encodeCanonicalRun(piece.first, piece.id))
    if (piece.last > last) stage.put(keys.canonicalRun(piece.last), encodeCanonicalRun(last + 1, piece.id))
  }
}

/**
 * Moves the derived blocks of the canonical chain with the head.
 * @param head the new one, which is stored
 */
export function moveRuns(
  stage: StagedStore,
  path: Pick<BranchPath, 'removedRuns' | 'addedRuns'>,
  head: StoredHeader,
): void {
  for (const piece of path.removedRuns) removePiece(stage, piece)
  for (const piece of path.addedRuns) putPiece(stage, piece)
  if (head.run === undefined) return
  // It was derived until now.
  const number = Number(head.header.number)
  removePiece(stage, { first: number, last: number })
  stage.put(keys.canonicalHash(number), head.hash)
}

/** Stores a block that becomes the head, unless it is stored. @throws {StoreMiss} before anything is staged */
export function storeDerived(block: StoredHeader, blocks: BlockStore, stage: StagedStore): StoredHeader {
  if (block.run === undefined || block.run.isStored) return block
  const run = blocks.runs.byId(block.run.run.id)
  if (run === undefined) throw corrupt(`block ${bytesToHex(block.hash)} is missing`)
  const number = Number(block.header.number)
  putDerivedBlock(stage, run, number)
  const stored = { ...block, run: run.position(number, true) }
  blocks.rememberHeader(stored)
  return stored
}

/** Stores a derived block like any other one, so that it can be the head and be amended. */
function putDerivedBlock(stage: StagedStore, run: EmptyRun, number: number): void {
  const { header, hash, totalDifficulty, size } = run.header(number)
  const { state } = run.stored
  stage.put(keys.header(number, hash), encodeHeader(header))
  stage.put(keys.body(number, hash), encodeBody(run.body))
  stage.put(keys.numberByHash(hash), encodeNumber(number))
  const record = { totalDifficulty, stateVersion: state.version, size, isAmended: false, isInRun: true }
  stage.put(keys.blockRecord(number, hash), encodeBlockRecord(record))
  stage.put(keys.blockTerms(number, hash), encodeBlockTerms([], []))
  // The block changes nothing: the flat view passes it in both directions.
  const diff = { parent: { root: state, block: undefined }, root: state, accounts: [], left: [] }
  stage.put(keys.stateDiff(number, hash), encodeStateDiff(diff))
  putRunBlock(stage, run, number)
  if (number > run.first) putRunBlock(stage, run, number - 1)
}
