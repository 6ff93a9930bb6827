/**
 * The small part of HTTP/1.1 that miners use on the Stratum port: POST with a length.
 * @module
 */
import { MAX_STRATUM_LINE_BYTES } from '../../base/limits/limits.ts'

export interface HttpRequest {
  readonly headBytes: number
  readonly bodyBytes: number
}

const START = 'POST '

const decoder = new TextDecoder()

/** @returns `invalid`: no POST request with a body of known, permitted length */
export function parseHead(bytes: Uint8Array): HttpRequest | 'incomplete' | 'invalid' {
  // One byte per character, so that positions in the text are positions in the bytes.
  const text = asciiOf(bytes.subarray(0, MAX_STRATUM_LINE_BYTES))
  if (!text.startsWith(START.slice(0, text.length))) return 'invalid'
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return bytes.length >= MAX_STRATUM_LINE_BYTES ? 'invalid' : 'incomplete'
  const lengths = [...text.slice(0, end).matchAll(/\r\ncontent-length:[ \t]*([0-9]{1,6})[ \t]*(?=\r\n|$)/gi)]
  const length = Number(lengths[0]?.[1])
  if (lengths.length !== 1 || length > MAX_STRATUM_LINE_BYTES) return 'invalid'
  return { headBytes: end + 4, bodyBytes: length }
}

/** A successful answer after which the connection remains open. */
export function httpAnswer(body: string): string {
  const head = ['HTTP/1.1 200 OK', 'Connection: Keep-Alive', 'Keep-Alive: timeout=5, max=1000']
  return `${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

function asciiOf(bytes: Uint8Array): string {
  return decoder.decode(bytes.map((byte) => (byte < 128 ? byte : 0x3f)))
}
