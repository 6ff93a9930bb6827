/**
 * Short zeroed byte strings for tables that usually stay small. They are slices of a shared slab: an ArrayBuffer for
 * each would cost several times as much as the work on it, and about as much again in garbage collection.
 * @module
 */

const SLAB_BYTES = 16_384
/** Longer strings get their own buffer. */
const LONGEST = 1024

let slab = new Uint8Array(SLAB_BYTES)
let used = 0

/** Zeroed bytes that no other caller shares. A slab is freed once all its slices are unreachable. */
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

/**
 * An allocator of zeroed byte strings of one kind, which share slabs: a string that lives long retains only others like
 * it.
 * @param slabBytes longer strings get their own buffer
 */
export function bytePool(slabBytes: number): (length: number) => Uint8Array {
  let slab = new Uint8Array(0)
  let used = 0
  return (length) => {
    if (length > slabBytes) return new Uint8Array(length)
    if (used + length > slab.length) {
      slab = new Uint8Array(slabBytes)
      used = 0
    }
    const bytes = slab.subarray(used, used + length)
    used += length
    return bytes
  }
}
