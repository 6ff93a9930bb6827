/**
 * Splits a stream of concatenated RLP blocks, the format of `blocks import` and `blocks export`, into blocks.
 * @module
 */
import { MAX_IMPORT_BLOCK_BYTES } from '../base/limits/limits.ts'
import { EMPTY_BYTES } from '../base/primitives/bytes.ts'
import { NodeError } from '../base/primitives/errors.ts'
import { rlpSpan } from '../base/primitives/rlp.ts'

/** Maximum length of an RLP prefix. */
const MAX_PREFIX_BYTES = 9

/**
 * Buffers at most one incomplete block. A block within one chunk is a view of that chunk; a block across several is
 * assembled in a buffer of exactly its size.
 */
export class BlockSplitter {
  /** Start of a block whose length is not yet known. */
  #prefix: Uint8Array = EMPTY_BYTES
  /** The block that is being assembled, and the number of bytes received so far. */
  #block: Uint8Array | undefined
  #filled = 0
  #offset = 0
  /** Why the stream cannot be split any further. */
  #failure: NodeError | undefined

  /** Offset in the stream after the last complete block. */
  get offset(): number {
    return this.#offset
  }

  /**
   * @param chunk must not be changed afterwards
   * @returns RLP of the blocks that this chunk completes, including those before bytes that are not a block
   * @throws {NodeError} INVALID_BLOCK_STREAM; after blocks only at the next call or at the end
   */
  push(chunk: Uint8Array): Uint8Array[] {
    if (this.#failure !== undefined) throw this.#failure
    const blocks: Uint8Array[] = []
    try {
      this.#split(chunk, blocks)
    } catch (error) {
      if (blocks.length === 0 || !(error instanceof NodeError)) throw error
      this.#failure = error
    }
    return blocks
  }

  #split(chunk: Uint8Array, blocks: Uint8Array[]): void {
    let rest = this.#continue(chunk, blocks)
    while (rest.length > 0) {
      const length = this.#blockLength(rest)
      if (length === undefined) {
        this.#prefix = rest
        break
      }
      if (length > rest.length) {
        this.#block = new Uint8Array(length)
        this.#block.set(rest)
        this.#filled = rest.length
        break
      }
      this.#complete(rest.subarray(0, length), blocks)
      rest = rest.subarray(length)
    }
  }

  /** @throws {NodeError} INVALID_BLOCK_STREAM when the stream ended within a block, or what `push` found after one */
  finish(): void {
    if (this.#failure !== undefined) throw this.#failure
    const remainingBytes = this.#prefix.length + (this.#block === undefined ? 0 : this.#filled)
    if (remainingBytes > 0) throw this.#invalid(`the data ends within a block, ${remainingBytes} bytes after its start`)
  }

  /**
   * Adds the chunk to the incomplete block.
   * @returns the rest of the chunk, beginning with the next block
   */
  #continue(chunk: Uint8Array, blocks: Uint8Array[]): Uint8Array {
    if (this.#block !== undefined) {
      const take = Math.min(this.#block.length - this.#filled, chunk.length)
      this.#block.set(chunk.subarray(0, take), this.#filled)
      this.#filled += take
      if (this.#filled < this.#block.length) return EMPTY_BYTES
      this.#complete(this.#block, blocks)
      this.#block = undefined
      return chunk.subarray(take)
    }
    if (this.#prefix.length === 0) return chunk
    const joined = new Uint8Array(this.#prefix.length + chunk.length)
    joined.set(this.#prefix)
    joined.set(chunk, this.#prefix.length)
    this.#prefix = EMPTY_BYTES
    return joined
  }

  #complete(block: Uint8Array, blocks: Uint8Array[]): void {
    blocks.push(block)
    this.#offset += block.length
  }

  /** @returns undefined when the prefix is incomplete */
  #blockLength(bytes: Uint8Array): number | undefined {
    const first = bytes[0] as number
    if (first < 0xc0) throw this.#invalid('expected an RLP list, got a byte string')
    const prefixLength = first < 0xf8 ? 1 : first - 0xf7 + 1
    if (bytes.length < prefixLength && bytes.length < MAX_PREFIX_BYTES) return undefined
    const length = this.#spanEnd(bytes)
    if (length > MAX_IMPORT_BLOCK_BYTES) {
      throw this.#invalid(`a block of ${length} bytes, more than the limit of ${MAX_IMPORT_BLOCK_BYTES}`)
    }
    return length
  }

  #spanEnd(bytes: Uint8Array): number {
    try {
      return rlpSpan(bytes, 0).end
    } catch (error) {
      throw this.#invalid(error instanceof NodeError ? error.message : String(error))
    }
  }

  #invalid(reason: string): NodeError {
    const details = { code: 'INVALID_BLOCK_STREAM', offset: this.#offset }
    return new NodeError(details, `invalid block data at byte ${this.#offset}: ${reason}`)
  }
}

/**
 * RLP of each block of a stream, in order.
 * @throws {NodeError} INVALID_BLOCK_STREAM
 */
export async function* readBlocks(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const splitter = new BlockSplitter()
  for await (const chunk of chunks) yield* splitter.push(chunk)
  splitter.finish()
}
