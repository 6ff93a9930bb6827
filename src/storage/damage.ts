import { bytesToHex } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { columnOf } from './schema.ts'

/** @param problem predicate of which the key is the subject, such as `has no entry` */
export function damagedEntry(key: Uint8Array, problem: string): NodeError {
  const column = columnOf(key) ?? 'of no column'
  const text = bytesToHex(key)
  const message = `the database is damaged: the key ${text} (${column}) ${problem}`
  return new NodeError({ code: 'STORE_DAMAGED', column, key: text }, message)
}
