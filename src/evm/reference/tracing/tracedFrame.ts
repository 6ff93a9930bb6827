import type { FrameView, HaltPlace } from '../../hooks.ts'
import type { RunState } from '../preparedCommon.ts'

const STOP = 0x00
const WORD_BYTES = 32
const PART_BITS = 64n
const PART_BYTES = 8

/** A frame of the interpreter as tracers see it, at its last step. */
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
  /** Of the step, known once its gas rule has run. */
  cost = 0
  /** What the step sets aside for a child. */
  forwarded = 0
  /** The step has begun and not ended. */
  isOpen = false
  /** Nothing comes after the step. */
  hasStopped = false
  /** The opcode that made the frame halt. */
  haltPlace: HaltPlace | undefined
  readonly #run: RunState
  #words = 0
  /** The stack when it holds the operands no longer. */
  #operands: readonly bigint[] | undefined

  constructor(run: RunState) {
    const { env, code } = run
    this.#run = run
    this.code = code
    this.depth = env.depth
    this.address = env.address.bytes
    // A creation has none.
    this.target = (env.codeAddress ?? env.address).bytes
  }

  begin(): void {
    const run = this.#run
    this.pc = run.programCounter
    // The interpreter has 0xfe for all opcodes that it does not know.
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

  /** The opcode is about to call or create. @param forwarded what it sets aside for that */
  keepOperands(forwarded: number): void {
    this.forwarded = forwarded
    this.#operands = this.#run.stack.getStack()
  }

  /** Shows what the opcode has left. */
  end(): void {
    this.stackSize = this.#run.stack.length
    this.endLast()
  }

  /** Shows what an opcode has left that ended the frame: its operands stand on the stack still. */
  endLast(): void {
    const run = this.#run
    this.gas = Number(run.gasLeft)
    this.refund = Number(run.gasRefund)
    this.#words = Number(run.memoryWordCount)
    this.isOpen = false
  }

  /** Shows what a call or creation has left before its child begins. @param taken gas that the child gets from it */
  endBeforeChild(taken: number): void {
    this.gas -= this.cost + taken
    this.#words = Number(this.#run.memoryWordCount)
    this.isOpen = false
  }

  /** Shows the frame as it stood before the opcode. */
  halt(): void {
    this.gas = 0
    this.isOpen = false
    this.haltPlace = { pc: this.pc, opcode: this.opcode, stackSize: this.stackSize }
  }

  /** A word of the stack at the step, the top one being 0; opcodes that take words leave them where they were. */
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

  /** The interpreter's own is longer, or shorter where nothing was written yet. */
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
