/**
 * The block format of Snappy: the length of the data, then literals and copies of what precedes.
 * @see google/snappy, format_description.txt
 * @module
 */
import { MAX_RLPX_MESSAGE_BYTES } from '../../../base/limits/limits.ts'
import { invalidSnappy } from './errors.ts'

/** Type of an element: the low two bits of its tag. */
const LITERAL = 0
const COPY_1 = 1
const COPY_2 = 2

/** Longest match of one copy, and the number of literal bytes whose length fits in the tag. */
const MAX_COPY = 64
const MAX_SHORT_LITERAL = 60
/** A copy of three bytes yields at most 64: no compressed data expand further. */
const MAX_EXPANSION: number = MAX_COPY / 3
/** Fewer bytes are copied faster one by one. */
const MIN_BLOCK_COPY = 32
/** Shorter data are not worth a search for matches. */
const MIN_SEARCHED = 16
const MIN_MATCH = 4
const MAX_OFFSET = 65_535
const MAX_TABLE_BITS = 14
const MIN_TABLE_BITS = 8
const HASH_FACTOR = 0x1e35a7bd
/** The step of the search grows by one after this number of positions without a match. */
const SKIP_AFTER = 32

/** Positions by hash; only the part that a call uses is cleared. */
const table = new Int32Array(1 << MAX_TABLE_BITS)

/**
 * Reads the length of the decompressed data, without decompressing.
 * @returns it and the offset of the first element
 * @throws {NodeError} INVALID_SNAPPY when it is not a varint of 32 bits
 */
export function snappyLength(input: Uint8Array): { readonly length: number; readonly offset: number } {
  let length = 0
  for (let at = 0; at < 5; at++) {
    const byte = input[at]
    if (byte === undefined) break
    length += (byte & 0x7f) * 2 ** (7 * at)
    if (byte < 0x80) {
      if (length >= 2 ** 32) break
      return { length, offset: at + 1 }
    }
  }
  throw invalidSnappy('the length is not a varint of 32 bits')
}

/**
 * Decompresses one block.
 * @param maxBytes longer data are refused before memory is reserved, as are data that cannot follow from the input
 * @throws {NodeError} INVALID_SNAPPY
 */
export function snappyDecompress(input: Uint8Array, maxBytes: number = MAX_RLPX_MESSAGE_BYTES): Uint8Array {
  const { length, offset } = snappyLength(input)
  if (length > maxBytes) throw invalidSnappy(`${length} bytes where ${maxBytes} are allowed`)
  const inputBytes = input.length - offset
  if (length > inputBytes * MAX_EXPANSION) throw invalidSnappy(`${inputBytes} bytes cannot expand to ${length}`)
  const output = new Uint8Array(length)
  if (expand(input, offset, output) !== length) throw invalidSnappy('the data are shorter than the announced length')
  return output
}

/**
 * Adjacent copies over the same distance are made at once: data that repeat a few bytes consist of nothing else.
 * @returns number of bytes written
 */
function expand(input: Uint8Array, start: number, output: Uint8Array): number {
  let bytesWritten = 0
  /** Bytes before `bytesWritten` that are still to be copied, and their distance. */
  let [pending, pendingDistance] = [0, 0]
  for (let at = start; at < input.length; ) {
    const tag = input[at++] as number
    if (pending > 0 && (tag & 3) === LITERAL) {
      copyWithin(output, bytesWritten - pending, pendingDistance, pending)
      pending = 0
    }
    if (tag === LITERAL && at < input.length && bytesWritten < output.length) {
      // One byte: the general case costs several times as much.
      output[bytesWritten++] = input[at++] as number
      continue
    }
    const type = tag & 3
    let length = (tag >>> 2) + 1
    if (type === LITERAL) {
      if (length > MAX_SHORT_LITERAL) {
        const extra = length - MAX_SHORT_LITERAL
        length = littleEndian(input, at, extra) + 1
        at += extra
      }
      if (at + length > input.length) throw invalidSnappy('a literal is cut off')
      if (bytesWritten + length > output.length) throw invalidSnappy('the data exceed the announced length')
      copyLiteral(input, at, output, bytesWritten, length)
      at += length
    } else {
      const extra = type === COPY_1 ? 1 : type === COPY_2 ? 2 : 4
      if (at + extra > input.length) throw invalidSnappy('an element is cut off')
      let distance: number
      if (type === COPY_1) {
        length = ((tag >>> 2) & 7) + MIN_MATCH
        distance = ((tag >>> 5) << 8) | (input[at] as number)
      } else if (type === COPY_2) distance = (input[at] as number) | ((input[at + 1] as number) << 8)
      else distance = littleEndian(input, at, extra)
      at += extra
      if (distance === 0 || distance > bytesWritten) throw invalidSnappy('a copy from before the data')
      if (bytesWritten + length > output.length) throw invalidSnappy('the data exceed the announced length')
      if (distance !== pendingDistance && pending > 0) {
        copyWithin(output, bytesWritten - pending, pendingDistance, pending)
        pending = 0
      }
      pendingDistance = distance
      pending += length
    }
    bytesWritten += length
  }
  if (pending > 0) copyWithin(output, bytesWritten - pending, pendingDistance, pending)
  return bytesWritten
}

