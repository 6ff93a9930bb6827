import type { ExecutionHooks } from '../../evm/hooks.ts'
import { hashedInput } from '../debug/hashedInput.ts'
import type { Preimages } from './preimages.ts'

const KECCAK256 = 0x20

/** Hooks that note what an execution hashes. */
export function preimageHooks(preimages: Preimages): Pick<ExecutionHooks, 'opcodes' | 'step'> {
  const opcodes = new Uint8Array(256)
  opcodes[KECCAK256] = 1
  return {
    opcodes,
    step: (frame) => {
      const input = hashedInput(frame)
      if (input !== undefined) preimages.add(input)
    },
  }
}
