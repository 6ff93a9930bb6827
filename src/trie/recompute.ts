import type { KeyValueReader } from '../ports/keyValueStore.ts'
import { keccak256 } from '../primitives/keccak.ts'
import { keys } from '../storage/schema.ts'
import { missingTrieNode } from './errors.ts'
import { type Child, EXTENSION, LEAF, Leaf, type Node, REF, Ref } from './node.ts'
import { decodeNode } from './nodeCodec.ts'
import { NodeHasher } from './nodeHasher.ts'
import { packNibblePath } from './nodePath.ts'

/**
 * Walks a stored trie without any cache and hashes each node from its stored descendants instead of trusting the hashes
 * that nodes hold of their children. Holds one path in memory.
 * @param replaceValue the leaf value to hash, when it follows from other stored data
 * @returns the resulting root hash, 32 bytes
 */
export function recomputeRoot(
  reader: KeyValueReader,
  owner: Uint8Array,
  root: Ref,
  replaceValue?: (leaf: Leaf) => Uint8Array,
): Uint8Array {
  return new Recomputer(reader, owner, replaceValue).hashOf(root)
}

class Recomputer {
  readonly #reader: KeyValueReader
  readonly #owner: Uint8Array
  readonly #replaceValue: ((leaf: Leaf) => Uint8Array) | undefined
  readonly #hasher = new NodeHasher()
  readonly #path: number[] = []

  constructor(reader: KeyValueReader, owner: Uint8Array, replaceValue: ((leaf: Leaf) => Uint8Array) | undefined) {
    this.#reader = reader
    this.#owner = owner
    this.#replaceValue = replaceValue
  }

  hashOf(ref: Ref): Uint8Array {
    const depth = this.#path.length
    const path = packNibblePath(Uint8Array.from(this.#path), depth)
    const bytes = this.#reader.get(keys.trieNode(ref.version, this.#owner, path))
    if (bytes === undefined) throw missingTrieNode(ref.version, depth)
    const node = this.#recomputed(decodeNode(bytes))
    return keccak256(this.#hasher.rlp(node, depth))
  }

  /** The node with the recomputed references of its children. */
  #recomputed(node: Node): Node {
    if (node.kind === LEAF) {
      return this.#replaceValue === undefined ? node : new Leaf(node.key, this.#replaceValue(node), node.tag)
    }
    if (node.kind === EXTENSION) {
      node.child = this.#below(node.path, node.child)
    } else {
      for (let i = 0; i < 16; i++) {
        const child = node.children[i]
        if (child !== undefined) node.children[i] = this.#below([i], child)
      }
    }
    return node
  }

  #below(nibbles: Iterable<number>, child: Child): Child {
    const depth = this.#path.length
    this.#path.push(...nibbles)
    const result = child.kind === REF ? new Ref(this.hashOf(child), 0, child.version) : this.#recomputed(child)
    this.#path.length = depth
    return result
  }
}
