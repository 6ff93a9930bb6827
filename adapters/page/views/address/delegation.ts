import { byteLength } from '../../format/hex.ts'

const PREFIX = '0xef0100'
const BYTES = 23

/** @returns the address whose code the account runs (EIP-7702); undefined: it has none, or its own */
export function delegateOf(code: string): string | undefined {
  return byteLength(code) === BYTES && code.toLowerCase().startsWith(PREFIX)
    ? `0x${code.slice(PREFIX.length)}`
    : undefined
}
