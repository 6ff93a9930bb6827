import type { CallEnd, CallStart, FrameView } from '../../evm/hooks.ts'
import * as layout from './program/layout.ts'

/** Parts of a step that a batch contains beside its numbers. */
export interface RecordedParts {
  /** Topmost words of the stack. */
  readonly words: number
  readonly memorySize: boolean
  /** 256 flags: opcodes before which the memory is recorded. */
  readonly memory: Uint8Array | undefined
}

export interface StepEnd {
  readonly cost: number
  readonly refund: number
  readonly error: string | undefined
  readonly isAfterStep: boolean
}

export interface CallRecord {
  readonly type: (typeof layout.CALL_TYPES)[number]
  readonly depth: number
  readonly gas: number
  readonly address: Uint8Array
  readonly caller: Uint8Array
  readonly from: Uint8Array
  readonly to: Uint8Array
  /** CALLVALUE within the frame, wei */
  readonly value: bigint
  /** Whether the tracer may see the value of the call. */
  readonly hasValue: boolean
  readonly input: Uint8Array
}

/** Space that the text of an error may take. */
const ERROR_BYTES = 256
const WORD_BYTES = 32
const BATCH_END: number = layout.BATCH_AT + layout.BATCH_BYTES

/**
 * Writes records into the memory that the sandbox shares. Each write may need room, see `hasRoom`; a record that does
 * not fit into an empty batch has its data kept here, where the program asks for them.
 */
export class Batch {
  #shared: Uint8Array = new Uint8Array(0)
  #view: DataView = new DataView(new ArrayBuffer(0))
  #end: number = layout.BATCH_AT
  #count = 0
  /** Start of the open step; its end is unknown until the opcode has run. */
  #step = 0
  /** Data of the last record, when they are too long for the batch. */
  longData: Uint8Array | undefined

  /** Empties the batch. @param shared the memory, which may have moved */
  begin(shared: Uint8Array): void {
    if (shared.buffer !== this.#shared.buffer || shared.byteOffset !== this.#shared.byteOffset) {
      this.#shared = shared
      this.#view = new DataView(shared.buffer, shared.byteOffset, shared.byteLength)
    }
    this.#end = layout.BATCH_AT
    this.#count = 0
    this.longData = undefined
  }

  get end(): number {
    return this.#end
  }

  /** Number of records. */
  get count(): number {
    return this.#count
  }

  /** Whether a record with this number of bytes of data fits beside those that are there. */
  hasRoom(data: number): boolean {
    return this.#end + layout.ENTER_HEAD + data + ERROR_BYTES <= BATCH_END
  }

  /** Bytes of a step beside its head. */
  static stepData(frame: FrameView, { words, memory }: RecordedParts): number {
    const stack = words === 0 ? 0 : WORD_BYTES * Math.min(words, frame.stackSize)
    return memory === undefined || memory[frame.opcode] === 0 ? stack : stack + frame.memory.length
  }

  beginStep(frame: FrameView, parts: RecordedParts): void {
    const view = this.#view
    const at = this.#end
    this.#step = at
    const { opcode, stackSize } = frame
    view.setUint8(at, layout.KIND_STEP)
    view.setUint8(at + layout.STEP_OPCODE, opcode)
    view.setUint16(at + layout.RECORD_DEPTH, frame.depth + 1, true)
    view.setFloat64(at + layout.STEP_GAS, frame.gas, true)
    view.setUint32(at + layout.STEP_PC, frame.pc, true)
    view.setUint32(at + layout.STEP_STACK_SIZE, stackSize, true)
    const words = Math.min(parts.words, stackSize)
    view.setUint32(at + layout.STEP_WORDS, words, true)
    let end = at + layout.STEP_HEAD
    if (words > 0) {
      const { stack } = frame
      this.#shared.set(stack.subarray(WORD_BYTES * (stackSize - words), WORD_BYTES * stackSize), end)
      end += WORD_BYTES * words
    }
    const hasMemory = parts.memory !== undefined && parts.memory[opcode] !== 0
    view.setUint32(at + layout.STEP_HAS_MEMORY, hasMemory ? 1 : 0, true)
    view.setUint32(
      at + layout.STEP_MEMORY_SIZE,
      parts.memorySize || hasMemory ? frame.memory.length : layout.NOT_RECORDED,
      true,
    )
    if (hasMemory) {
      this.#shared.set(frame.memory, end)
      end += frame.memory.length
    }
    this.#end = end
  }

