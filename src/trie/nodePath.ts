/**
 * Paths as database keys: packed nibbles and one byte with their number, so that no two paths share a key.
 * @module
 */
import { nibbleAt } from './node.ts'

/** Longest path that a stored trie may have, in nibbles. */
const MAX_PATH_NIBBLES = 255

/** The path of the first `depth` nibbles of a key. */
export function packKeyPath(key: Uint8Array, depth: number): Uint8Array {
  const bytes = pathBuffer(depth)
  const whole = depth >> 1
  for (let i = 0; i < whole; i++) bytes[i] = key[i] as number
  if (depth & 1) bytes[whole] = nibbleAt(key, depth - 1) << 4
  return bytes
}

/** The path of the first `depth` of unpacked nibbles. */
export function packNibblePath(nibbles: Uint8Array, depth: number): Uint8Array {
  const bytes = pathBuffer(depth)
  for (let i = 0; i + 1 < depth; i += 2) bytes[i >> 1] = ((nibbles[i] as number) << 4) | (nibbles[i + 1] as number)
  if (depth & 1) bytes[depth >> 1] = (nibbles[depth - 1] as number) << 4
  return bytes
}

function pathBuffer(depth: number): Uint8Array {
  if (depth > MAX_PATH_NIBBLES) throw new RangeError(`a trie path of ${depth} nibbles cannot be stored`)
  const bytes = new Uint8Array(((depth + 1) >> 1) + 1)
  bytes[bytes.length - 1] = depth
  return bytes
}
