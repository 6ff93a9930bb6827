/**
 * Strict reading of the RLP records of a mirror.
 * @module
 */
import { numberToBytes } from '../../base/primitives/bytes.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import { decodeItem, type EncodedKind, FieldReader } from '../../types/fieldReader.ts'
import { mirrorDamaged } from '../errors.ts'

const RECORD: EncodedKind = { code: 'INVALID_MIRROR_RECORD', name: 'record' }
const NUMBER_BYTES = 6

export const HASH_BYTES = 32

/**
 * Reads a record that fills the bytes.
 * @param object its name, for errors
 * @throws {NodeError} MIRROR_DAMAGED
 */
export function readRecord<T>(object: string, bytes: Uint8Array, read: (fields: FieldReader) => T): T {
  try {
    const fields = new FieldReader(decodeItem(RECORD, bytes), RECORD)
    const value = read(fields)
    fields.end()
    return value
  } catch (error) {
    if (isNodeError(error, RECORD.code)) throw mirrorDamaged(object, error.message, { cause: error })
    throw error
  }
}

/** The items of a nested list, each a list. */
export function readList<T>(fields: FieldReader, name: string, maximum: number, read: (item: FieldReader) => T): T[] {
  const list = fields.nested(name)
  if (list.count > maximum) throw list.invalid(`${name} has ${list.count} items, more than ${maximum}`)
  const items: T[] = []
  while (list.remaining > 0) {
    const item = list.nested(name)
    items.push(read(item))
    item.end()
  }
  return items
}

/** An unsigned integer. @param maximum at most 2^48 - 1 */
export function readNumber(fields: FieldReader, name: string, maximum: number = Number.MAX_SAFE_INTEGER): number {
  const value = Number(fields.scalar(name, NUMBER_BYTES))
  if (value > maximum) throw fields.invalid(`${name} is ${value}, more than ${maximum}`)
  return value
}

/** The form that {@link readNumber} reads. @throws {RangeError} for a number of 2^48 or more */
export function numberField(value: number): Uint8Array {
  const bytes = numberToBytes(value)
  if (bytes.length > NUMBER_BYTES) throw new RangeError(`${value} is not below 2^48`)
  return bytes
}
