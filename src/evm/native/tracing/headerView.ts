import type { FrameView } from '../../hooks.ts'
import {
  FRAME_ADDRESS,
  FRAME_CODE,
  FRAME_CODE_LENGTH,
  FRAME_DEPTH,
  FRAME_GAS,
  FRAME_MEMORY,
  FRAME_MEMORY_LENGTH,
  FRAME_PC,
  FRAME_RETURN,
  FRAME_RETURN_LENGTH,
  FRAME_SP,
  FRAME_STACK,
  FRAME_TARGET,
  STATE_REFUND,
} from '../assembly/layout.ts'
import type { NativeInstance } from '../instance.ts'

const ADDRESS_BYTES = 20
const WORD_SHIFT = 5

/** A view of a frame header. Fields are read on access. */
export class HeaderView implements FrameView {
  readonly #instance: NativeInstance
  #frame = 0
  #gasAt = 0
  #gas: number | undefined
  /** Position and opcode of the step, kept after its end. */
  pc = 0
  opcode = 0

  constructor(instance: NativeInstance) {
    this.#instance = instance
  }

  /**
   * @param frame pointer to the header
   * @param gas replaces the header's value
   */
  show(frame: number, gas?: number): void {
    this.#frame = frame
    this.#gas = gas
    this.#gasAt = frame + FRAME_GAS
  }

  /** Shows the frame before the opcode at FRAME_PC. */
  beginStep(frame: number): void {
    const instance = this.#instance
    const pc = instance.u32(frame + FRAME_PC)
    this.show(frame)
    this.pc = pc
    this.opcode = instance.bytes[instance.u32(frame + FRAME_CODE) + pc] as number
  }

  get depth(): number {
    return this.#instance.u32(this.#frame + FRAME_DEPTH)
  }

  get gas(): number {
    return this.#gas ?? this.#signed(this.#gasAt)
  }

  get refund(): number {
    return this.#signed(STATE_REFUND)
  }

  get address(): Uint8Array {
    return this.#instance.view(this.#frame + FRAME_ADDRESS, ADDRESS_BYTES)
  }

  get target(): Uint8Array {
    return this.#instance.view(this.#frame + FRAME_TARGET, ADDRESS_BYTES)
  }

  get code(): Uint8Array {
    return this.#part(FRAME_CODE, FRAME_CODE_LENGTH)
  }

  get stackSize(): number {
    const frame = this.#frame
    return (this.#instance.u32(frame + FRAME_SP) - frame - FRAME_STACK) >> WORD_SHIFT
  }

  get stack(): Uint8Array {
    return this.#instance.view(this.#frame + FRAME_STACK, this.stackSize << WORD_SHIFT)
  }

  get memory(): Uint8Array {
    return this.#part(FRAME_MEMORY, FRAME_MEMORY_LENGTH)
  }

  get returnData(): Uint8Array {
    return this.#part(FRAME_RETURN, FRAME_RETURN_LENGTH)
  }

  #part(pointer: number, length: number): Uint8Array {
    const instance = this.#instance
    const frame = this.#frame
    return instance.view(instance.u32(frame + pointer), instance.u32(frame + length))
  }

  /** An i64. */
  #signed(at: number): number {
    return this.#instance.i32(at + 4) * 2 ** 32 + this.#instance.u32(at)
  }
}
