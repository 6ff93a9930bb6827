/**
 * Files with a chain.
 * @module
 */
import { bytesToHex } from '../../../../src/base/primitives/bytes.ts'

/** As hex in a text it is twice as long, and browsers limit texts to 512 MiB. */
export const MAX_DUMP_BYTES: number = 200 * 2 ** 20

const HEX_PREFIX = [0x30, 0x78] as const

/** @param bytes a dump as bytes, or its hex as text with `0x` */
export function dumpParameter(bytes: Uint8Array): string {
  const isHex = HEX_PREFIX.every((byte, i) => bytes[i] === byte)
  return isHex ? new TextDecoder().decode(bytes).trim() : bytesToHex(bytes)
}
