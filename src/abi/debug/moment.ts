/**
 * A moment of an execution: what a debugger needs of the running frame, copied, because the hooks reuse their objects.
 * @module
 */
import type { FrameView } from '../../evm/hooks.ts'
import { WORD } from '../layout/solidityType.ts'
import type { DebugCode } from './debugContract.ts'
import type { DebugRecorder, OpenCall } from './debugRecorder.ts'

/** An open call at a moment. */
export interface MomentFrame {
  readonly call: OpenCall
  readonly code: DebugCode | undefined
  /** Of the next instruction, or of the one that made the call above. */
  readonly pc: number
  /** Bottom first, 32 bytes each, little-endian as in the hooks. */
  readonly stack: Uint8Array
  readonly stackSize: number
  /** undefined when it is too large. */
  readonly memory: Uint8Array | undefined
}

/** Larger memory is not copied. */
const MAX_MEMORY = 4_194_304

/** @returns innermost first */
export function framesAt(recorder: DebugRecorder, frame: FrameView): MomentFrame[] {
  const code = recorder.codeAt(frame)
  const innermost = recorder.open.at(-1)
  return [...recorder.open].reverse().map((call) => {
    const suspended = { pc: call.pc, stack: call.words, stackSize: call.words.length / WORD, memory: call.memory }
    if (call !== innermost) return { call: copyOf(call), code: call.code, ...suspended }
    const { pc, stackSize } = frame
    const stack = frame.stack.slice(0, stackSize * WORD)
    return { call: copyOf(call), code, pc, stack, stackSize, memory: memoryOf(frame) }
  })
}

function memoryOf({ memory }: FrameView): Uint8Array | undefined {
  return memory.length > MAX_MEMORY ? undefined : memory.slice()
}

/** The recorder may go on. */
function copyOf(call: OpenCall): OpenCall {
  return { ...call, inner: [...call.inner] }
}
