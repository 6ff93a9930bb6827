import type { FrameView } from '../../evm/hooks.ts'
import { WORD } from '../layout/solidityType.ts'
import { wordNumber } from './innerCalls.ts'

/** Longer inputs are not slots of mappings with usual keys. */
const MAX_HASHED = 512

/** The input of a KECCAK256 that may derive a slot, a copy. */
export function hashedInput(frame: FrameView): Uint8Array | undefined {
  const start = wordNumber(frame, 0)
  const length = wordNumber(frame, 1)
  if (start === undefined || length === undefined || length < WORD || length > MAX_HASHED) return undefined
  // Memory that has not been used yet is zero.
  const input = new Uint8Array(length)
  input.set(frame.memory.subarray(start, start + length))
  return input
}
