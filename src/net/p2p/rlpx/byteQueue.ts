import { EMPTY_BYTES } from '../../../base/primitives/bytes.ts'

/** Chunks below this size are copied together, because each chunk costs memory in addition to its bytes. */
const SMALL_CHUNK_BYTES = 2048
const JOINED_CHUNK_BYTES = 16_384
/** Number of read chunks that are removed together. */
const MAX_READ_CHUNKS = 64

/** Received chunks, read in pieces of any length. A piece that is within one chunk is not copied. */
export class ByteQueue {
  #chunks: Uint8Array[] = []
  /** Index of the first unread chunk, and of its first unread byte. */
  #first = 0
  #offset = 0
  #length = 0
  /** The last chunk is the used beginning of this buffer. */
  #tail: Uint8Array = EMPTY_BYTES
  #tailUsed = 0

  /** Number of unread bytes. */
  get length(): number {
    return this.#length
  }

  /** @param bytes owned by the queue from this call */
  push(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    // A subclass of the host, such as that of Node's sockets, may override `slice` so that it does not copy.
    const chunk =
      bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
    this.#length += chunk.length
    if (chunk.length >= SMALL_CHUNK_BYTES || this.#chunks.length === 0) {
      this.#chunks.push(chunk)
      this.#tail = EMPTY_BYTES
      this.#tailUsed = 0
    } else this.#append(chunk)
  }

  #append(chunk: Uint8Array): void {
    const tailEnd = this.#tailUsed + chunk.length
    if (tailEnd > this.#tail.length) {
      this.#tail = new Uint8Array(JOINED_CHUNK_BYTES)
      this.#tail.set(chunk)
      this.#tailUsed = chunk.length
      this.#chunks.push(this.#tail.subarray(0, chunk.length))
    } else {
      this.#tail.set(chunk, this.#tailUsed)
      this.#tailUsed = tailEnd
      this.#chunks[this.#chunks.length - 1] = this.#tail.subarray(0, tailEnd)
    }
  }

  /** Like {@link take}, but the bytes remain unread. */
  peek(count: number): Uint8Array {
    this.#assertAvailable(count)
    const head = this.#chunks[this.#first] ?? EMPTY_BYTES
    if (head.length - this.#offset >= count) return head.subarray(this.#offset, this.#offset + count)
    return this.#joined(count)
  }

  /**
   * Removes the first bytes.
   * @param count at most {@link length}
   * @returns owned by the caller
   */
  take(count: number): Uint8Array {
    const bytes = this.peek(count)
    this.#advance(count)
    return bytes
  }

  clear(): void {
    this.#length = 0
    this.#offset = 0
    this.#removeAll()
  }

  #removeAll(): void {
    this.#chunks = []
    this.#first = 0
    this.#tail = EMPTY_BYTES
    this.#tailUsed = 0
  }

  #joined(count: number): Uint8Array {
    const bytes = new Uint8Array(count)
    for (let at = 0, index = this.#first, offset = this.#offset; at < count; index++, offset = 0) {
      const part = (this.#chunks[index] as Uint8Array).subarray(offset, offset + count - at)
      bytes.set(part, at)
      at += part.length
    }
    return bytes
  }

  #advance(count: number): void {
    this.#length -= count
    let rest = count
    while (rest > 0) {
      const unreadBytes = (this.#chunks[this.#first] as Uint8Array).length - this.#offset
      if (rest < unreadBytes) {
        this.#offset += rest
        return
      }
      rest -= unreadBytes
      this.#chunks[this.#first] = EMPTY_BYTES
      this.#first++
      this.#offset = 0
    }
    if (this.#first === this.#chunks.length) this.#removeAll()
    else if (this.#first >= MAX_READ_CHUNKS) {
      this.#chunks.splice(0, this.#first)
      this.#first = 0
    }
  }

  #assertAvailable(count: number): void {
    if (count > this.#length) throw new RangeError(`count: ${count} bytes wanted, ${this.#length} available`)
  }
}
