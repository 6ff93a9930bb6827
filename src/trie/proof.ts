/**
 * Makes Merkle proofs of single keys; trie/verifyProof.ts checks them.
 * @see EIP-1186
 * @module
 */
import { EXTENSION, LEAF, nibbleAt, REF } from './node.ts'
import type { Trie } from './trie.ts'

/**
 * RLP of the nodes on the path of a key, root first, including nodes embedded in their parent. The proof of an absent
 * key ends at the node that shows the absence; the proof in an empty trie is empty.
 */
export function prove(trie: Trie, key: Uint8Array): Uint8Array[] {
  const { hasher } = trie.cache
  const proof: Uint8Array[] = []
  const nibbles = key.length * 2
  let depth = 0
  let child = trie.root
  while (child !== undefined) {
    const node = child.kind === REF ? trie.resolve(child, key, depth) : child
    if (depth === 0 || child.kind === REF || hasher.reference(node, depth).length === 32) {
      proof.push(hasher.rlp(node, depth))
    }
    if (node.kind === LEAF) break
    if (node.kind === EXTENSION) {
      const { path } = node
      const from = depth
      depth += path.length
      if (depth > nibbles || path.some((nibble, i) => nibble !== nibbleAt(key, from + i))) break
      child = node.child
    } else {
      if (depth === nibbles) break
      child = node.children[nibbleAt(key, depth++)]
    }
  }
  return proof
}
