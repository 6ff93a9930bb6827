/**
 * Reading of RLP that peers have sent. Nothing is decoded before it is bounded: a reader walks the encoded items of a
 * list and returns them as views, so that most parts of a message are never turned into objects.
 * @module
 */
import {
  MAX_PROTOCOL_LIST_ITEMS,
  MAX_PROTOCOL_MESSAGE_BYTES,
  MAX_PROTOCOL_MESSAGE_ITEMS,
} from '../base/limits/limits.ts'
import { bytesToBigInt } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { MAX_RLP_DEPTH, rlpListOfEncoded, rlpSpan } from '../base/primitives/rlp.ts'
import { type EncodedKind, encodingError } from './fieldReader.ts'

const SCALAR_BYTES = 8
const HASH_BYTES = 32
/** First bytes of strings of 0 and of 55 bytes, and of an empty list. */
const SHORT_STRING = 0x80
const LONGEST_SHORT_STRING = 0xb7
const EMPTY_LIST_PREFIX = 0xc0

/** RLP of an empty list. */
export const EMPTY_LIST: Uint8Array = rlpListOfEncoded([])

/** Reads the items of one encoded list in order. */
export class WireReader {
  readonly #bytes: Uint8Array
  readonly #kind: EncodedKind
  readonly #end: number
  #at: number

  /**
   * @param item exactly one list, encoded
   * @throws {NodeError} the kind's code when it is not
   */
  constructor(item: Uint8Array, kind: EncodedKind) {
    const { isList, payload, end } = spanOf(item, 0, kind)
    if (!isList) throw encodingError(kind, 'expected a list, got a byte string')
    if (end !== item.length) throw encodingError(kind, 'the length of a list is wrong')
    this.#bytes = item
    this.#kind = kind
    this.#at = payload
    this.#end = end
  }

  /** Bytes that follow. */
  get remainingBytes(): number {
    return this.#end - this.#at
  }

  get isAtEnd(): boolean {
    return this.#at === this.#end
  }

