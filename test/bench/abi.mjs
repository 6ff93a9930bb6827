/** Encodes contract calls and storage slots by hand. Everything is hex without prefix. */
import { keccak_256 } from '@noble/hashes/sha3.js'

export const hex = (bytes) => Buffer.from(bytes).toString('hex')
export const bytes = (text) => new Uint8Array(Buffer.from(text, 'hex'))
/** A number or a prefixed hex string as 32 bytes. */
export const word = (value) => BigInt(value).toString(16).padStart(64, '0')
export const selector = (signature) => hex(keccak_256(Buffer.from(signature))).slice(0, 8)
/**
 * Slot of a mapping entry; with several keys, of nested mappings.
 * @param keys addresses
 */
export const mapped = (slot, ...keys) =>
  keys.reduce((base, key) => hex(keccak_256(bytes(word(`0x${key}`) + base))), word(slot))
