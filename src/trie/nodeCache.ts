import type { KeyValueReader } from '../ports/keyValueStore.ts'
import { keys } from '../storage/schema.ts'
import { missingTrieNode } from './errors.ts'
import { BRANCH, LEAF, type Node, type Ref } from './node.ts'
import { decodeNode } from './nodeCodec.ts'
import { NodeHasher } from './nodeHasher.ts'

/** What an object costs on the heap beside its bytes, roughly. */
const NODE_BYTES = 240
const REF_BYTES = 56

/**
 * Decoded nodes, bounded in bytes. A node hangs on the reference through which it was reached, so that a walk through
 * cached nodes looks nothing up; the cache only decides which references let go of theirs (second chance, in the order
 * of arrival).
 */
export class NodeCache {
  readonly hasher: NodeHasher = new NodeHasher()
  readonly #limit: number
  readonly #ring: Ref[] = []
  #hand = 0
  #bytes = 0

  /** @param limit bytes */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Estimated size of all nodes that are held. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * The node that `ref` stands for.
   * @param path packed, see nodePath.ts
   * @param depth nibbles above the node
   * @throws {NodeError} MISSING_TRIE_NODE
   * @throws {StoreMiss} when it is not in memory
   */
  load(ref: Ref, reader: KeyValueReader, owner: Uint8Array, path: Uint8Array, depth: number): Node {
    const bytes = reader.get(keys.trieNode(ref.version, owner, path))
    if (bytes === undefined) throw missingTrieNode(ref.version, depth)
    return this.decode(ref, bytes)
  }

  /** Keeps the stored node that `ref` stands for. */
  decode(ref: Ref, bytes: Uint8Array): Node {
    // A node keeps its bytes: what is a piece of a larger buffer must not keep all of that.
    const node = decodeNode(bytes.buffer.byteLength > 2 * bytes.length ? bytes.slice() : bytes)
    this.hold(ref, node)
    return node
  }

  /** Keeps a node with its reference for as long as there is room. */
  hold(ref: Ref, node: Node): void {
    ref.node = node
    ref.used = true
    this.#ring.push(ref)
    this.#bytes += sizeOf(node)
    while (this.#bytes > this.#limit) this.#evictOne()
  }

  #evictOne(): void {
    for (;;) {
      if (this.#hand >= this.#ring.length) this.#hand = 0
      const ref = this.#ring[this.#hand] as Ref
      if (!ref.used) break
      ref.used = false
      this.#hand++
    }
    const ref = this.#ring[this.#hand] as Ref
    const last = this.#ring.pop() as Ref
    if (last !== ref) this.#ring[this.#hand] = last
    if (ref.node !== undefined) this.#bytes -= sizeOf(ref.node)
    ref.node = undefined
  }
}

function sizeOf(node: Node): number {
  if (node.kind === LEAF) return NODE_BYTES + node.key.length + node.value.length
  if (node.kind !== BRANCH) return NODE_BYTES + REF_BYTES + node.path.length
  let bytes = 2 * NODE_BYTES
  for (const child of node.children) if (child !== undefined) bytes += REF_BYTES + 38
  return bytes
}
