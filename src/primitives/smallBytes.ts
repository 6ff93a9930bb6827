/**
 * Short byte strings of zeros for tables that most often stay small. An ArrayBuffer of its own for each would cost several
 * times as much as the work with it, and the garbage collector as much again.
 * @module
 */

const SLAB_BYTES = 16_384
/** Longer ones get a buffer of their own. */
const LONGEST = 1024

let slab = new Uint8Array(SLAB_BYTES)
let used = 0

/** Zeros that are no one else's. The memory is free again when those that were made before and after it are, too. */
export function smallBytes(length: number): Uint8Array {
  if (length > LONGEST) return new Uint8Array(length)
  if (used + length > SLAB_BYTES) {
    slab = new Uint8Array(SLAB_BYTES)
    used = 0
  }
  const bytes = slab.subarray(used, used + length)
  used += length
  return bytes
}
