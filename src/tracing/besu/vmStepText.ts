/**
 * Steps of a vmTrace as text. Creates no strings, because a transaction may have millions of steps.
 * @module
 */
import { writeDecimal, writeShortWord } from '../../base/primitives/asciiDigits.ts'
import type { JsonWriter } from '../../base/primitives/jsonWriter.ts'
import { piece, put } from '../structLog/pieces.ts'

const STEP = piece('{"pc":')
const SUB = piece(',"sub":')
const NO_SUB = piece(',"sub":null,"cost":')
const COST = piece(',"cost":')
const NO_EXECUTION = piece(',"ex":null}')
const PUSHES = piece(',"ex":{"mem":null,"push":[')
const MEMORY = piece(',"ex":{"mem":{"data":"0x')
const OFFSET = piece('","off":')
const PUSHES_AFTER_MEMORY = piece('},"push":[')
const USED = piece('],"store":null,"used":')
const STORE = piece(',"ex":{"mem":null,"push":[],"store":{"key":"0x')
const STORED_VALUE = piece('","val":"0x')
const USED_AFTER_STORE = piece('"},"used":')
const END = piece('}}')
const WORD_START = piece('"0x')

const WORD_BYTES = 32
/** Upper bound of the text of one step without memory: 17 words of 64 digits and the text around them. */
const STEP_ROOM = 2048
const COMMA = 0x2c
const QUOTE = 0x22
const MINUS = 0x2d

/** Stack items that a step has pushed. */
export interface PushedItems {
  /** The stack after the step: bottom first, 32 bytes each, little-endian. */
  readonly stack: Uint8Array
  readonly stackSize: number
  /** Number of topmost items pushed by the step. */
  readonly produced: number
}

/** Memory bytes that a step has written. */
export interface WrittenMemory {
  /** The memory after the step. */
  readonly memory: Uint8Array
  readonly offset: number
  readonly length: number
}

export class VmStepWriter {
  readonly #out: JsonWriter
  /** Whether the next step is the first of its frame. */
  #isFirst = true

  constructor(out: JsonWriter) {
    this.#out = out
  }

  /** `{"code":…,"ops":[` */
  openFrame(code: Uint8Array): void {
    this.#out.ascii('{"code":"0x')
    this.#out.hex(code)
    this.#out.ascii('","ops":[')
    this.#isFirst = true
  }

  closeFrame(): void {
    this.#out.ascii(']}')
    this.#isFirst = false
  }

  /** @param used gas after the step; negative when it ran out of gas */
  step(pc: number, cost: number, used: number, items: PushedItems, written?: WrittenMemory): void {
    const target = this.#out.reserve(STEP_ROOM)
    const at = this.#head(target, pc, cost)
    if (written === undefined) this.#out.commit(execution(target, put(target, at, PUSHES), used, items))
    else {
      this.#out.commit(at)
      this.#afterMemory(used, items, written)
    }
  }

  /** A step that ran out of gas. */
  failedStep(pc: number, cost: number): void {
    const target = this.#out.reserve(STEP_ROOM)
    this.#out.commit(put(target, this.#head(target, pc, cost), NO_EXECUTION))
  }

  /**
   * An SSTORE.
   * @param entry key ‖ value, both little-endian
   */
  storeStep(pc: number, cost: number, used: number, entry: Uint8Array): void {
    const target = this.#out.reserve(STEP_ROOM)
    let at = put(target, this.#head(target, pc, cost), STORE)
    at = writeShortWord(target, at, entry, 0)
    at = put(target, at, STORED_VALUE)
    at = writeShortWord(target, at, entry, WORD_BYTES)
    at = put(target, at, USED_AFTER_STORE)
    this.#out.commit(end(target, at, used))
  }

  /** `{"pc":…,"sub":` of a step that starts another frame, whose object follows. */
  beginCall(pc: number): void {
    const target = this.#out.reserve(STEP_ROOM)
    let at = this.#begin(target, this.#out.position)
    at = writeDecimal(target, put(target, at, STEP), pc)
    this.#out.commit(put(target, at, SUB))
  }

  /** The remaining members of a step that started another frame. */
  endCall(cost: number, used: number, items: PushedItems, written?: WrittenMemory): void {
    const target = this.#out.reserve(STEP_ROOM)
    const at = writeDecimal(target, put(target, this.#out.position, COST), cost)
    if (written === undefined) this.#out.commit(execution(target, put(target, at, PUSHES), used, items))
    else {
      this.#out.commit(at)
      this.#afterMemory(used, items, written)
    }
  }

  /** @returns offset of the text for the effects of the step */
  #head(target: Uint8Array, pc: number, cost: number): number {
    const at = put(target, this.#begin(target, this.#out.position), STEP)
    return writeDecimal(target, put(target, writeDecimal(target, at, pc), NO_SUB), cost)
  }

  #begin(target: Uint8Array, at: number): number {
    if (this.#isFirst) {
      this.#isFirst = false
      return at
    }
    target[at] = COMMA
    return at + 1
  }

  /** Written separately, since memory may be longer than the reserved buffer. */
  #afterMemory(used: number, items: PushedItems, { memory, offset, length }: WrittenMemory): void {
    const out = this.#out
    out.commit(put(out.reserve(STEP_ROOM), out.position, MEMORY))
    out.hex(memory.subarray(offset, offset + length))
    const target = out.reserve(STEP_ROOM)
    const at = writeDecimal(target, put(target, out.position, OFFSET), offset)
    out.commit(execution(target, put(target, at, PUSHES_AFTER_MEMORY), used, items))
  }
}

/** Writes the text from the pushed items to the end of the step. */
function execution(target: Uint8Array, start: number, used: number, items: PushedItems): number {
  return end(target, put(target, pushes(target, start, items), USED), used)
}

function pushes(target: Uint8Array, start: number, { stack, stackSize, produced }: PushedItems): number {
  let at = start
  const count = Math.min(produced, stackSize)
  for (let item = stackSize - count; item < stackSize; item++) {
    if (at > start) target[at++] = COMMA
    at = writeShortWord(target, put(target, at, WORD_START), stack, item * WORD_BYTES)
    target[at++] = QUOTE
  }
  return at
}

function end(target: Uint8Array, start: number, used: number): number {
  let at = start
  if (used < 0) target[at++] = MINUS
  return put(target, writeDecimal(target, at, Math.abs(used)), END)
}