/** The ranges may overlap: then the copy repeats. */
function copyWithin(output: Uint8Array, to: number, distance: number, length: number): void {
  const from = to - distance
  if (distance === 1) {
    const byte = output[from] as number
    if (length >= MIN_BLOCK_COPY) output.fill(byte, to, to + length)
    else for (let i = 0; i < length; i++) output[to + i] = byte
  } else if (length < MIN_BLOCK_COPY || (distance < MIN_BLOCK_COPY && length <= MAX_COPY)) {
    for (let i = 0; i < length; i++) output[to + i] = output[from + i] as number
  } else {
    // Each step doubles the part that repeats.
    for (let at = to, end = to + length; at < end; ) {
      const bytes = Math.min(at - from, end - at)
      output.copyWithin(at, from, from + bytes)
      at += bytes
    }
  }
}

function copyLiteral(input: Uint8Array, from: number, output: Uint8Array, to: number, length: number): void {
  if (length > 32) output.set(input.subarray(from, from + length), to)
  else for (let i = 0; i < length; i++) output[to + i] = input[from + i] as number
}

function littleEndian(input: Uint8Array, at: number, bytes: number): number {
  if (at + bytes > input.length) throw invalidSnappy('an element is cut off')
  let value = 0
  for (let i = bytes - 1; i >= 0; i--) value = value * 256 + (input[at + i] as number)
  return value
}

/** Longest result of {@link snappyCompress}. */
export function maxSnappyBytes(length: number): number {
  return 5 + length + Math.ceil(length / 6) + 27
}

/** Compresses into one block. @param input fewer than 2^31 bytes */
export function snappyCompress(input: Uint8Array): Uint8Array {
  const output = new Uint8Array(maxSnappyBytes(input.length))
  let at = 0
  let rest = input.length
  for (; rest >= 0x80; rest >>>= 7) output[at++] = (rest & 0x7f) | 0x80
  output[at++] = rest
  return output.slice(0, compressInto(input, output, at))
}

function compressInto(input: Uint8Array, output: Uint8Array, start: number): number {
  let at = start
  let literal = 0
  if (input.length >= MIN_SEARCHED) {
    const bits = tableBits(input.length)
    const shift = 32 - bits
    table.fill(-1, 0, 1 << bits)
    const last = input.length - MIN_MATCH
    for (let position = 0, missed = 0; position <= last; ) {
      const word = readWord(input, position)
      const hash = Math.imul(word, HASH_FACTOR) >>> shift
      const candidate = table[hash] as number
      table[hash] = position
      if (candidate < 0 || position - candidate > MAX_OFFSET || readWord(input, candidate) !== word) {
        position += 1 + Math.floor(missed++ / SKIP_AFTER)
        continue
      }
      missed = 0
      const length = matchLength(input, candidate, position)
      at = writeLiteral(input, literal, position, output, at)
      at = writeCopies(output, at, position - candidate, length)
      position += length
      literal = position
    }
  }
  return writeLiteral(input, literal, input.length, output, at)
}

function tableBits(length: number): number {
  return Math.min(Math.max(32 - Math.clz32(length), MIN_TABLE_BITS), MAX_TABLE_BITS)
}

function readWord(input: Uint8Array, at: number): number {
  return (
    (input[at] as number) |
    ((input[at + 1] as number) << 8) |
    ((input[at + 2] as number) << 16) |
    ((input[at + 3] as number) << 24)
  )
}

function matchLength(input: Uint8Array, candidate: number, position: number): number {
  let length = MIN_MATCH
  while (position + length < input.length && input[candidate + length] === input[position + length]) length++
  return length
}

function writeLiteral(input: Uint8Array, from: number, to: number, output: Uint8Array, start: number): number {
  const length = to - from
  if (length === 0) return start
  let at = start
  if (length <= MAX_SHORT_LITERAL) output[at++] = (length - 1) << 2
  else {
    const extra = Math.ceil((32 - Math.clz32(length - 1)) / 8)
    output[at++] = (MAX_SHORT_LITERAL - 1 + extra) << 2
    for (let i = 0; i < extra; i++) output[at++] = (length - 1) >>> (8 * i)
  }
  copyLiteral(input, from, output, at, length)
  return at + length
}

/** The last copy keeps at least four bytes, because the short form cannot express fewer. */
function writeCopies(output: Uint8Array, start: number, distance: number, length: number): number {
  let at = start
  let rest = length
  while (rest > 0) {
    const part = rest > MAX_COPY + MIN_MATCH - 1 ? MAX_COPY : rest > MAX_COPY ? MAX_COPY - MIN_MATCH : rest
    if (part < 12 && part >= MIN_MATCH && distance < 2048) {
      output[at++] = COPY_1 | ((part - 4) << 2) | ((distance >>> 8) << 5)
      output[at++] = distance
    } else {
      output[at++] = COPY_2 | ((part - 1) << 2)
      output[at++] = distance
      output[at++] = distance >>> 8
    }
    rest -= part
  }
  return at
}
