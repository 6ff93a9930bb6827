/**
 * Single nodes by path, for peers that repair a state.
 * @module
 */
import { EXTENSION, LEAF, nibbleAt, REF } from './node.ts'
import { packNibblePath } from './nodePath.ts'
import type { Trie } from './trie.ts'

const MAX_NIBBLES = 64

/**
 * @param path in hex-prefix encoding
 * @returns RLP; undefined when no separate node begins at the path
 */
export function nodeByPath(trie: Trie, path: Uint8Array): Uint8Array | undefined {
  const nibbles = unpack(path)
  if (nibbles === undefined) return undefined
  let depth = 0
  let child = trie.root
  while (child !== undefined) {
    const isSeparate = child.kind === REF || depth === 0
    const node = child.kind === REF ? trie.resolveAt(child, packNibblePath(nibbles, depth), depth) : child
    if (depth === nibbles.length) return isSeparate ? trie.cache.hasher.rlp(node, depth) : undefined
    if (node.kind === LEAF) return undefined
    if (node.kind === EXTENSION) {
      const from = depth
      depth += node.path.length
      if (depth > nibbles.length || node.path.some((nibble, i) => nibble !== nibbles[from + i])) return undefined
      child = node.child
    } else {
      child = node.children[nibbles[depth++] as number]
    }
  }
  return undefined
}

/** Unpacked nibbles; undefined when the path is that of a leaf, too long or damaged. */
function unpack(path: Uint8Array): Uint8Array | undefined {
  if (path.length === 0) return path
  const flags = (path[0] as number) >> 4
  const first = flags === 1 ? 1 : 2
  const length = path.length * 2 - first
  if (flags > 1 || length > MAX_NIBBLES) return undefined
  return Uint8Array.from({ length }, (_, i) => nibbleAt(path, first + i))
}
