/**
 * Recursive Length Prefix serialisation (Yellow Paper, appendix B).
 * Decoding is strict: non-minimal lengths, short input and trailing bytes are errors.
 * @module
 */
import { concatBytes } from './bytes.ts'
import { NodeError } from './errors.ts'

/** An item of RLP: a byte string or a list of items. */
export type RlpItem = Uint8Array | readonly RlpItem[]
/** Decoded form; byte strings are views into the input. */
export type DecodedItem = Uint8Array | DecodedItem[]

export type RlpError = NodeError<{ code: 'INVALID_RLP' }>

function invalid(reason: string): RlpError {
  return new NodeError({ code: 'INVALID_RLP' }, `invalid RLP: ${reason}`)
}

/** Deepest nesting accepted. Blocks, records and messages of every protocol need less than half of it. */
export const MAX_RLP_DEPTH = 32

export function rlpEncode(item: RlpItem): Uint8Array {
  const output = new Uint8Array(encodedLength(item))
  writeItem(output, output.length, item)
  return output
}

/** Length in bytes of the encoding of `item`. */
export function encodedLength(item: RlpItem): number {
  if (item instanceof Uint8Array) {
    return item.length === 1 && (item[0] as number) < 0x80 ? 1 : prefixLength(item.length) + item.length
  }
  let payload = 0
  for (const child of item) payload += encodedLength(child)
  return rlpListLength(payload)
}

/** Length in bytes of a list. @param payload length of all items in bytes */
export function rlpListLength(payload: number): number {
  return prefixLength(payload) + payload
}

/** Wraps encoded items in a list. */
export function rlpListOfEncoded(items: readonly Uint8Array[]): Uint8Array {
  let payload = 0
  for (const item of items) payload += item.length
  return concatBytes(rlpListPrefix(payload), ...items)
}

/** The bytes that precede the items of a list. @param payload length of all items in bytes */
export function rlpListPrefix(payload: number): Uint8Array {
  const prefix = new Uint8Array(prefixLength(payload))
  writePrefix(prefix, 0, 0xc0, payload)
  return prefix
}

function prefixLength(length: number): number {
  if (length < 56) return 1
  let bytes = 1
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes++
  return bytes
}

function writePrefix(output: Uint8Array, at: number, base: number, length: number): void {
  if (length < 56) {
    output[at] = base + length
    return
  }
  const size = prefixLength(length) - 1
  output[at] = base + 55 + size
  for (let i = size, rest = length; i > 0; i--, rest = Math.floor(rest / 256)) output[at + i] = rest % 256
}

/**
 * Writes backwards, because the length of a list is then known when its prefix is due.
 * @param end offset after the item
 * @returns offset of the item
 */
function writeItem(output: Uint8Array, end: number, item: RlpItem): number {
  if (item instanceof Uint8Array) {
    if (item.length === 1 && (item[0] as number) < 0x80) {
      output[end - 1] = item[0] as number
      return end - 1
    }
    output.set(item, end - item.length)
    return writePrefixBefore(output, end - item.length, 0x80, item.length)
  }
  let start = end
  for (let i = item.length - 1; i >= 0; i--) start = writeItem(output, start, item[i] as RlpItem)
  return writePrefixBefore(output, start, 0xc0, end - start)
}

function writePrefixBefore(output: Uint8Array, at: number, base: number, length: number): number {
  const start = at - prefixLength(length)
  writePrefix(output, start, base, length)
  return start
}

/**
 * Decodes exactly one item.
 * @throws {NodeError} INVALID_RLP
 */
export function rlpDecode(input: Uint8Array): DecodedItem {
  const { item, end } = decodeAt(input, 0, input.length, 0)
  if (end !== input.length) throw invalid(`${input.length - end} trailing bytes`)
  return item
}

/**
 * Decodes one list.
 * @throws {NodeError} INVALID_RLP, also when the item is a byte string
 */
export function rlpDecodeList(input: Uint8Array): DecodedItem[] {
  const item = rlpDecode(input)
  if (item instanceof Uint8Array) throw invalid('expected a list, got a byte string')
  return item
}

/** Position of an item in a buffer, without decoding it. */
export interface RlpSpan {
  readonly isList: boolean
  /** Offset of the payload. */
  readonly payload: number
  /** Offset after the item. */
  readonly end: number
}

/**
 * Reads the prefix of the item at `offset`. `end` may lie beyond the input: the caller decides whether that is an error
 * or a reason to read more.
 * @throws {NodeError} INVALID_RLP when the prefix itself is truncated or not minimal
 */
export function rlpSpan(input: Uint8Array, offset: number): RlpSpan {
  const first = input[offset]
  if (first === undefined) throw invalid('unexpected end of input')
  if (first < 0x80) return { isList: false, payload: offset, end: offset + 1 }
  const isList = first >= 0xc0
  const short = first - (isList ? 0xc0 : 0x80)
  if (short < 56) return { isList, payload: offset + 1, end: offset + 1 + short }
  const size = short - 55
  if (offset + 1 + size > input.length) throw invalid('unexpected end of input')
  if (input[offset + 1] === 0) throw invalid('length with leading zeros')
  if (size > 6) throw invalid('length too large')
  let length = 0
  for (let i = 1; i <= size; i++) length = length * 256 + (input[offset + i] as number)
  if (length < 56) throw invalid('length not minimal')
  return { isList, payload: offset + 1 + size, end: offset + 1 + size + length }
}

function decodeAt(input: Uint8Array, offset: number, limit: number, depth: number): { item: DecodedItem; end: number } {
  if (depth > MAX_RLP_DEPTH) throw invalid('nested too deeply')
  if (offset >= limit) throw invalid('unexpected end of input')
  const { isList, payload, end } = rlpSpan(input, offset)
  if (end > limit) throw invalid('unexpected end of input')
  if (!isList) {
    const bytes = input.subarray(payload, end)
    if (bytes.length === 1 && payload > offset && (bytes[0] as number) < 0x80) throw invalid('single byte not minimal')
    return { item: bytes, end }
  }
  const items: DecodedItem[] = []
  for (let at = payload; at < end; ) {
    const child = decodeAt(input, at, end, depth + 1)
    items.push(child.item)
    at = child.end
  }
  return { item: items, end }
}
