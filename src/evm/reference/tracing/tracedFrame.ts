import type { FrameView, HaltLocation } from '../../hooks.ts'
import type { RunState } from '../preparedTypes.ts'

const STOP = 0x00
const WORD_BYTES = 32
const PART_BITS = 64n
const PART_BYTES = 8

/** Exposes a frame of the interpreter at its last step to tracers. */
export class TracedFrame implements FrameView {
  readonly depth: number
  readonly address: Uint8Array
  readonly target: Uint8Array
  readonly code: Uint8Array
  pc = 0
  opcode = 0
  gas = 0
  refund = 0
  stackSize = 0
  /** Cost of the step; set once its gas rule has run. */
  cost = 0
  /** Gas that the step sets aside for a child. */
  forwarded = 0
  /** Whether the step has begun and not ended. */
  isOpen = false
  /** Whether the step was the last of the frame. */
  hasStopped = false
  /** The opcode that made the frame halt. */
  haltPlace: HaltLocation | undefined
  readonly #run: RunState
  #words = 0
  /** The stack before the step, when the operands have since been removed. */
  #operands: readonly bigint[] | undefined

  constructor(run: RunState) {
    const { env, code } = run
    this.#run = run
    this.code = code
    this.depth = env.depth
    this.address = env.address.bytes
    // A creation has no code address.
    this.target = (env.codeAddress ?? env.address).bytes
  }

  begin(): void {
    const run = this.#run
    this.pc = run.programCounter
    // Read from the code, because the interpreter replaces all unknown opcodes with 0xfe.
    this.opcode = run.code[run.programCounter] ?? STOP
    this.gas = Number(run.gasLeft)
    this.refund = Number(run.gasRefund)
    this.stackSize = run.stack.length
    this.#words = Number(run.memoryWordCount)
    this.#operands = undefined
    this.cost = 0
    this.forwarded = 0
    this.isOpen = true
  }

  /**
   * Called when the opcode is about to call or create.
   * @param forwarded gas set aside for the child
   */
  keepOperands(forwarded: number): void {
    this.forwarded = forwarded
    this.#operands = this.#run.stack.getStack()
  }

  /** Updates the view after the opcode. */
  end(): void {
    this.stackSize = this.#run.stack.length
    this.endLast()
  }

  /** Updates the view after an opcode that ended the frame; its operands remain on the stack. */
  endLast(): void {
    const run = this.#run
    this.gas = Number(run.gasLeft)
    this.refund = Number(run.gasRefund)
    this.#words = Number(run.memoryWordCount)
    this.isOpen = false
  }

  /**
   * Updates the view after a call or creation, before its child begins.
   * @param taken gas that the caller gives to the child
   */
  endBeforeChild(taken: number): void {
    this.gas -= this.cost + taken
    this.#words = Number(this.#run.memoryWordCount)
    this.isOpen = false
  }

  /** Restores the view of the state before the opcode. */
  halt(): void {
    this.gas = 0
    this.isOpen = false
    this.haltPlace = { pc: this.pc, opcode: this.opcode, stackSize: this.stackSize }
  }

  /** A stack word at the step, counted from the top; opcodes that consume words do not overwrite them. */
  operand(index: number): bigint {
    return this.#stored[this.stackSize - 1 - index] as bigint
  }

  get stack(): Uint8Array {
    const bytes = new Uint8Array(this.stackSize * WORD_BYTES)
    const view = new DataView(bytes.buffer)
    const stored = this.#stored
    for (let index = 0; index < this.stackSize; index++) {
      let rest = stored[index] as bigint
      for (let at = index * WORD_BYTES; rest !== 0n; at += PART_BYTES, rest >>= PART_BITS) {
        view.setBigUint64(at, BigInt.asUintN(64, rest), true)
      }
    }
    return bytes
  }

  /** The memory at its EVM size: the interpreter's buffer is longer, or shorter if nothing was written yet. */
  get memory(): Uint8Array {
    const { _store: store } = this.#run.memory
    const length = this.#words * WORD_BYTES
    if (length <= store.length) return store.subarray(0, length)
    const bytes = new Uint8Array(length)
    bytes.set(store)
    return bytes
  }

  get returnData(): Uint8Array {
    return this.#run.returnBytes
  }

  get #stored(): readonly bigint[] {
    return this.#operands ?? this.#run.stack['_store']
  }
}
