import { bytesToHex, equalBytes } from '../base/primitives/bytes.ts'
import { keccak256 } from '../base/primitives/keccak.ts'

const PUSH1 = 0x60
const PUSH20 = 0x73
const PUSH32 = 0x7f
/** First byte of a CBOR map with one to four entries. */
const CBOR_MAP_1 = 0xa1
const CBOR_MAP_4 = 0xa4

interface Gap {
  readonly start: number
  readonly end: number
}

/**
 * Compiled code as a pattern for deployed code: without the metadata at its end, and with gaps for values that are
 * inserted later, which are immutable variables (PUSH32 0) and addresses of libraries (PUSH20 0).
 */
export class CodePattern {
  /** Length without metadata. */
  readonly length: number
  /** Length with metadata. */
  readonly fullLength: number
  readonly #code: Uint8Array
  readonly #metadata: Uint8Array
  #gaps: readonly Gap[] | undefined
  #id: string | undefined

  private constructor(code: Uint8Array) {
    this.#code = withoutMetadata(code)
    this.#metadata = code.subarray(this.#code.length)
    this.length = this.#code.length
    this.fullLength = code.length
  }

  /** @returns undefined for empty code */
  static of(code: Uint8Array): CodePattern | undefined {
    return code.length === 0 ? undefined : new CodePattern(code)
  }

  get bytes(): number {
    return this.fullLength
  }

  /** Identifies the code whatever its metadata and inserted values: its hash without them, 0x-prefixed hex. */
  get id(): string {
    this.#id ??= codeId(this.#code)
    return this.#id
  }

  /** @param code without metadata, or longer than the pattern for `matchesStart` */
  matches(code: Uint8Array): boolean {
    return code.length === this.length && this.matchesStart(code)
  }

  matchesStart(code: Uint8Array): boolean {
    if (code.length < this.length) return false
    let at = 0
    for (const { start, end } of this.#gapList()) {
      if (!equalBytes(this.#code.subarray(at, start), code.subarray(at, start))) return false
      at = end
    }
    return equalBytes(this.#code.subarray(at), code.subarray(at, this.length))
  }

  /** @param code with metadata, which may be followed by arguments @returns whether its metadata are those of this contract */
  hasMetadataOf(code: Uint8Array): boolean {
    return equalBytes(this.#metadata, code.subarray(this.length, this.fullLength))
  }

  #gapList(): readonly Gap[] {
    this.#gaps ??= gapsOf(this.#code)
    return this.#gaps
  }
}

/** @param code without metadata @returns its hash, 0x-prefixed hex */
export function codeId(code: Uint8Array): string {
  return bytesToHex(keccak256(code))
}

/** The compiler appends metadata as a CBOR map and its length in two bytes. */
export function withoutMetadata(code: Uint8Array): Uint8Array {
  const { length } = code
  if (length < 4) return code
  const start = length - 2 - (((code[length - 2] as number) << 8) | (code[length - 1] as number))
  if (start < 0) return code
  const first = code[start] as number
  return first >= CBOR_MAP_1 && first <= CBOR_MAP_4 ? code.subarray(0, start) : code
}

function gapsOf(code: Uint8Array): Gap[] {
  const gaps: Gap[] = []
  for (let at = 0; at < code.length; at++) {
    const opcode = code[at] as number
    if (opcode < PUSH1 || opcode > PUSH32) continue
    const size = opcode - PUSH1 + 1
    const isValue = opcode === PUSH20 || opcode === PUSH32
    if (isValue && isZero(code, at + 1, size)) gaps.push({ start: at + 1, end: Math.min(at + 1 + size, code.length) })
    at += size
  }
  return gaps
}

function isZero(code: Uint8Array, start: number, size: number): boolean {
  for (let at = start; at < start + size; at++) if (code[at] !== 0) return false
  return true
}
