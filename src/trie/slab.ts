import { smallBytes } from '../base/primitives/smallBytes.ts'

/** A block with one transfer writes less than a slab to a trie. */
const SHARED_BYTES = 4 * 1024
/** Larger than any node except one with a large value. */
const SLAB_BYTES = 64 * 1024

/**
 * Allocates slices of larger buffers. Thousands of small buffers that are written together and released together would
 * cost more in garbage collection than in actual work.
 */
export class Slab {
  #bytes = new Uint8Array(0)
  #used = 0
  #shared = 0

  readonly allocate = (length: number): Uint8Array => {
    if (this.#shared + length <= SHARED_BYTES) {
      this.#shared += length
      return smallBytes(length)
    }
    if (length > SLAB_BYTES / 4) return new Uint8Array(length)
    if (this.#used + length > this.#bytes.length) {
      this.#bytes = new Uint8Array(SLAB_BYTES)
      this.#used = 0
    }
    const start = this.#used
    this.#used += length
    return this.#bytes.subarray(start, this.#used)
  }
}
