/**
 * Calls of functions within a code, which are jumps that the source map marks.
 * @module
 */
import type { FrameView } from '../../evm/hooks.ts'
import { WORD } from '../layout/solidityType.ts'
import type { JumpKind } from '../source/sourceMap.ts'

/** A function of the source that was entered by a jump. */
export interface InnerCall {
  /** Position of the jump. */
  readonly pc: number
  /** Position that it jumped to. */
  readonly entry: number
  /** Words on the stack at the entry. */
  readonly height: number
}

/** The stack of the EVM allows fewer. */
const MAX_INNER = 1_024
const NUMBER_BYTES = 4

/** @param inner outermost first; changed */
export function followJump(inner: InnerCall[], kind: JumpKind | undefined, frame: FrameView): void {
  const { pc, stackSize } = frame
  if (kind === undefined || kind === 'other' || stackSize === 0) return
  const target = wordNumber(frame, 0) ?? -1
  if (kind === 'in') {
    if (inner.length < MAX_INNER) inner.push({ pc, entry: target, height: stackSize - 1 })
    return
  }
  // Optimised code may leave several functions with one jump.
  const left = inner.findLastIndex((call) => call.pc + 1 === target)
  inner.length = left === -1 ? Math.max(0, inner.length - 1) : left
}

/** A word of the stack that is less than 2^32. @param depth 0 for the top */
export function wordNumber({ stack, stackSize }: FrameView, depth: number): number | undefined {
  const at = (stackSize - 1 - depth) * WORD
  if (at < 0) return undefined
  for (let i = NUMBER_BYTES; i < WORD; i++) if (stack[at + i] !== 0) return undefined
  const high = (stack[at + 3] as number) * 2 ** 24
  return high + (stack[at] as number) + ((stack[at + 1] as number) << 8) + ((stack[at + 2] as number) << 16)
}
