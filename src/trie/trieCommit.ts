import { keys } from '../storage/schema.ts'
import { BRANCH, Branch, type Child, EXTENSION, Extension, LEAF, type Node, REF, Ref } from './node.ts'
import type { NodeCache } from './nodeCache.ts'
import { encodeNode } from './nodeCodec.ts'
import { packKeyPath, packNibblePath } from './nodePath.ts'
import { Slab } from './slab.ts'

/**
 * Receives new nodes with their database keys; children precede their parents. Nodes are slices of larger buffers and
 * should be written soon.
 */
export type NodeSink = (key: Uint8Array, node: Uint8Array) => void

export interface NodeTarget {
  readonly trie: { readonly cache: NodeCache; readonly owner: Uint8Array; readonly token: object }
  readonly version: number
  readonly sink: NodeSink
}

interface CommitOptions extends NodeTarget {
  /** Hash of the root, 32 bytes. All nodes are already hashed. */
  readonly hash: Uint8Array
  /** The stored root that the new one replaces; the cache releases replaced nodes. */
  readonly replaced: Ref | undefined
}

/** Stores a root and every new node below it. */
export function commitNodes(options: CommitOptions, root: Node): Ref {
  return new Committer(options).store(root, 0, options.hash, options.replaced)
}

/** Stores new nodes whose references are known. */
export class Committer {
  readonly #options: NodeTarget
  readonly #slab = new Slab()
  #path = new Uint8Array(64)

  constructor(options: NodeTarget) {
    this.#options = options
  }

  /** @param replaced the node at the same path before the change */
  store(node: Node, depth: number, hash: Uint8Array, replaced: Child | undefined): Ref {
    const { trie, version, sink } = this.#options
    const before = replaced?.kind === REF ? replaced.node : replaced
    if (replaced?.kind === REF) trie.cache.supersede(replaced)
    const stored = this.#withStoredChildren(node, depth, before)
    const path = node.kind === LEAF ? packKeyPath(node.key, depth) : packNibblePath(this.#path, depth)
    sink(keys.trieNode(version, trie.owner, path), encodeNode(stored, this.#slab.allocate))
    const ref = new Ref(hash, 0, version)
    trie.cache.hold(ref, stored)
    return ref
  }

  /** The node with its new children replaced by references; a copy when another trie shares the node. */
  #withStoredChildren(node: Node, depth: number, before: Node | undefined): Node {
    if (node.kind === EXTENSION) {
      for (let i = 0; i < node.path.length; i++) this.step(depth + i, node.path[i] as number)
      const childBefore =
        before?.kind === EXTENSION && before.path.length === node.path.length ? before.child : undefined
      const child = this.child(node.child, depth + node.path.length, childBefore)
      if (child === node.child) return node
      const own = this.#isOwn(node) ? node : new Extension(node.path, child, undefined)
      own.child = child
      return own
    }
    if (node.kind !== BRANCH) return node
    const childrenBefore = before?.kind === BRANCH ? before.children : undefined
    let own = node
    for (let i = 0; i < 16; i++) {
      const child = node.children[i]
      if (child === undefined || child.kind === REF) continue
      this.step(depth, i)
      const stored = this.child(child, depth + 1, childrenBefore?.[i])
      if (stored === child) continue
      if (!this.#isOwn(own)) own = new Branch(node.children.slice(), node.value, this.#options.trie.token)
      own.children[i] = stored
    }
    return own
  }

  /**
   * Stores a child at the current path, with everything new below it.
   * @returns what takes its place in its parent
   */
  child(child: Child, depth: number, before: Child | undefined): Child {
    if (child.kind === REF) return child
    const reference = child.reference as Uint8Array
    return reference.length === 32 ? this.store(child, depth, reference, before) : child
  }

  #isOwn(node: Branch | Extension): boolean {
    return node.token === this.#options.trie.token
  }

  /** Moves the current path to a child of the node at `depth`. */
  step(depth: number, nibble: number): void {
    if (depth >= this.#path.length) {
      const longer = new Uint8Array(this.#path.length * 2)
      longer.set(this.#path)
      this.#path = longer
    }
    this.#path[depth] = nibble
  }
}