  /** Whether the next item, if any, is a list. */
  get nextIsList(): boolean {
    return !this.isAtEnd && (this.#bytes[this.#at] as number) >= 0xc0
  }

  invalid(reason: string): NodeError {
    return encodingError(this.#kind, reason)
  }

  /** The next item, encoded. */
  item(field: string): Uint8Array {
    if (this.isAtEnd) throw this.invalid(`${field} is missing`)
    const { end } = this.#spanAt(this.#at)
    const item = this.#bytes.subarray(this.#at, end)
    this.#at = end
    return item
  }

  /** Content of the next item, a byte string of at most `maxBytes`. */
  bytes(field: string, maxBytes: number = Number.POSITIVE_INFINITY): Uint8Array {
    if (this.isAtEnd) throw this.invalid(`${field} is missing`)
    const { isList, payload, end } = this.#spanAt(this.#at)
    if (isList) throw this.invalid(`${field} is a list`)
    if (end - payload > maxBytes) throw this.invalid(`${field} has more than ${maxBytes} bytes`)
    const bytes = this.#bytes.subarray(payload, end)
    if (bytes.length === 1 && payload > this.#at && (bytes[0] as number) < 0x80) {
      throw this.invalid(`${field} is not minimal`)
    }
    this.#at = end
    return bytes
  }

  fixed(field: string, length: number): Uint8Array {
    const bytes = this.bytes(field)
    if (bytes.length !== length) throw this.invalid(`${field} has ${bytes.length} bytes, not ${length}`)
    return bytes
  }

  /** Big-endian integer without leading zeros, of at most `maxBytes`. */
  scalar(field: string, maxBytes: number = SCALAR_BYTES): bigint {
    const bytes = this.bytes(field, maxBytes)
    if (bytes[0] === 0) throw this.invalid(`${field} has leading zeros`)
    return bytesToBigInt(bytes)
  }

  list(field: string): WireReader {
    const item = this.item(field)
    if ((item[0] as number) < 0xc0) throw this.invalid(`${field} is not a list`)
    return new WireReader(item, this.#kind)
  }

  /** Reads a list whose items all have one form. */
  listOf<T>(field: string, read: (items: WireReader) => T, maxItems: number = MAX_PROTOCOL_LIST_ITEMS): T[] {
    return this.list(field).all(field, read, maxItems)
  }

  /** Reads the items that follow, all of one form. */
  all<T>(field: string, read: (items: WireReader) => T, maxItems: number = MAX_PROTOCOL_LIST_ITEMS): T[] {
    const values: T[] = []
    while (!this.isAtEnd) {
      if (values.length === maxItems) throw this.invalid(`${field} has more than ${maxItems} items`)
      values.push(read(this))
    }
    return values
  }

  /** Items that follow, 32 bytes each. */
  hashes(field: string): Uint8Array[] {
    return this.all(field, (items) => items.fixed(field, HASH_BYTES))
  }

  /** Asserts that all items have been read. */
  end(): void {
    if (!this.isAtEnd) throw this.invalid('it has too many fields')
  }

  #spanAt(at: number): { readonly isList: boolean; readonly payload: number; readonly end: number } {
    const span = spanOf(this.#bytes, at, this.#kind)
    if (span.end > this.#end) throw this.invalid('an item exceeds its list')
    return span
  }
}

function spanOf(bytes: Uint8Array, at: number, kind: EncodedKind): ReturnType<typeof rlpSpan> {
  try {
    return rlpSpan(bytes, at)
  } catch (cause) {
    if (!(cause instanceof NodeError)) throw cause
    throw new NodeError({ code: kind.code }, `invalid ${kind.name}: ${cause.message}`, { cause })
  }
}

/**
 * Starts to read a message.
 * @throws {NodeError} the kind's code when it is too long or not a list
 */
export function readMessage(
  payload: Uint8Array,
  kind: EncodedKind,
  maxBytes: number = MAX_PROTOCOL_MESSAGE_BYTES,
): WireReader {
  if (payload.length > maxBytes) throw encodingError(kind, `${payload.length} bytes, more than ${maxBytes}`)
  return new WireReader(payload, kind)
}

/** Transactions, the densest parts of honest messages, have more bytes than this for each of their items. */
const MIN_BYTES_PER_ITEM = 8

/** Items that an honest encoding of transactions or blocks may have. @param bytes its length */
export function maxItemsOf(bytes: number): number {
  return Math.max(MAX_PROTOCOL_MESSAGE_ITEMS, Math.floor(bytes / MIN_BYTES_PER_ITEM))
}

/** Bounds the memory of the objects that are decoded from one message: an empty item takes one byte on the wire. */
export class ItemBudget {
  readonly #kind: EncodedKind
  readonly #maxItems: number
  #taken = 0

  /** @param maxItems of all encodings together, on all levels */
  constructor(kind: EncodedKind, maxItems: number = MAX_PROTOCOL_MESSAGE_ITEMS) {
    this.#kind = kind
    this.#maxItems = maxItems
  }

  /**
   * Counts the items of an encoding that is about to be decoded, on all levels.
   * @param from offset of the first item
   * @throws {NodeError} the kind's code when the message has too many, or when the encoding is damaged or too deep
   */
  take(encoded: Uint8Array, from = 0): void {
    /** Ends of the lists around the next item. */
    const ends: number[] = []
    let limit = encoded.length
    for (let at = from; at < encoded.length; ) {
      if (++this.#taken > this.#maxItems) throw encodingError(this.#kind, `more than ${this.#maxItems} items`)
      const first = encoded[at] as number
      // Most items have one byte or a short prefix; a span for each would be most of the work.
      if (first < SHORT_STRING || first === EMPTY_LIST_PREFIX) at++
      else if (first <= LONGEST_SHORT_STRING) {
        at += 1 + first - SHORT_STRING
        if (at > limit) throw encodingError(this.#kind, 'an item exceeds its list')
      } else {
        const { isList, payload, end } = spanOf(encoded, at, this.#kind)
        if (end > limit) throw encodingError(this.#kind, 'an item exceeds its list')
        at = isList ? payload : end
        if (isList) {
          if (ends.length > MAX_RLP_DEPTH) throw encodingError(this.#kind, `nested deeper than ${MAX_RLP_DEPTH}`)
          ends.push(limit)
          limit = end
        }
      }
      while (at === limit && ends.length > 0) limit = ends.pop() as number
    }
  }
}
