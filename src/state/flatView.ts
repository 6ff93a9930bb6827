/**
 * Moves the flat view over stored blocks.
 * @module
 */
import { MAX_FLAT_UNWIND_BLOCKS } from '../base/limits/limits.ts'
import type { KeyValueReader } from '../base/ports/keyValueStore.ts'
import { keys } from '../storage/schema.ts'
import type { StateRoot } from './contract.ts'
import { missingStateDiff } from './errors.ts'
import { isSameRoot, type StateContext } from './stateContext.ts'
import {
  applyDiff,
  type BlockId,
  type DiffEnds,
  decodeDiffEnds,
  decodeStateDiff,
  encodePosition,
  type FlatPosition,
  isErasedWhole,
  type StateDiff,
} from './stateDiff.ts'
import type { StateStage } from './stateStage.ts'

/**
 * One side of a diff to apply. It is decoded only when it is applied, because decoded diffs take several times the
 * memory.
 */
interface Step {
  readonly block: BlockId
  readonly bytes: Uint8Array
  readonly ends: DiffEnds
  readonly side: 'before' | 'after'
}

export interface FlatMove {
  /** Blocks to revert, newest first. */
  readonly undo: readonly BlockId[]
  /** Blocks to apply, oldest first. */
  readonly redo: readonly BlockId[]
  readonly newRoot: StateRoot
}

/** @throws {NodeError} MISSING_STATE_DIFF */
export function readStateDiff(reader: KeyValueReader, block: BlockId): StateDiff {
  return decodeStateDiff(diffBytes(reader, block))
}

/** The states before and after a block. @throws {NodeError} MISSING_STATE_DIFF */
export function readDiffEnds(reader: KeyValueReader, block: BlockId): DiffEnds {
  return decodeDiffEnds(diffBytes(reader, block))
}

function diffBytes(reader: KeyValueReader, block: BlockId): Uint8Array {
  const bytes = reader.get(keys.stateDiff(block.number, block.hash))
  if (bytes === undefined) throw missingStateDiff(block.number, block.hash)
  return bytes
}

/**
 * Moves the flat view from its current position to `newRoot`. Side blocks that it has followed are reverted first.
 * @returns false when no path of diffs exists; the flat view then remains unchanged, and states at the head are read
 *   from the trie
 * @throws {StoreMiss} before anything was staged
 */
export function moveFlatView(context: StateContext, stage: StateStage, move: FlatMove): boolean {
  const { flat } = context
  if (isSameRoot(flat.root, move.newRoot)) return true
  if (isUnset(flat)) return false
  const steps = stepsOf(stage, flat, move)
  if (steps === undefined || !steps.every((step) => isPassable(stage, step))) return false
  for (const { block, bytes, side } of steps) applyDiff(decodeStateDiff(bytes), side, block.number, stage)
  const position = { root: move.newRoot, block: move.redo.at(-1) ?? steps.at(-1)?.ends.parent.block }
  setFlatPosition(context, stage, position)
  return true
}

/** The position of a flat view that has to be built again. */
const UNSET: FlatPosition = { root: { hash: new Uint8Array(32), version: 0 }, block: undefined }

export function isUnset({ root }: FlatPosition): boolean {
  return isSameRoot(root, UNSET.root)
}

/** Gives up the flat view, without a read: all states are then read from the trie. */
export function dropFlatView(context: StateContext, stage: StateStage): void {
  setFlatPosition(context, stage, UNSET)
}

/** @param position of the entries that the store and the stage hold */
export function setFlatPosition(context: StateContext, stage: StateStage, position: FlatPosition): void {
  stage.put(keys.meta('flatRoot'), encodePosition(position))
  context.moveFlat(position)
}

function stepsOf(reader: KeyValueReader, flat: FlatPosition, { undo, redo, newRoot }: FlatMove): Step[] | undefined {
  const path: Step[] = []
  for (const [blocks, side] of [
    [undo, 'before'],
    [redo, 'after'],
  ] as const) {
    for (const block of blocks) {
      const step = readStep(reader, block, side)
      if (step === undefined) return undefined
      path.push(step)
    }
  }
  const [first] = path
  if (first === undefined) return undefined
  const states = [sourceOf(first), ...path.map(targetOf)]
  const isPath = path.every((step, i) => isSameRoot(sourceOf(step), states[i] as StateRoot))
  if (!isPath || !isSameRoot(states.at(-1) as StateRoot, newRoot)) return undefined
  return joinPath(reader, flat, states, path)
}

/** The steps back from the position of the flat view to a state on the path, and forward from there. */
function joinPath(
  reader: KeyValueReader,
  flat: FlatPosition,
  states: readonly StateRoot[],
  path: readonly Step[],
): Step[] | undefined {
  const back: Step[] = []
  for (let at = flat; ; ) {
    const { root } = at
    const joined = states.findLastIndex((state) => isSameRoot(state, root))
    if (joined >= 0) return [...back, ...path.slice(joined)]
    if (at.block === undefined || back.length >= MAX_FLAT_UNWIND_BLOCKS) return undefined
    const step = readStep(reader, at.block, 'before')
    if (step === undefined) return undefined
    back.push(step)
    at = step.ends.parent
  }
}

/** @returns undefined when the diff is not stored */
function readStep(reader: KeyValueReader, block: BlockId, side: Step['side']): Step | undefined {
  const bytes = reader.get(keys.stateDiff(block.number, block.hash))
  return bytes && { block, bytes, ends: decodeDiffEnds(bytes), side }
}

/** Whether the flat view has what a step back over a block needs: the storages that the block erased. */
function isPassable(reader: KeyValueReader, { block, ends, side }: Step): boolean {
  if (side === 'after') return true
  return ends.left.every(({ owner, incarnation, isErased }) => {
    return !isErased || isErasedWhole(reader.get(keys.erasedStorage(block.number, owner, incarnation)))
  })
}

function targetOf({ ends, side }: Step): StateRoot {
  return side === 'after' ? ends.root : ends.parent.root
}

function sourceOf({ ends, side }: Step): StateRoot {
  return side === 'after' ? ends.parent.root : ends.root
}
