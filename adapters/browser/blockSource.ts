import type { ReadableStream } from '../../src/base/ports/webTypes.ts'
import type { BlockSource } from './contract.ts'

/** The bytes of a source in pieces. */
export function bytesOf(blocks: BlockSource): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  if (blocks instanceof Uint8Array) return [blocks]
  if (blocks instanceof ArrayBuffer) return [new Uint8Array(blocks)]
  if (blocks instanceof Blob) return streamChunks(blocks.stream())
  return blocks instanceof ReadableStream ? streamChunks(blocks) : blocks
}

/** Iterates over the chunks of a stream, which not every browser supports directly. */
async function* streamChunks(stream: ReadableStream): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader()
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } finally {
    await reader.cancel().catch(() => {})
  }
}
