import type { FrameView } from '../../evm/hooks.ts'
import { WORD } from '../layout/solidityType.ts'

/** A word of a stack as the hooks give it. @param index from the bottom @returns 32 bytes, big-endian, a copy */
export function wordAt({ stack }: Pick<FrameView, 'stack'>, index: number): Uint8Array {
  return stack.slice(index * WORD, (index + 1) * WORD).reverse()
}
