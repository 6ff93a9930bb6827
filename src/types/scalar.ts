/**
 * Checked reading of RLP fields.
 * @module
 */
import { bytesToBigInt } from '../primitives/bytes.ts'
import { NodeError } from '../primitives/errors.ts'
import type { DecodedItem } from '../rlp/rlp.ts'

export type EncodingError = NodeError<{ code: 'INVALID_ENCODING'; field: string }>

export function invalidField(field: string, reason: string): EncodingError {
  return new NodeError({ code: 'INVALID_ENCODING', field }, `invalid ${field}: ${reason}`)
}

/**
 * A byte string of any length.
 * @throws {NodeError} INVALID_ENCODING
 */
export function readBytes(item: DecodedItem | undefined, field: string): Uint8Array {
  if (!(item instanceof Uint8Array))
    throw invalidField(field, item === undefined ? 'missing' : 'a byte string is expected')
  return item
}

/** A byte string of exactly `length` bytes. */
export function readFixed(item: DecodedItem | undefined, length: number, field: string): Uint8Array {
  const bytes = readBytes(item, field)
  if (bytes.length !== length) throw invalidField(field, `${bytes.length} bytes instead of ${length}`)
  return bytes
}

/** An unsigned integer without leading zeros, of at most `maxBytes` bytes. */
export function readScalar(item: DecodedItem | undefined, maxBytes: number, field: string): bigint {
  const bytes = readBytes(item, field)
  if (bytes.length > maxBytes) throw invalidField(field, `more than ${maxBytes} bytes`)
  if (bytes[0] === 0) throw invalidField(field, 'leading zeros')
  return bytesToBigInt(bytes)
}

export function readList(item: DecodedItem | undefined, field: string): DecodedItem[] {
  if (item === undefined || item instanceof Uint8Array) {
    throw invalidField(field, item === undefined ? 'missing' : 'a list is expected')
  }
  return item
}

/** A list of exactly `length` items. */
export function readTuple(item: DecodedItem | undefined, length: number, field: string): DecodedItem[] {
  const list = readList(item, field)
  if (list.length !== length) throw invalidField(field, `${list.length} fields instead of ${length}`)
  return list
}
