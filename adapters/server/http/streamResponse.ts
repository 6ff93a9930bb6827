import type { Writable } from 'node:stream'
import type { ByteStream } from '../../../src/base/primitives/byteStream.ts'
import type { OutboundAccount } from '../../../src/rpc/connection/outboundBudget.ts'

/**
 * Sends a body while it is produced. On failure it closes the connection, so that the client notices the truncation.
 */
export async function sendStream(response: Writable, stream: ByteStream, stallMs: number): Promise<void> {
  try {
    for (let chunk = await stream.read(); chunk !== undefined; chunk = await stream.read()) {
      if (!response.write(chunk)) await settled(response, 'drain', stallMs)
    }
    response.end()
    if (!response.writableFinished) await settled(response, 'finish', stallMs)
  } catch (error) {
    response.destroy()
    stream.break(error)
  }
}

/** Number of characters or bytes passed to the connection at a time. */
const CHUNK_LENGTH = 65_536

/**
 * Sends a long text, Latin-1 or UTF-8, in pieces, so that a client that does not read is noticed.
 * @param outbound counts the bytes that have not been sent yet
 */
export async function sendText(
  response: Writable,
  text: string | Buffer,
  outbound: OutboundAccount,
  stallMs: number,
): Promise<void> {
  const { length } = text
  outbound.add(length)
  let from = 0
  try {
    while (from < length) {
      const to = Math.min(length, from + CHUNK_LENGTH)
      const isTaken =
        typeof text === 'string'
          ? response.write(text.slice(from, to), 'latin1')
          : response.write(text.subarray(from, to))
      if (to === length) response.end()
      if (to === length && !response.writableFinished) await settled(response, 'finish', stallMs)
      else if (!isTaken) await settled(response, 'drain', stallMs)
      outbound.sent(to - from)
      from = to
    }
  } catch {
    response.destroy()
    outbound.sent(length - from)
  }
}

/** Waits for an event that shows that the client is reading. */
export function settled(response: Writable, event: 'drain' | 'finish', stallMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer)
      response.off(event, done)
      response.off('close', gone)
    }
    const done = (): void => {
      end()
      resolve()
    }
    const gone = (): void => {
      end()
      reject(new DOMException('the client has disconnected', 'AbortError'))
    }
    const timer = setTimeout(() => {
      end()
      reject(new DOMException('the client does not read', 'TimeoutError'))
    }, stallMs)
    response.once(event, done)
    response.once('close', gone)
    if (response.destroyed) gone()
  })
}
