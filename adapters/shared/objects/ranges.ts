/**
 * Objects over HTTP in whole or by `Range`.
 * @module
 */
import { MAX_OBJECT_BYTES } from '../../../src/base/limits/limits.ts'
import { EMPTY_BYTES } from '../../../src/base/primitives/bytes.ts'
import { unavailable } from './errors.ts'
import { type ObjectAnswer, refusal } from './http.ts'

/** A part of an object; without a length, up to the end. */
export interface ByteRange {
  readonly offset: number
  readonly length?: number | undefined
}

/** @returns undefined for the whole object */
export function rangeHeader({ offset, length }: ByteRange): string | undefined {
  if (offset === 0 && length === undefined) return undefined
  return `bytes=${offset}-${length === undefined ? '' : offset + length - 1}`
}

/** Bytes of an answer to a request of this range. */
export function maxAnswerBytes({ length }: ByteRange): number {
  return Math.min(length ?? MAX_OBJECT_BYTES, MAX_OBJECT_BYTES)
}

/**
 * @returns the bytes; undefined: no such object
 * @throws {NodeError} MIRROR_UNAVAILABLE for any other answer than the object or the range
 */
export function objectOf(
  label: string,
  object: string,
  range: ByteRange,
  answer: ObjectAnswer,
): Uint8Array | undefined {
  const { status, headers, body } = answer
  if (status === 404) return undefined
  if (status === 416 && totalOf(headers) <= range.offset) return EMPTY_BYTES
  if (status !== 200 && status !== 206) throw refusal(label, object, answer)
  if (/^text\/html\b/i.test(headers.get('content-type') ?? '')) {
    throw unavailable(label, object, 'the service answers with an HTML page')
  }
  const isPart = rangeHeader(range) !== undefined
  if (isPart && status === 200) throw unavailable(label, object, 'the service ignores Range')
  if (isPart) requirePart(label, object, range, answer)
  else if (status === 206) throw unavailable(label, object, 'the service answers with a part, and nobody asked for one')
  return body
}

/** The answer must say that it is the range, and contain all of it. */
function requirePart(label: string, object: string, { offset, length }: ByteRange, { headers, body }: ObjectAnswer) {
  if (headers.get('content-encoding') !== null) throw unavailable(label, object, 'the service compresses a range')
  const header = headers.get('content-range') ?? ''
  const [, first, last, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(header) ?? []
  if (first === undefined) {
    // Browsers hide the header of another origin unless the service exposes it.
    if (header === '' && body.length === length) return
    throw unavailable(label, object, 'the service does not say which range it sends')
  }
  const end = Math.min(length === undefined ? Infinity : offset + length, Number(total))
  const isWhole = Number(first) === offset && Number(last) === end - 1 && body.length === end - offset
  if (!isWhole) throw unavailable(label, object, 'the service sends another range than the one asked for')
}

function totalOf(headers: Headers): number {
  return Number(/^bytes \*\/(\d{1,15})$/.exec(headers.get('content-range') ?? '')?.[1] ?? Infinity)
}
