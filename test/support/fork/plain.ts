import { bytesToHex } from '../../../src/base/primitives/bytes.ts'

/** A value with its bytes as hex, whatever their class. */
export function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return bytesToHex(new Uint8Array(value))
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]))
}
