/**
 * Moves of the flat view over stored blocks.
 * @module
 */
import { MAX_FLAT_UNWIND_BLOCKS } from '../config/limits.ts'
import type { KeyValueReader } from '../ports/keyValueStore.ts'
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
  type StateDiff,
} from './stateDiff.ts'
import type { StateStage } from './stateStage.ts'

/** A diff to apply, and which side of it. It is decoded when its turn comes: decoded ones take several times as much. */
interface Step {
  readonly bytes: Uint8Array
  readonly ends: DiffEnds
  readonly side: 'before' | 'after'
}

export interface FlatMove {
  /** Blocks to leave, newest first. */
  readonly undo: readonly BlockId[]
  /** Blocks to enter, oldest first. */
  readonly redo: readonly BlockId[]
  readonly newRoot: StateRoot
}

/** @throws {NodeError} MISSING_STATE_DIFF */
export function readStateDiff(reader: KeyValueReader, block: BlockId): StateDiff {
  return decodeStateDiff(diffBytes(reader, block))
}

/** The states that a block leads from and to. @throws {NodeError} MISSING_STATE_DIFF */
export function readDiffEnds(reader: KeyValueReader, block: BlockId): DiffEnds {
  return decodeDiffEnds(diffBytes(reader, block))
}

function diffBytes(reader: KeyValueReader, block: BlockId): Uint8Array {
  const bytes = reader.get(keys.reverseDiff(block.number, block.hash))
  if (bytes === undefined) throw missingStateDiff(block.number, block.hash)
  return bytes
}

/**
 * Moves the flat view from wherever it stands to `newRoot`. Side blocks that it has followed are left first.
 * @returns false when there is no way; the view then stays where it is, and states at the head are read from the trie
 * @throws {StoreMiss} before anything was staged
 */
export function moveFlatView(context: StateContext, stage: StateStage, move: FlatMove): boolean {
  const { flat } = context
  if (isSameRoot(flat.root, move.newRoot)) return true
  const steps = stepsOf(stage, flat, move)
  if (steps === undefined) return false
  for (const { bytes, side } of steps) applyDiff(decodeStateDiff(bytes), side, stage)
  const position = { root: move.newRoot, block: move.redo.at(-1) ?? steps.at(-1)?.ends.parent.block }
  stage.put(keys.meta('flatRoot'), encodePosition(position))
  context.moveFlat(position)
  return true
}

function stepsOf(reader: KeyValueReader, flat: FlatPosition, { undo, redo, newRoot }: FlatMove): Step[] | undefined {
  const path: Step[] = [
    ...undo.map((block) => readStep(reader, block, 'before')),
    ...redo.map((block) => readStep(reader, block, 'after')),
  ]
  const [first] = path
  if (first === undefined) return undefined
  const states = [sourceOf(first), ...path.map(targetOf)]
  const isPath = path.every((step, i) => isSameRoot(sourceOf(step), states[i] as StateRoot))
  if (!isPath || !isSameRoot(states.at(-1) as StateRoot, newRoot)) return undefined
  return joinPath(reader, flat, states, path)
}

/** The way back from where the flat view stands to a state on the path, and on from there. */
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
    back.push(step)
    at = step.ends.parent
  }
}

function readStep(reader: KeyValueReader, block: BlockId, side: Step['side']): Step {
  const bytes = diffBytes(reader, block)
  return { bytes, ends: decodeDiffEnds(bytes), side }
}

function targetOf({ ends, side }: Step): StateRoot {
  return side === 'after' ? ends.root : ends.parent.root
}

function sourceOf({ ends, side }: Step): StateRoot {
  return side === 'after' ? ends.parent.root : ends.root
}
