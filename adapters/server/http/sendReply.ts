/**
 * Sends the reply to a JSON-RPC request: as one text, streamed, or compressed.
 * @module
 */
import { MIN_COMPRESSED_LENGTH, STREAM_PENDING_BYTES } from '../../../src/base/limits/limits.ts'
import { acceptedCoding, type ContentCoding } from '../../../src/http/contentCoding.ts'
import type { Headers } from '../../../src/http/policy.ts'
import type { HttpReply } from '../../../src/http/rpcExchange.ts'
import type { ReplyTarget } from './directResponse.ts'
import type { HttpConnection } from './httpConnections.ts'
import { sendStream, sendText } from './streamResponse.ts'

/**
 * Sends header and body together: the body is one string of known length. ASCII is written faster as Latin-1.
 * @param codings the `Accept-Encoding` header; undefined: answers are not compressed
 */
export function send(
  response: ReplyTarget,
  reply: HttpReply,
  headers: Headers,
  codings: string | undefined,
  connection: HttpConnection,
  stallMs: number,
): void {
  if (response.destroyed) return
  const { status, body, stream } = reply
  if (codings !== undefined && (stream !== undefined || body.length >= MIN_COMPRESSED_LENGTH)) {
    const coding = acceptedCoding(codings)
    if (coding !== undefined) {
      sendCompressed(response, reply, headers, coding, connection, stallMs).catch(() => response.destroy())
      return
    }
  }
  if (stream !== undefined) {
    response.writeHead(status, headers)
    void sendStream(response, stream, stallMs)
    return
  }
  if (status === 504) response.setHeader('Connection', 'close')
  else if (status === 429) response.setHeader('Retry-After', '1')
  const length = Buffer.byteLength(body)
  response.writeHead(status, headerList(headers, length))
  const isAscii = length === body.length
  if (length > STREAM_PENDING_BYTES) {
    void sendText(response, isAscii ? body : Buffer.from(body), connection.outbound, stallMs)
    return
  }
  response.end(body, isAscii ? 'latin1' : 'utf8')
  if (response.writableLength > 0) connection.count(response, isAscii ? length : 2 * length)
}

/** The text counts as unsent while it is compressed. */
async function sendCompressed(
  response: ReplyTarget,
  { status, body, stream }: HttpReply,
  headers: Headers,
  coding: ContentCoding,
  { outbound }: HttpConnection,
  stallMs: number,
): Promise<void> {
  const { compress, sendCompressedStream } = await import('./compression.ts')
  const all = { ...headers, 'Content-Encoding': coding }
  if (stream !== undefined) {
    response.writeHead(status, all)
    await sendCompressedStream(response, stream, coding, stallMs)
    return
  }
  outbound.add(body.length)
  const bytes = await compress(body, coding).finally(() => outbound.sent(body.length))
  if (response.destroyed) return
  response.writeHead(status, headerList(all, bytes.length))
  await sendText(response, bytes, outbound, stallMs)
}

/** Alternating names and values, the form that node:http writes fastest. */
function headerList(headers: Headers, contentLength: number): string[] {
  const list = ['Content-Length', String(contentLength)]
  for (const name in headers) list.push(name, headers[name] as string)
  return list
}
