/** Operations on short byte ranges, which loads and stores handle faster than the bulk memory instructions. */

/** Above this length, memory.fill and memory.copy are used. */
const SHORT: usize = 256

/** 20 bytes */
export function copyAddress(out: usize, address: usize): void {
  store<u64>(out, load<u64>(address))
  store<u64>(out, load<u64>(address, 8), 8)
  store<u32>(out, load<u32>(address, 16), 16)
}

/** Fills a multiple of 8 bytes with zeros. */
export function clear(at: usize, bytes: usize): void {
  if (bytes > SHORT) {
    memory.fill(at, 0, bytes)
    return
  }
  const end = at + bytes
  for (; at + 16 <= end; at += 16) v128.store(at, i64x2.splat(0))
  if (at < end) store<u64>(at, 0)
}

/** Copies bytes; the ranges may overlap. */
export function move(out: usize, from: usize, bytes: usize): void {
  // Both halves are loaded before the first is stored, because the ranges may overlap.
  if (bytes <= 32 && bytes >= 16) {
    const first = v128.load(from)
    const last = v128.load(from + bytes - 16)
    v128.store(out, first)
    v128.store(out + bytes - 16, last)
  } else memory.copy(out, from, bytes)
}
