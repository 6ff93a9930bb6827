import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'
import type { ExecutionHooks, FrameView } from '../../../../src/evm/hooks.ts'
import { opcodeName } from '../../../support/evm/evmCode.ts'
import { HookRecorder } from '../../../support/evm/hookRecorder.ts'

/** Number of bytes of memory and return data that are compared. */
const SEEN_BYTES = 4096

/** Records everything that hooks are given: the lines of HookRecorder, and another one for each view of a frame. */
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
        // After a halt, the size of the memory is unspecified.
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
