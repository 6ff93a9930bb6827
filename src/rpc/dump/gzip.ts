/**
 * gzip with the streams of the host.
 * @module
 */
import { NodeError } from '../../base/primitives/errors.ts'

const GZIP_MAGIC = [0x1f, 0x8b]
/** A stream may expand a whole chunk before it is read; deflate expands at most 1,032 times. */
const INPUT_BYTES = 4096

/** Whether the host can compress. */
export const hasGzip: boolean = typeof CompressionStream === 'function' && typeof DecompressionStream === 'function'

export function isGzip(bytes: Uint8Array): boolean {
  return GZIP_MAGIC.every((byte, at) => bytes[at] === byte)
}

export function compress(source: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return transformed(source, new CompressionStream('gzip') as ByteTransform)
}

/** @throws {NodeError} INVALID_DUMP when the input is damaged or incomplete */
export async function* decompress(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  if (!hasGzip) throw new NodeError({ code: 'INVALID_DUMP' }, 'the host cannot decompress the dump')
  try {
    yield* transformed(cut(source), new DecompressionStream('gzip') as ByteTransform)
  } catch (error) {
    if (error instanceof NodeError) throw error
    throw new NodeError({ code: 'INVALID_DUMP' }, 'the dump is not valid: its compression is damaged or cut', {
      cause: error,
    })
  }
}

async function* cut(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const chunk of source)
    for (let at = 0; at < chunk.length; at += INPUT_BYTES) yield chunk.subarray(at, at + INPUT_BYTES)
}

type ByteTransform = ReadableWritablePair<Uint8Array, Uint8Array>

async function* transformed(
  source: AsyncIterable<Uint8Array>,
  transform: ByteTransform,
): AsyncGenerator<Uint8Array, void, undefined> {
  const chunks = source[Symbol.asyncIterator]()
  const reader = streamOf(chunks).pipeThrough(transform).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // The reader is not cancelled: on Node, zlib may still deliver to a cancelled stream, which ends the process.
    await chunks.return?.()
  }
}

function streamOf(chunks: AsyncIterator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done === true) controller.close()
      else controller.enqueue(value)
    },
  })
}
