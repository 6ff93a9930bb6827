/**
 * The source map of one compiled contract: for each instruction, the piece of source that it was compiled from.
 * @see Solidity documentation, "Source Mappings"
 * @module
 */

/** Offsets and lengths are in bytes of UTF-8. */
export interface SourceRange {
  /** Number of the source in the compilation; -1 for none. */
  readonly file: number
  readonly start: number
  readonly end: number
}

/** Whether a jump enters or leaves a function of the source. */
export type JumpKind = 'in' | 'out' | 'other'

const JUMPDEST = 0x5b
const PUSH1 = 0x60
const PUSH32 = 0x7f
const SEMICOLON = 0x3b
const COLON = 0x3a
const MINUS = 0x2d
const DIGIT_0 = 0x30
const LETTER_I = 0x69
const LETTER_O = 0x6f
const NUMBERS_PER_ENTRY = 3
const MAX_NUMBER = 2 ** 31 - 1

export class SourceMap {
  /** Start, length and file of each instruction. */
  readonly #ranges: Int32Array
  /** `i`, `o` or `-` of each instruction. */
  readonly #jumps: Uint8Array
  /** 1 for each instruction that a jump may lead to. */
  readonly #isTarget: Uint8Array
  /** Number of the instruction that begins at a position of the code, or that contains it. */
  readonly #instructions: Uint32Array
  readonly #count: number

  /**
   * @param text the compressed map, `s:l:f:j:m;…`; omitted values are those of the entry before
   * @param code the code that it describes; values that were inserted later do not matter
   */
  constructor(text: string, code: Uint8Array) {
    this.#instructions = instructionsOf(code)
    const count = code.length === 0 ? 0 : (this.#instructions[code.length - 1] as number) + 1
    this.#ranges = new Int32Array(count * NUMBERS_PER_ENTRY)
    this.#jumps = new Uint8Array(count)
    this.#isTarget = new Uint8Array(count)
    for (let pc = 0; pc < code.length; pc++) {
      if (code[pc] === JUMPDEST) this.#isTarget[this.#instructions[pc] as number] = 1
    }
    this.#count = decode(text, count, this.#ranges, this.#jumps)
  }

  /** Memory, estimate. */
  get bytes(): number {
    return this.#ranges.byteLength + this.#jumps.byteLength + this.#isTarget.byteLength + this.#instructions.byteLength
  }

  /** @returns undefined outside the instructions that the map describes */
  rangeAt(pc: number): SourceRange | undefined {
    const index = this.#instructions[pc]
    return index === undefined ? undefined : this.#range(index)
  }

  /** The ranges of an instruction and of those that ran before it since the last jump, newest first. */
  *rangesUpTo(pc: number): Generator<SourceRange> {
    for (let index = this.#instructions[pc] ?? -1; index >= 0; index--) {
      const range = this.#range(index)
      if (range !== undefined) yield range
      if (this.#isTarget[index] === 1) return
    }
  }

  jumpAt(pc: number): JumpKind {
    const index = this.#instructions[pc]
    const letter = index === undefined || index >= this.#count ? undefined : this.#jumps[index]
    return letter === LETTER_I ? 'in' : letter === LETTER_O ? 'out' : 'other'
  }

  #range(index: number): SourceRange | undefined {
    if (index >= this.#count) return undefined
    const at = index * NUMBERS_PER_ENTRY
    const [start, length, file] = this.#ranges.subarray(at, at + NUMBERS_PER_ENTRY) as Iterable<number>
    return { file: file as number, start: start as number, end: (start as number) + (length as number) }
  }
}

/** The data of a PUSH belong to its instruction. */
function instructionsOf(code: Uint8Array): Uint32Array {
  const numbers = new Uint32Array(code.length)
  let index = 0
  for (let at = 0; at < code.length; index++) {
    const opcode = code[at] as number
    const size = opcode >= PUSH1 && opcode <= PUSH32 ? opcode - PUSH1 + 2 : 1
    numbers.fill(index, at, at + size)
    at += size
  }
  return numbers
}

/** @returns number of entries */
function decode(text: string, max: number, ranges: Int32Array, jumps: Uint8Array): number {
  const numbers = [0, 0, -1]
  let jump = MINUS
  let at = 0
  let index = 0
  for (; index < max && at < text.length; index++) {
    for (let field = 0; at < text.length && text.charCodeAt(at) !== SEMICOLON; field++) {
      const start = at
      while (at < text.length && text.charCodeAt(at) !== COLON && text.charCodeAt(at) !== SEMICOLON) at++
      if (at > start && field < NUMBERS_PER_ENTRY) numbers[field] = numberAt(text, start, at)
      else if (at > start && field === NUMBERS_PER_ENTRY) jump = text.charCodeAt(start)
      if (text.charCodeAt(at) === COLON) at++
    }
    at++
    ranges.set(numbers, index * NUMBERS_PER_ENTRY)
    jumps[index] = jump
  }
  return index
}

function numberAt(text: string, start: number, end: number): number {
  const isNegative = text.charCodeAt(start) === MINUS
  let value = 0
  for (let at = isNegative ? start + 1 : start; at < end; at++) {
    value = Math.min(value * 10 + text.charCodeAt(at) - DIGIT_0, MAX_NUMBER)
  }
  return isNegative ? -value : value
}
