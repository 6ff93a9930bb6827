/**
 * Compressed answers. zlib works on its own threads, so other requests do not wait.
 * @module
 */
import type { Writable } from 'node:stream'
import { constants, createDeflate, createGzip, deflate, gzip, type InputType } from 'node:zlib'
import type { ByteStream } from '../../../src/base/primitives/byteStream.ts'
import type { ContentCoding } from '../../../src/http/contentCoding.ts'
import { settled } from './streamResponse.ts'

/** JSON in hex shrinks little more at higher levels, which take several times as long. */
const OPTIONS = { level: constants.Z_BEST_SPEED }

export function compress(body: InputType, coding: ContentCoding): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const run = coding === 'gzip' ? gzip : deflate
    run(body, OPTIONS, (error, bytes) => {
      if (error === null) resolve(bytes)
      else reject(error)
    })
  })
}

/** Like sendStream, but compressed; the header lines must already be written. */
export async function sendCompressedStream(
  response: Writable,
  stream: ByteStream,
  coding: ContentCoding,
  stallMs: number,
): Promise<void> {
  const transform = coding === 'gzip' ? createGzip(OPTIONS) : createDeflate(OPTIONS)
  transform.on('error', () => response.destroy())
  response.once('close', () => transform.destroy())
  transform.pipe(response)
  try {
    for (let chunk = await stream.read(); chunk !== undefined; chunk = await stream.read()) {
      if (!transform.write(chunk)) await settled(transform, 'drain', stallMs)
    }
    transform.end()
    if (!response.writableFinished) await settled(response, 'finish', stallMs)
  } catch (error) {
    response.destroy()
    stream.break(error)
  }
}
