/**
 * Semantics of {@link RangeOptions}, shared by all stores.
 * @module
 */
import type { RangeOptions } from '../base/ports/keyValueStore.ts'
import { compareBytes, concatBytes } from '../base/primitives/bytes.ts'

const ZERO_BYTE = Uint8Array.of(0)

/** The first possible key after another. */
export function keyAfter(key: Uint8Array): Uint8Array {
  return concatBytes(key, ZERO_BYTE)
}

/** A half-open interval of keys with a direction. */
export interface KeyInterval {
  /** First key, inclusive. */
  readonly low: Uint8Array
  /** End, exclusive; undefined: no end. */
  readonly high: Uint8Array | undefined
  readonly reverse: boolean
  /** Infinity without a limit. */
  readonly limit: number
}

/** The smallest key above all keys with this prefix; undefined when there is none. */
function prefixEnd(prefix: Uint8Array): Uint8Array | undefined {
  let length = prefix.length
  while (length > 0 && prefix[length - 1] === 0xff) length--
  if (length === 0) return undefined
  const end = prefix.slice(0, length)
  end[length - 1] = (end[length - 1] as number) + 1
  return end
}

/** @throws {RangeError} when `limit` is not an unsigned integer */
export function keyInterval(options: RangeOptions): KeyInterval {
  const { prefix, from, limit = Number.POSITIVE_INFINITY, reverse = false } = options
  if (limit < 0 || Number.isNaN(limit)) throw new RangeError(`limit of a range: ${limit}`)
  const high = prefixEnd(prefix)
  if (from === undefined) return { low: prefix, high, reverse, limit }
  if (reverse) {
    const afterFrom = keyAfter(from)
    return { low: prefix, high: high === undefined || isBelow(afterFrom, high) ? afterFrom : high, reverse, limit }
  }
  return { low: isBelow(prefix, from) ? from : prefix, high, reverse, limit }
}

/** Whether no key can be in the interval. */
export function isEmptyInterval({ low, high, limit }: KeyInterval): boolean {
  return limit === 0 || (high !== undefined && !isBelow(low, high))
}

function isBelow(a: Uint8Array, b: Uint8Array): boolean {
  return compareBytes(a, b) < 0
}
