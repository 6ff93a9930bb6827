/**
 * A restorable position of the dev chain: a block, and the state after it including amendments. Nothing is copied:
 * state nodes are immutable.
 * @module
 */
import { NodeError } from '../../base/primitives/errors.ts'
import type { StateRoot } from '../../state/contract.ts'
import type { StateStore } from '../../state/stateStore.ts'
import { keys } from '../../storage/schema.ts'
import type { StagedStore } from '../../storage/stagedStore.ts'
import type { StoredHeader } from '../blockStore.ts'
import { putDevAmendment } from '../blockWrites.ts'

export interface ChainCheckpoint {
  readonly block: StoredHeader
  /** Records of the block at that time: its state diff and its amendment. */
  readonly diff: Uint8Array | undefined
  readonly amendment: Uint8Array | undefined
}

export function takeCheckpoint(block: StoredHeader, stage: StagedStore): ChainCheckpoint {
  const number = Number(block.header.number)
  const [diff, amendment] = stage.getMany([keys.reverseDiff(number, block.hash), keys.devAmendment(number, block.hash)])
  return { block, diff, amendment }
}

/** The original genesis block. */
export function genesisCheckpoint(genesis: StoredHeader, stateRoot: StateRoot): ChainCheckpoint {
  return { block: { ...genesis, stateRoot, dev: undefined }, diff: undefined, amendment: undefined }
}

/**
 * Restores the records of a block, which already is the head, and the flat view.
 * @throws {NodeError} STATE_DAMAGED when the flat view cannot follow
 * @throws {StoreMiss} before anything is staged
 */
export function restoreRecords(
  { block, diff, amendment }: ChainCheckpoint,
  current: StoredHeader,
  stage: StagedStore,
  states: StateStore,
): void {
  const number = Number(block.header.number)
  const id = { number, hash: block.hash }
  // putDevAmendment reads this at the end: a store miss must precede all staging.
  stage.get(keys.blockRecord(number, block.hash))
  // The genesis block has no diff until it is amended.
  const isChanged = stage.get(keys.reverseDiff(number, block.hash)) !== undefined
  if (isChanged) follow(states.moveFlat(stage, [id], [], states.rootBefore(stage, id)))
  if (diff === undefined) stage.delete(keys.reverseDiff(number, block.hash))
  else {
    stage.put(keys.reverseDiff(number, block.hash), diff)
    follow(states.moveFlat(stage, [], [id], block.stateRoot))
  }
  putDevAmendment(stage, number, block.hash, amendment)

  function follow(moved: boolean): void {
    if (moved) return
    const message = `the state after block ${current.header.number} cannot be reverted`
    throw new NodeError({ code: 'STATE_DAMAGED' }, message)
  }
}
