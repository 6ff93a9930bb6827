/**
 * Strict, sequential reading of the fields of a decoded RLP list.
 * @module
 */
import { bytesToBigInt } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { type DecodedItem, rlpDecode } from '../base/primitives/rlp.ts'

/** Codes of decoding errors. */
export type EncodingErrorCode =
  | 'INVALID_HEADER_ENCODING'
  | 'INVALID_BLOCK_ENCODING'
  | 'INVALID_TRANSACTION_ENCODING'
  | 'INVALID_RECEIPT_ENCODING'
  | 'INVALID_EXTRA_DATA'
  | 'INVALID_BFT_MESSAGE'
  | 'INVALID_PROTOCOL_MESSAGE'
  | 'INVALID_MIRROR_RECORD'

/** The kind of decoded value; error messages contain its name. */
export interface EncodedKind {
  readonly code: EncodingErrorCode
  readonly name: string
}

export function encodingError(kind: EncodedKind, reason: string): NodeError<{ code: EncodingErrorCode }> {
  return new NodeError({ code: kind.code }, `invalid ${kind.name}: ${reason}`)
}

/**
 * Decodes RLP that holds exactly one value of this kind.
 * @throws {NodeError} the kind's code
 */
export function decodeItem(kind: EncodedKind, bytes: Uint8Array): DecodedItem {
  try {
    return rlpDecode(bytes)
  } catch (cause) {
    if (!(cause instanceof NodeError)) throw cause
    throw new NodeError({ code: kind.code }, `invalid ${kind.name}: ${cause.message}`, { cause })
  }
}

export class FieldReader {
  readonly #items: readonly DecodedItem[]
  readonly #kind: EncodedKind
  #next = 0

  /** @throws {NodeError} when `item` is not a list */
  constructor(item: DecodedItem, kind: EncodedKind) {
    if (item instanceof Uint8Array) throw encodingError(kind, 'expected a list, got a byte string')
    this.#items = item
    this.#kind = kind
  }

  get count(): number {
    return this.#items.length
  }

  get remaining(): number {
    return this.#items.length - this.#next
  }

  invalid(reason: string): NodeError<{ code: EncodingErrorCode }> {
    return encodingError(this.#kind, reason)
  }

  item(field: string): DecodedItem {
    const item = this.#items[this.#next++]
    if (item === undefined) throw this.invalid(`${field} is missing`)
    return item
  }

  list(field: string): DecodedItem[] {
    const item = this.item(field)
    if (item instanceof Uint8Array) throw this.invalid(`${field} is not a list`)
    return item
  }

  /** A nested list, with errors of the same kind. */
  nested(field: string): FieldReader {
    return new FieldReader(this.list(field), this.#kind)
  }

  bytes(field: string): Uint8Array {
    const item = this.item(field)
    if (!(item instanceof Uint8Array)) throw this.invalid(`${field} is a list`)
    return item
  }

  fixed(field: string, length: number): Uint8Array {
    const bytes = this.bytes(field)
    if (bytes.length !== length) throw this.invalid(`${field} has ${bytes.length} bytes, not ${length}`)
    return bytes
  }

  /** Empty or exactly `length` bytes. */
  optionalFixed(field: string, length: number): Uint8Array | undefined {
    const bytes = this.bytes(field)
    if (bytes.length === 0) return undefined
    if (bytes.length !== length) throw this.invalid(`${field} has ${bytes.length} bytes, not ${length}`)
    return bytes
  }

  /** Big-endian integer without leading zeros, of at most `maxBytes`. */
  scalar(field: string, maxBytes: number): bigint {
    const bytes = this.bytes(field)
    if (bytes.length > maxBytes) throw this.invalid(`${field} has more than ${maxBytes} bytes`)
    if (bytes[0] === 0) throw this.invalid(`${field} has leading zeros`)
    return bytesToBigInt(bytes)
  }

  /** Asserts that all fields have been read. */
  end(): void {
    if (this.remaining > 0) throw this.invalid(`${this.remaining} fields too many`)
  }
}
