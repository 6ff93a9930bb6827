import type { ExecutionHooks, FrameView } from '../../../src/evm/hooks.ts'
import { bytesToHex } from '../../../src/primitives/bytes.ts'
import { opcodeName } from '../../support/evmCode.ts'
import { HookRecorder } from '../../support/hookRecorder.ts'

/** Bytes of memory and return data that count. */
const SEEN_BYTES = 4096

/** Writes down all that hooks are told and shown: the lines of HookRecorder, and one more for each look at a frame. */
export class ViewRecorder {
  readonly #recorder = new HookRecorder()

  get lines(): readonly string[] {
    return this.#recorder.lines
  }

  get hooks(): ExecutionHooks {
    const { lines } = this.#recorder
    const { hooks } = this.#recorder
    return {
      ...hooks,
      step: (frame) => {
        hooks.step?.(frame)
        lines.push(`step ${viewLine(frame)}${memoryPart(frame)}`)
      },
      stepEnd: (frame, cost, forwarded, halt) => {
        hooks.stepEnd?.(frame, cost, forwarded, halt)
        // Whether the memory of a frame that halts has grown is nobody's business.
        lines.push(`after ${viewLine(frame)}${halt === undefined ? memoryPart(frame) : ''}`)
      },
    }
  }
}

function viewLine(frame: FrameView): string {
  const { depth, pc, opcode, gas, refund, address, target, code, stackSize, stack, returnData } = frame
  const top = bytesToHex(stack.slice(-32).reverse()).replace(/^0x0*(?=.)/, '')
  const place = `${depth} ${pc} ${opcodeName(opcode)} of ${code.length} in ${bytesToHex(address)} ${bytesToHex(target)}`
  const returned = `returned ${returnData.length} ${digest(returnData)}`
  return `${place}: gas ${gas}, refund ${refund}, stack ${stackSize} ${digest(stack)} ${top}, ${returned}`
}

function memoryPart({ memory }: FrameView): string {
  return `, memory ${memory.length} ${digest(memory)}`
}

/** FNV-1a */
function digest(bytes: Uint8Array): string {
  let hash = 0x811c9dc5
  const end = Math.min(bytes.length, SEEN_BYTES)
  for (let i = 0; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193)
  return (hash >>> 0).toString(16)
}
