/**
 * Base64 with the standard alphabet and padding.
 * @see RFC 4648, section 4
 * @module
 */
import { fromBase64Url, toBase64Url } from './baseEncoding.ts'

const FORM = /^[A-Za-z0-9+/]*={0,2}$/

export function toBase64(bytes: Uint8Array): string {
  const text = toBase64Url(bytes).replaceAll('-', '+').replaceAll('_', '/')
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=')
}

/** @returns undefined for other characters or a length that is not a multiple of 4 */
export function fromBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0 || !FORM.test(text)) return undefined
  return fromBase64Url(text.replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_'))
}
