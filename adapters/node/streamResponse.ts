import type { ServerResponse } from 'node:http'
import type { ByteStream } from '../../src/primitives/byteStream.ts'

/** Sends a body as it is made; the connection is closed when that fails, so that the client sees that it is cut off. */
export async function sendStream(response: ServerResponse, stream: ByteStream, stallMs: number): Promise<void> {
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

/** Waits for an event that shows that the client reads. */
function settled(response: ServerResponse, event: 'drain' | 'finish', stallMs: number): Promise<void> {
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
      reject(new DOMException('the client has gone away', 'AbortError'))
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
