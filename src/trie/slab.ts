/** Of the first slab: a block with one transfer writes that much to a trie. Each further slab is twice as large. */
const FIRST_SLAB_BYTES = 4 * 1024
const LARGEST_SLAB_BYTES = 64 * 1024

/**
 * Allocates slices of larger buffers. Thousands of small buffers that are written together and released together would
 * cost more in garbage collection than in actual work.
 */
export class Slab {
  #bytes = new Uint8Array(0)
  #used = 0
  #nextBytes = FIRST_SLAB_BYTES

  readonly allocate = (length: number): Uint8Array => {
    if (length > this.#nextBytes / 4) return new Uint8Array(length)
    if (this.#used + length > this.#bytes.length) {
      this.#bytes = new Uint8Array(this.#nextBytes)
      this.#nextBytes = Math.min(2 * this.#nextBytes, LARGEST_SLAB_BYTES)
      this.#used = 0
    }
    const start = this.#used
    this.#used += length
    return this.#bytes.subarray(start, this.#used)
  }
}
