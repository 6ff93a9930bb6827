/**
 * A restorable position of the dev chain: a block, and the state after it including amendments. Nothing is copied:
 * state nodes are immutable.
 * @module
 */

import { bytesToHex } from '../../base/primitives/bytes.ts'
import { requireState } from '../../state/errors.ts'
import { keys } from '../../storage/schema.ts'
import type { StagedStore } from '../../storage/stagedStore.ts'
import { corrupt } from '../blockRecord.ts'
import type { BlockStore } from '../blockStore.ts'
import type { StoredHeader } from '../blockTables.ts'
import { putDevAmendment } from '../blockWrites.ts'
import type { WriteTask } from '../writeTask.ts'

export interface ChainCheckpoint {
  readonly block: StoredHeader
  /** Records of the block at that time: its state diff and its amendment. */
  readonly diff: Uint8Array | undefined
  readonly amendment: Uint8Array | undefined
}

export function takeCheckpoint(block: StoredHeader, stage: StagedStore): ChainCheckpoint {
  const number = Number(block.header.number)
  const [diff, amendment] = stage.getMany([keys.stateDiff(number, block.hash), keys.devAmendment(number, block.hash)])
  return { block, diff, amendment }
}

/** Stages the return to a checkpoint of this chain; undefined: the original genesis block. One batch, at any depth. */
export async function restoreCheckpoint(task: WriteTask, checkpoint: ChainCheckpoint | undefined): Promise<void> {
  const point = checkpoint ?? (await task.resident(() => genesisCheckpoint(task.blocks)))
  const current = await task.resident(() => task.blocks.header(point.block.hash))
  if (current === undefined) throw corrupt(`block ${bytesToHex(point.block.hash)} is missing`)
  await task.stageHead(current)
  await task.resident(() => restoreRecords(point, task))
  task.replaceHead(point.block)
}

function genesisCheckpoint(blocks: BlockStore): ChainCheckpoint {
  const { genesis } = blocks
  if (genesis === undefined) throw corrupt('it has no genesis block')
  const stateRoot = blocks.sealedRoot(genesis)
  return { block: { ...genesis, stateRoot, dev: undefined }, diff: undefined, amendment: undefined }
}

/**
 * Restores the records of a block, which already is the head, and the flat view.
 * @throws {StoreMiss} before anything is staged
 */
function restoreRecords({ block, diff, amendment }: ChainCheckpoint, task: WriteTask): void {
  const { stage } = task
  const number = Number(block.header.number)
  const id = { number, hash: block.hash }
  // putDevAmendment reads this at the end: a store miss must precede all staging.
  stage.get(keys.blockRecord(number, block.hash))
  // The genesis block has no diff until it is amended.
  const isChanged = stage.get(keys.stateDiff(number, block.hash)) !== undefined
  if (isChanged) task.moveFlat([id], [], task.base.modules.states.rootBefore(stage, id))
  if (diff === undefined) stage.delete(keys.stateDiff(number, block.hash))
  else {
    stage.put(keys.stateDiff(number, block.hash), diff)
    task.moveFlat([], [id], requireState(block.stateRoot))
  }
  putDevAmendment(stage, number, block.hash, amendment)
}
