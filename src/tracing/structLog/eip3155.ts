/**
 * Trace files: one line of JSON for each opcode and one for the transaction.
 * @see EIP-3155; docs/reference/debug-and-trace.md section 6
 * @module
 */

import { writeDecimal, writeHexNumber } from '../../base/primitives/asciiDigits.ts'
import { bytesToHex, EMPTY_BYTES } from '../../base/primitives/bytes.ts'
import type { JsonWriter } from '../../base/primitives/jsonWriter.ts'
import type { HaltReason } from '../../evm/haltReason.ts'
import type { CallEnd, ExecutionHooks, FrameView } from '../../evm/hooks.ts'
import type { TraceBegin, TraceEnd, Tracer, TracerFactory } from '../contract.ts'
import { haltDescription } from '../halts.ts'
import { MemoryText } from './memoryText.ts'
import { besuOpcodeNames, isCall, isCreate } from './opcodes.ts'
import { ByFork, piece, put } from './pieces.ts'
import { ShortStackText } from './stackText.ts'

export interface Eip3155Options {
  readonly showsMemory: boolean
  /** Monotonic clock, milliseconds, for the duration in the last line. */
  readonly monotonic: () => number
}

/** Creates tracers that write lines instead of one JSON value. */
export function eip3155Tracer(options: Eip3155Options): TracerFactory {
  return (out) => new Eip3155(out, options)
}

/** Upper bound of the text of a line's numbers and names. */
const HEAD_BYTES = 256
const STOP = 0x00
const REVERT = 0xfd
const NANOSECONDS = 1_000_000

/** `,"opName":"NAME"` by opcode */
const NAMES = new ByFork((rules) => besuOpcodeNames(rules).map((name) => piece(`,"opName":"${name}"`)))
/** `,"op":1,"gas":"0x` by opcode */
const OPCODES: readonly Uint8Array[] = Array.from({ length: 256 }, (_, opcode) => piece(`,"op":${opcode},"gas":"0x`))

const FIRST = piece('{"pc":')
const NEXT = piece('}\n{"pc":')
const GAS_COST = piece('","gasCost":"0x')
const GAS_COST_END = piece('"')
const MEMORY = piece(',"memory":"0x')
const MEMORY_SIZE = piece(',"memSize":')
const STACK = piece(',"stack":[')
const STACK_END = piece(']')
const MINUS = 0x2d

class Eip3155 implements Tracer {
  readonly #out: JsonWriter
  readonly #monotonic: () => number
  readonly #stack = new ShortStackText()
  readonly #memory: MemoryText | undefined
  #names: readonly Uint8Array[] = []
  /** `,"depth":1,"refund":` */
  #depthText = EMPTY_BYTES
  #beganMs = 0
  #isEmpty = true
  #awaitsReason = false
  #isSkipped = false
  #depth = -1
  #opcode = 0
  #pc = 0
  #gas = 0
  #memorySize = 0
  /** `,"returnData":"0x…"`, or nothing. */
  #returnData = EMPTY_BYTES

  readonly hooks: ExecutionHooks = {
    enter: () => this.#memory?.forget(),
    exit: (end) => this.#exit(end),
    step: (frame) => this.#step(frame),
    stepEnd: (frame, cost, _forwarded, halt) => this.#stepEnd(frame, cost, halt),
    isFull: () => this.#out.isFull,
    drained: () => this.#out.drained(),
  }

  constructor(out: JsonWriter, { showsMemory, monotonic }: Eip3155Options) {
    this.#out = out
    this.#monotonic = monotonic
    if (showsMemory) this.#memory = new MemoryText({ before: '', after: '', separator: 0 })
  }

  begin({ rules }: TraceBegin): void {
    this.#names = NAMES.of(rules)
    this.#beganMs = this.#monotonic()
  }

  end({ result, gasUsed }: TraceEnd): void {
    const time = Math.round((this.#monotonic() - this.#beganMs) * NANOSECONDS)
    if (!this.#isEmpty) this.#out.ascii('}\n')
    this.#out.ascii('{"output":"')
    this.#out.hex(result.output)
    this.#out.ascii(`","gasUsed":"0x${gasUsed.toString(16)}","time":${time}}\n`)
  }

  #exit({ output }: CallEnd): void {
    this.#memory?.forget()
    if (!this.#awaitsReason) return
    this.#awaitsReason = false
    this.#out.raw(piece(`,"error":${latin1(output)}`))
  }

  #step(frame: FrameView): void {
    const { depth, pc } = frame
    // The implicit STOP after the end of the code is not shown.
    this.#isSkipped = frame.opcode === STOP && pc >= frame.code.length
    if (this.#isSkipped) return
    if (depth !== this.#depth || isCall(this.#opcode) || isCreate(this.#opcode))
      this.#returnData = returnDataText(frame.returnData)
    if (depth !== this.#depth) this.#depthText = piece(`,"depth":${depth + 1},"refund":`)
    this.#depth = depth
    this.#opcode = frame.opcode
    this.#pc = pc
    this.#gas = frame.gas
    const { memory } = frame
    this.#memorySize = memory.length
    this.#stack.follow(frame)
    this.#memory?.follow(memory)
    this.#memory?.expect(frame)
  }

  #stepEnd(frame: FrameView, cost: number, halt: HaltReason | undefined): void {
    if (this.#isSkipped) return
    const out = this.#out
    const opcode = this.#opcode
    const buffer = out.reserve(HEAD_BYTES)
    let at = put(buffer, out.position, this.#isEmpty ? FIRST : NEXT)
    at = writeDecimal(buffer, at, this.#pc)
    at = put(buffer, at, OPCODES[opcode] as Uint8Array)
    at = writeHexNumber(buffer, at, this.#gas)
    at = put(buffer, at, GAS_COST)
    at = writeHexNumber(buffer, at, cost)
    out.commit(put(buffer, at, GAS_COST_END))
    this.#isEmpty = false
    this.#writeMemory()
    out.raw(STACK)
    out.raw(this.#stack.text())
    // A call that begins discards the return data of the previous call.
    const isShown = halt !== undefined || !(isCall(opcode) || isCreate(opcode))
    out.raw(STACK_END)
    if (isShown) out.raw(this.#returnData)
    this.#writeEnd(frame.refund, this.#names[opcode] as Uint8Array)
    if (halt !== undefined) out.ascii(`,"error":"${haltDescription(halt)}"`)
    this.#awaitsReason = opcode === REVERT && halt === undefined
  }

  /** @param refund may be negative */
  #writeEnd(refund: number, name: Uint8Array): void {
    const buffer = this.#out.reserve(HEAD_BYTES)
    let at = put(buffer, this.#out.position, this.#depthText)
    if (refund < 0) buffer[at++] = MINUS
    at = writeDecimal(buffer, at, Math.abs(refund))
    this.#out.commit(put(buffer, at, name))
  }

  #writeMemory(): void {
    const out = this.#out
    if (this.#memory !== undefined && this.#memorySize > 0) {
      out.raw(MEMORY)
      out.raw(this.#memory.text())
      out.raw(GAS_COST_END)
    }
    out.raw(MEMORY_SIZE)
    out.integer(this.#memorySize)
  }
}

function returnDataText(returnData: Uint8Array): Uint8Array {
  return returnData.length === 0 ? EMPTY_BYTES : piece(`,"returnData":"${bytesToHex(returnData)}"`)
}

/** A JSON string with one character per byte; `/` is escaped too. */
function latin1(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return JSON.stringify(text).replaceAll('/', '\\/')
}