  endStep({ cost, refund, error, isAfterStep }: StepEnd): void {
    const view = this.#view
    const at = this.#step
    view.setFloat64(at + layout.STEP_COST, cost, true)
    view.setFloat64(at + layout.STEP_REFUND, refund, true)
    if (error === undefined) view.setUint32(at + layout.STEP_ERROR_KIND, 0, true)
    else {
      view.setUint32(at + layout.STEP_ERROR_KIND, isAfterStep ? layout.ERROR_AFTER_STEP : layout.ERROR_AT_STEP, true)
      const length = this.#text(this.#end, error)
      view.setUint32(at + layout.STEP_ERROR_LENGTH, length, true)
      this.#end += length
    }
    this.#finish(at)
  }

  enter(call: CallRecord): void {
    const view = this.#view
    const shared = this.#shared
    const at = this.#end
    const isLong = !this.hasRoom(call.input.length)
    view.setUint8(at, layout.KIND_ENTER)
    view.setUint8(at + layout.ENTER_TYPE, layout.CALL_TYPES.indexOf(call.type))
    view.setUint16(at + layout.RECORD_DEPTH, call.depth, true)
    view.setFloat64(at + layout.ENTER_GAS, call.gas, true)
    view.setUint32(at + layout.ENTER_INPUT_LENGTH, call.input.length, true)
    view.setUint32(
      at + layout.ENTER_FLAGS,
      (call.hasValue ? layout.FLAG_HAS_VALUE : 0) | (isLong ? layout.FLAG_ASK : 0),
      true,
    )
    shared.set(call.address, at + layout.ENTER_ADDRESS)
    shared.set(call.caller, at + layout.ENTER_CALLER)
    shared.set(call.from, at + layout.ENTER_FROM)
    shared.set(call.to, at + layout.ENTER_TO)
    writeWord(view, at + layout.ENTER_VALUE, call.value)
    this.#data(at + layout.ENTER_HEAD, call.input, isLong)
    this.#finish(at)
  }

  exit({ depth, gasUsed, output }: Pick<CallEnd, 'depth' | 'gasUsed' | 'output'>, error: string | undefined): void {
    const view = this.#view
    const at = this.#end
    const isLong = !this.hasRoom(output.length)
    view.setUint8(at, layout.KIND_EXIT)
    view.setUint16(at + layout.RECORD_DEPTH, depth, true)
    view.setFloat64(at + layout.EXIT_GAS_USED, gasUsed, true)
    view.setUint32(at + layout.EXIT_OUTPUT_LENGTH, output.length, true)
    view.setUint32(at + layout.EXIT_FLAGS, isLong ? layout.FLAG_ASK : 0, true)
    const length = error === undefined ? 0 : this.#text(at + layout.EXIT_HEAD, error)
    view.setUint32(at + layout.EXIT_ERROR_LENGTH, length, true)
    this.#data(at + layout.EXIT_HEAD + length, output, isLong)
    this.#finish(at)
  }

  #data(at: number, data: Uint8Array, isLong: boolean): void {
    this.#end = at
    if (isLong) this.longData = data
    else {
      this.#shared.set(data, at)
      this.#end += data.length
    }
  }

  #text(at: number, text: string): number {
    const length = Math.min(text.length, ERROR_BYTES - layout.ALIGNMENT)
    for (let i = 0; i < length; i++) this.#shared[at + i] = text.charCodeAt(i)
    return length
  }

  #finish(at: number): void {
    this.#end = Math.ceil(this.#end / layout.ALIGNMENT) * layout.ALIGNMENT
    this.#view.setUint32(at + layout.RECORD_LENGTH, this.#end - at, true)
    this.#count++
  }
}

/** Writes 256 bits, little-endian. */
export function writeWord(view: DataView, at: number, value: bigint): void {
  for (let i = 0; i < 4; i++) view.setBigUint64(at + 8 * i, BigInt.asUintN(64, value >> BigInt(64 * i)), true)
}

/** A call as the record of its start. @param from account that made the call */
export function callRecord(call: CallStart, from: Uint8Array): CallRecord {
  const { kind, depth, gas, address, caller, target, value, input } = call
  return { type: kind, depth, gas, address, caller, from, to: target, value, hasValue: kind !== 'STATICCALL', input }
}
