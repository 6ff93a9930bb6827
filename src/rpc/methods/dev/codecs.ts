/**
 * Values as clients of dev chains send them: numbers may be JSON numbers, hex or decimal text.
 * @module
 */

import { unexpectedValue } from '../../../api/errors.ts'
import { bigIntToBytesPadded, hasHexPrefix, tryHexToBytes } from '../../../base/primitives/bytes.ts'
import { byteCount, described } from '../../../base/primitives/printable.ts'
import { address, data, storagePosition } from '../../codecs/scalars.ts'
import { UINT256 } from '../../codecs/schemas.ts'
import { answerCodec, parameterCodec } from '../../codecs/support.ts'
import type { Codec } from '../../method.ts'

const HEX = /^0x[0-9a-f]{1,64}$/i
const DECIMAL = /^[0-9]{1,78}$/

function parseNumber(value: unknown): bigint {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
  // Old versions of ethers send zero as an empty quantity.
  if (value === '0x') return 0n
  if (typeof value === 'string' && (HEX.test(value) || DECIMAL.test(value))) return BigInt(value)
  throw unexpectedValue('an integer (a number, 0x and hex digits, or decimal digits)', described(value))
}

/** Hex with the mandatory prefix `0x`: text that happens to be valid hex is not bytes. */
export const hexBytes: Codec<Uint8Array> = {
  ...data,
  parse: (value) => {
    const bytes = typeof value === 'string' && hasHexPrefix(value) ? tryHexToBytes(value) : undefined
    if (bytes === undefined) throw unexpectedValue('0x and hex of whole bytes', described(value))
    return bytes
  },
}

/** A non-negative integer of at most `bits` bits. */
function devNumber(bits: number): Codec<bigint> {
  return parameterCodec(UINT256, (value) => {
    const number = parseNumber(value)
    if (number < 0n || number >= 1n << BigInt(bits)) {
      throw unexpectedValue(`a non-negative integer of at most ${bits} bits`, described(value))
    }
    return number
  })
}

/** wei */
export const number256: Codec<bigint> = devNumber(256)
/** Nonces, times, gas, numbers of blocks. */
export const number64: Codec<bigint> = devNumber(64)

/** Exactly 20 bytes with `0x`: a shorter address is more likely a mistake than an omission of leading zeros. */
export const account: Codec<Uint8Array> = {
  ...address,
  parse: (value) => {
    const bytes = hexBytes.parse(value)
    if (bytes.length !== 20) throw unexpectedValue('20 bytes', byteCount(bytes.length))
    return bytes
  },
}

const SIGNATURE_BYTES = 65
const LOWEST_V = 27

/** r ‖ s ‖ v. The parity is accepted in place of v, and returned as v. */
export const signature: Codec<Uint8Array> = {
  ...data,
  parse: (value) => {
    const bytes = hexBytes.parse(value)
    if (bytes.length !== SIGNATURE_BYTES) throw unexpectedValue(byteCount(SIGNATURE_BYTES), byteCount(bytes.length))
    const last = bytes[SIGNATURE_BYTES - 1] as number
    const v = last < LOWEST_V ? last + LOWEST_V : last
    if (v !== LOWEST_V && v !== LOWEST_V + 1) throw unexpectedValue('27 or 28', String(last), 'v')
    bytes[SIGNATURE_BYTES - 1] = v
    return bytes
  },
}

/** A storage slot: 32 bytes, a quantity or a number. */
export const storageSlot: Codec<Uint8Array> = {
  ...storagePosition,
  parse: (value) => {
    if (typeof value === 'string' && hasHexPrefix(value)) return storagePosition.parse(value)
    return bigIntToBytesPadded(number256.parse(value), 32)
  },
}

/** Result of most hardhat and ganache methods. */
export const done: Codec<void> = answerCodec({ type: 'boolean', const: true }, () => true)
/** Result of most anvil methods. */
export const nothing: Codec<void> = answerCodec({ type: 'null' }, () => null)

/** Times and durations; 48 bits, so that sums are exact as JSON numbers. */
export const seconds: Codec<bigint> = devNumber(48)

/** A duration within the range of a timer. */
export const milliseconds: Codec<number> = parameterCodec(UINT256, (value) => Number(devNumber(31).parse(value)))

/** A number in an answer that clients read as a JSON number. */
export const amount: Codec<bigint | number> = answerCodec({ type: 'integer' }, Number)
