/**
 * Keys of the state for the functions that clients of a publisher call most. A mirror contains this hint, and its readers load the
 * keys ahead.
 * @module
 */
import { MAX_CALL_TABLE_BYTES, MAX_HINTED_ACCOUNTS, MAX_HINTED_SLOTS } from '../../base/limits/limits.ts'
import { bytesToHexUnprefixed, hexToBytes } from '../../base/primitives/bytes.ts'
import { encodedLength, type RlpItem, rlpDecodeList, rlpEncode } from '../../base/primitives/rlp.ts'
import { Column } from '../../storage/schema.ts'

/** Database keys by the name of a function, see {@link functionName}. */
export type CallTable = ReadonlyMap<string, readonly Uint8Array[]>

export const SELECTOR_BYTES = 4
const ADDRESS_BYTES = 20
/** Of a list with more than 55 bytes. */
const LIST_PREFIX_BYTES = 4

/** The target and the selector, in hex. */
export function functionName(to: Uint8Array, data: Uint8Array): string {
  return `${bytesToHexUnprefixed(to)}${bytesToHexUnprefixed(data.subarray(0, SELECTOR_BYTES))}`
}

/** Whether the key is of the state at the head: older states are read from the trie, whose keys say nothing of the next call. */
export function isHeadKey(key: Uint8Array): boolean {
  return isAccountKey(key) || isSlotKey(key)
}

/** Of an account, or of code. */
export function isAccountKey([column]: Uint8Array): boolean {
  return column === Column.flatAccount || column === Column.code
}

export function isSlotKey([column]: Uint8Array): boolean {
  return column === Column.flatStorage || column === Column.flatIncarnation
}

/** RLP: a list of [target ‖ selector, [key, …]]. Functions for which there is no room are left out. */
export function encodeCallTable(table: CallTable): Uint8Array {
  const rows: RlpItem[] = []
  let size = LIST_PREFIX_BYTES
  for (const [name, keys] of table) {
    const row = [hexToBytes(`0x${name}`), keys]
    size += encodedLength(row)
    if (size > MAX_CALL_TABLE_BYTES) break
    rows.push(row)
  }
  return rlpEncode(rows)
}

/** @returns an empty table for bytes that are none: calls then load nothing ahead */
export function decodeCallTable(bytes: Uint8Array): CallTable {
  const table = new Map<string, readonly Uint8Array[]>()
  if (bytes.length > MAX_CALL_TABLE_BYTES) return table
  try {
    for (const row of rlpDecodeList(bytes)) {
      const [name, keys] = row
      if (!(name instanceof Uint8Array) || name.length !== ADDRESS_BYTES + SELECTOR_BYTES || !Array.isArray(keys)) {
        return new Map()
      }
      const known = keys.filter((key) => key instanceof Uint8Array && isHeadKey(key)) as Uint8Array[]
      table.set(bytesToHexUnprefixed(name), known.slice(0, MAX_HINTED_ACCOUNTS + MAX_HINTED_SLOTS))
    }
  } catch {
    return new Map()
  }
  return table
}
