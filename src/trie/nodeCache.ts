import type { KeyValueReader } from '../base/ports/keyValueStore.ts'
import { keys } from '../storage/schema.ts'
import { missingTrieNode } from './errors.ts'
import { BRANCH, LEAF, type Node, type Ref } from './node.ts'
import { decodeNode } from './nodeCodec.ts'
import { NodeHasher } from './nodeHasher.ts'

/**
 * Number of superseded nodes that remain cached: the changes of about a dozen blocks with one transfer each, for readers
 * of recent states. Older ones are released, so that most of them die young, which spares the garbage collector.
 */
const SUPERSEDED_NODES = 256
/** Approximate heap size of an object, without its bytes. */
const NODE_BYTES = 240
const REF_BYTES = 56

/**
 * Decoded nodes, bounded in bytes. Each node is held by the reference through which it was reached, so a walk through
 * cached nodes needs no lookups. The cache only decides which references release their nodes (second chance, in order
 * of arrival).
 */
export class NodeCache {
  readonly hasher: NodeHasher = new NodeHasher()
  readonly #limit: number
  readonly #ring: Ref[] = []
  /** Circular: `#oldest` is the next to release. */
  readonly #superseded: Ref[] = []
  #oldest = 0
  #hand = 0
  #bytes = 0

  /** @param limit bytes */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Estimated size of all nodes held. */
  get bytes(): number {
    return this.#bytes
  }

  /**
   * The node that `ref` refers to.
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

  /** Decodes and caches the stored node that `ref` refers to. */
  decode(ref: Ref, bytes: Uint8Array): Node {
    // The node retains its bytes, so a slice of a much larger buffer is copied first.
    const node = decodeNode(bytes.buffer.byteLength > 2 * bytes.length ? bytes.slice() : bytes)
    this.hold(ref, node)
    return node
  }

  /** Caches a node with its reference until it is evicted or released. */
  hold(ref: Ref, node: Node): void {
    if (ref.place >= 0) this.#remove(ref)
    ref.node = node
    ref.used = true
    ref.place = this.#ring.length
    this.#ring.push(ref)
    this.#bytes += sizeOf(node)
    while (this.#bytes > this.#limit) this.#evictOne()
  }

  /** Releases a node soon: its place in the trie has been taken by a newer node. */
  supersede(ref: Ref): void {
    if (ref.node === undefined) return
    const released = this.#superseded[this.#oldest]
    this.#superseded[this.#oldest] = ref
    this.#oldest = (this.#oldest + 1) % SUPERSEDED_NODES
    if (released !== undefined && released.place >= 0) this.#remove(released)
  }

  #evictOne(): void {
    for (;;) {
      if (this.#hand >= this.#ring.length) this.#hand = 0
      const ref = this.#ring[this.#hand] as Ref
      if (!ref.used) {
        this.#remove(ref)
        return
      }
      ref.used = false
      this.#hand++
    }
  }

  #remove(ref: Ref): void {
    const last = this.#ring.pop() as Ref
    if (last !== ref) {
      this.#ring[ref.place] = last
      last.place = ref.place
    }
    if (ref.node !== undefined) this.#bytes -= sizeOf(ref.node)
    ref.node = undefined
    ref.place = -1
  }
}

function sizeOf(node: Node): number {
  if (node.kind === LEAF) return NODE_BYTES + node.key.length + node.value.length
  if (node.kind !== BRANCH) return NODE_BYTES + REF_BYTES + node.path.length
  let bytes = 2 * NODE_BYTES
  for (const child of node.children) if (child !== undefined) bytes += REF_BYTES + 38
  return bytes
}
