import { type KeyValueReader, type MissRequest, StoreMiss } from '../base/ports/keyValueStore.ts'
import { keccak256 } from '../base/primitives/keccak.ts'
import { keys } from '../storage/schema.ts'
import { missingTrieNode } from './errors.ts'
import { type Child, EXTENSION, LEAF, Leaf, type Node, REF, Ref } from './node.ts'
import { decodeNode } from './nodeCodec.ts'
import { NodeHasher } from './nodeHasher.ts'
import { packNibblePath } from './nodePath.ts'

/** Why a walk pauses: data to load from the store, or undefined to let other work run. */
export type WalkPause = MissRequest | undefined

/** Number of nodes read by all walks that share it. */
export interface WalkCount {
  nodes: number
}

/** Number of nodes between two pauses: less than a millisecond of work. */
const NODES_PER_PAUSE = 64

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
  count: WalkCount,
  replaceValue?: ReplaceValue,
): Generator<WalkPause, Uint8Array> {
  return new Recomputer(reader, owner, count, replaceValue).hashOf(root)
}

type ReplaceValue = (leaf: Leaf) => Generator<WalkPause, Uint8Array>

class Recomputer {
  readonly #reader: KeyValueReader
  readonly #owner: Uint8Array
  readonly #count: WalkCount
  readonly #replaceValue: ReplaceValue | undefined
  readonly #hasher = new NodeHasher()
  readonly #path: number[] = []

  constructor(reader: KeyValueReader, owner: Uint8Array, count: WalkCount, replaceValue: ReplaceValue | undefined) {
    this.#reader = reader
    this.#owner = owner
    this.#count = count
    this.#replaceValue = replaceValue
  }

  *hashOf(ref: Ref): Generator<WalkPause, Uint8Array> {
    if (++this.#count.nodes % NODES_PER_PAUSE === 0) yield undefined
    const depth = this.#path.length
    const path = packNibblePath(Uint8Array.from(this.#path), depth)
    const bytes = yield* this.#read(keys.trieNode(ref.version, this.#owner, path))
    if (bytes === undefined) throw missingTrieNode(ref.version, depth)
    const node = yield* this.#recomputed(decodeNode(bytes))
    return keccak256(this.#hasher.rlp(node, depth))
  }

  *#read(key: Uint8Array): Generator<WalkPause, Uint8Array | undefined> {
    for (;;) {
      try {
        return this.#reader.get(key)
      } catch (error) {
        if (!(error instanceof StoreMiss)) throw error
        yield error.request
      }
    }
  }

  /** The node with the recomputed references of its children. */
  *#recomputed(node: Node): Generator<WalkPause, Node> {
    if (node.kind === LEAF) {
      return this.#replaceValue === undefined
        ? node
        : new Leaf(node.key, yield* this.#replaceValue(node), node.tag, node.incarnation)
    }
    if (node.kind === EXTENSION) {
      node.child = yield* this.#below(node.path, node.child)
    } else {
      for (let i = 0; i < 16; i++) {
        const child = node.children[i]
        if (child !== undefined) node.children[i] = yield* this.#below([i], child)
      }
    }
    return node
  }

  *#below(nibbles: Iterable<number>, child: Child): Generator<WalkPause, Child> {
    const depth = this.#path.length
    this.#path.push(...nibbles)
    const result =
      child.kind === REF ? new Ref(yield* this.hashOf(child), 0, child.version) : yield* this.#recomputed(child)
    this.#path.length = depth
    return result
  }
}
