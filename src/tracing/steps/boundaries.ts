/** The opcodes with which calls begin and end, so that a few steps tell where each did. */
import type { CallEnd, FrameView } from '../../evm/hooks.ts'
import { isCall, isCreate } from '../structLog/opcodes.ts'
import type { StepCall, StepPosition } from './contract.ts'

const ENDS: readonly number[] = [0x00, 0xf3, 0xfd, 0xfe, 0xff]

/** 256 flags: STOP, RETURN, REVERT, INVALID, SELFDESTRUCT, and all that call or create. */
export const BOUNDARY_OPCODES: Uint8Array = Uint8Array.from({ length: 256 }, (_, opcode) =>
  isCall(opcode) || isCreate(opcode) || ENDS.includes(opcode) ? 1 : 0,
)

/** Remembers the last step that was seen, and finds the last step that has begun at a boundary. */
export class LastStep {
  #index = -1
  #pc = 0
  #opcode = 0

  see(index: number, { pc, opcode }: FrameView): void {
    this.#index = index
    this.#pc = pc
    this.#opcode = opcode
  }

  /**
   * The step that began a call. @param index number of steps that have begun, minus one
   * @returns undefined when no step has begun
   */
  atBegin(index: number, caller: StepCall | undefined): StepPosition | undefined {
    if (caller === undefined || index !== this.#index) return undefined
    return { index, pc: this.#pc, opcode: this.#opcode, depth: caller.start.depth, call: caller.id }
  }

  /** The step that ended a call: its last one, or the one that called it when it ran no code. */
  atEnd(index: number, call: StepCall, { haltPlace }: CallEnd): StepPosition | undefined {
    const own = index >= call.firstStep ? call : call.parent
    if (own === undefined) return undefined
    // A frame halts at any opcode; the event then names it.
    const place = own === call ? haltPlace : undefined
    if (place === undefined && index !== this.#index) return undefined
    const { pc, opcode } = place ?? { pc: this.#pc, opcode: this.#opcode }
    return { index, pc, opcode, depth: own.start.depth, call: own.id }
  }
}
