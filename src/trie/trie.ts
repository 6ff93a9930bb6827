/**
 * Merkle Patricia trie over a store of immutable nodes. Synchronous; changes stay in memory until `commit`.
 * @see Yellow Paper, appendix D
 * @module
 */
import { type KeyValueReader, StoreMiss } from '../ports/keyValueStore.ts'
import { EMPTY_BYTES, equalBytes } from '../primitives/bytes.ts'
import { EMPTY_TRIE_ROOT, keccak256 } from '../primitives/keccak.ts'
import { type Child, type EditToken, EXTENSION, LEAF, Leaf, type Node, nibbleAt, REF, type Ref } from './node.ts'
import type { NodeCache } from './nodeCache.ts'
import { packKeyPath } from './nodePath.ts'
import { commitNodes, type NodeSink } from './trieCommit.ts'
import { insertLeaf, removeKey, type TrieEditor } from './trieEdit.ts'
import { prefetchPaths } from './triePrefetch.ts'
import { walkLeaves } from './trieWalk.ts'

export interface TrieOptions {
  readonly cache: NodeCache
  readonly reader: KeyValueReader
  /** Empty for the account trie, keccak256(address) for a storage trie. */
  readonly owner?: Uint8Array
  /** undefined: empty */
  readonly root?: Ref | undefined
}

export class Trie implements TrieEditor {
  readonly cache: NodeCache
  readonly reader: KeyValueReader
  readonly owner: Uint8Array
  #root: Child | undefined
  #token: EditToken = {}

  constructor({ cache, reader, owner = EMPTY_BYTES, root }: TrieOptions) {
    this.cache = cache
    this.reader = reader
    this.owner = owner
    this.#root = root
  }

  get token(): EditToken {
    return this.#token
  }

  get root(): Child | undefined {
    return this.#root
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.leaf(key)?.value
  }

  /** The entry of a key, not to be changed. */
  leaf(key: Uint8Array): Leaf | undefined {
    const nibbles = key.length * 2
    let depth = 0
    let child = this.#root
    while (child !== undefined) {
      const node = child.kind === REF ? this.resolve(child, key, depth) : child
      if (node.kind === LEAF) return equalBytes(node.key, key) ? node : undefined
      if (node.kind === EXTENSION) {
        const { path } = node
        if (depth + path.length > nibbles) return undefined
        for (let i = 0; i < path.length; i++) if (path[i] !== nibbleAt(key, depth + i)) return undefined
        depth += path.length
        child = node.child
      } else {
        if (depth === nibbles) return node.value
        child = node.children[nibbleAt(key, depth)]
        depth++
      }
    }
    return undefined
  }

  /**
   * Sets a value; an empty one deletes the key. A miss leaves the trie as it was.
   * @param tag kept beside the value, see {@link Leaf}
   */
  put(key: Uint8Array, value: Uint8Array, tag = 0, link?: Ref): void {
    if (value.length === 0) {
      this.delete(key)
      return
    }
    const leaf = new Leaf(key, value, tag)
    leaf.link = link
    this.#root = insertLeaf(this, this.#root, 0, leaf)
  }

  delete(key: Uint8Array): void {
    this.#root = removeKey(this, this.#root, 0, key)
  }

  /**
   * Puts (or, where the value is empty, deletes) many keys. What a miss names is then everything that the whole batch
   * lacks at the same depth; running the same batch again completes it.
   */
  update(entries: readonly (readonly [key: Uint8Array, value: Uint8Array])[]): void {
    try {
      for (const [key, value] of entries) this.put(key, value)
    } catch (error) {
      if (error instanceof StoreMiss) this.prefetch(entries.map(([key]) => key))
      throw error
    }
  }

  /**
   * Loads the nodes on the paths of many keys, level by level.
   * @throws {StoreMiss} with all that is missing at one level
   */
  prefetch(keys: readonly Uint8Array[]): void {
    prefetchPaths(this, keys)
  }

  /** 32 bytes. Nodes that did not change since the last time are not hashed again. */
  rootHash(): Uint8Array {
    const root = this.#root
    if (root === undefined) return EMPTY_TRIE_ROOT
    if (root.kind === REF) return root.hash()
    const reference = this.cache.hasher.reference(root, 0)
    return reference.length === 32 ? reference : keccak256(reference)
  }

  /** Whether there is anything that `commit` would write (or the trie is empty). */
  get isDirty(): boolean {
    return this.#root?.kind !== REF
  }

  /**
   * Hands all new nodes to `sink` and makes them immutable.
   * @returns where the trie is from now on; undefined when it is empty
   */
  commit(version: number, sink: NodeSink): Ref | undefined {
    const root = this.#root
    if (root === undefined || root.kind === REF) return root
    const committed = commitNodes({ trie: this, version, sink, hash: this.rootHash() }, root)
    this.#root = committed
    this.#token = {}
    return committed
  }

  /** Entries in the order of their keys, from `from` (inclusive) on. The trie must not change meanwhile. */
  leaves(from: Uint8Array = EMPTY_BYTES): Generator<Leaf, void, undefined> {
    return walkLeaves(this, from)
  }

  /** An independent copy; both share what stands so far. */
  fork(reader: KeyValueReader = this.reader): Trie {
    const copy = new Trie({ cache: this.cache, reader, owner: this.owner })
    copy.#root = this.#root
    this.#token = {}
    return copy
  }

  /** The node behind a reference on the path of `key`. */
  resolve(ref: Ref, key: Uint8Array, depth: number): Node {
    if (ref.node !== undefined) {
      ref.used = true
      return ref.node
    }
    return this.cache.load(ref, this.reader, this.owner, packKeyPath(key, depth), depth)
  }

  /** The node behind a reference at an already packed path. */
  resolveAt(ref: Ref, path: Uint8Array, depth: number): Node {
    if (ref.node !== undefined) {
      ref.used = true
      return ref.node
    }
    return this.cache.load(ref, this.reader, this.owner, path, depth)
  }
}
