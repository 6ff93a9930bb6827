/**
 * Merkle Patricia trie over a store of immutable nodes. Synchronous; changes stay in memory until `commit`.
 * @see Yellow Paper, appendix D
 * @module
 */
import { type KeyValueReader, StoreMiss } from '../base/ports/keyValueStore.ts'
import { EMPTY_BYTES, equalBytes } from '../base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT, keccak256 } from '../base/primitives/keccak.ts'
import { type Child, type EditToken, EXTENSION, LEAF, Leaf, type Node, nibbleAt, REF, type Ref } from './node.ts'
import type { NodeCache } from './nodeCache.ts'
import { packKeyPath } from './nodePath.ts'
import { commitNodes, type NodeSink } from './trieCommit.ts'
import { insertLeaf, removeKey, retagLeaf, type TrieEditor } from './trieEdit.ts'
import { prefetchPaths } from './triePrefetch.ts'
import { walkLeaves } from './trieWalk.ts'

export interface TrieOptions {
  readonly cache: NodeCache
  readonly reader: KeyValueReader
  /** Empty for the account trie, keccak256(address) for a storage trie. */
  readonly owner?: Uint8Array
  /** Undefined for an empty trie. */
  readonly root?: Ref | undefined
}

export class Trie implements TrieEditor {
  readonly cache: NodeCache
  readonly reader: KeyValueReader
  readonly owner: Uint8Array
  #root: Child | undefined
  /** The stored root from which the changes started. */
  #base: Ref | undefined
  #token: EditToken = {}

  constructor({ cache, reader, owner = EMPTY_BYTES, root }: TrieOptions) {
    this.cache = cache
    this.reader = reader
    this.owner = owner
    this.#root = root
    this.#base = root
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

  /** The entry of a key; callers must not change it. */
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
   * Sets a value; an empty one deletes the key. A `StoreMiss` leaves the trie unchanged.
   * @param tag stored beside the value like `incarnation`, see {@link Leaf}
   */
  put(key: Uint8Array, value: Uint8Array, tag = 0, incarnation = 0, link?: Ref): void {
    if (value.length === 0) {
      this.delete(key)
      return
    }
    const leaf = new Leaf(key, value, tag, incarnation)
    leaf.link = link
    this.#root = insertLeaf(this, this.#root, 0, leaf)
  }

  /**
   * Sets what is stored beside the value of a key, which has changed since the last commit, and removes its link. No
   * node needs to be hashed again.
   * @returns false when the value is unchanged or the key absent
   */
  retag(key: Uint8Array, tag: number, incarnation: number): boolean {
    const root = retagLeaf(this, this.#root, 0, { key, tag, incarnation })
    if (root === undefined) return false
    this.#root = root
    return true
  }

  delete(key: Uint8Array): void {
    this.#root = removeKey(this, this.#root, 0, key)
  }

  /**
   * Sets many keys; an empty value deletes its key. A `StoreMiss` names everything that the whole batch lacks at one
   * depth; repeating the same batch completes it.
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
   * @throws {StoreMiss} with everything that is missing at one level
   */
  prefetch(keys: readonly Uint8Array[]): void {
    prefetchPaths(this, keys)
  }

  /** 32 bytes. Nodes that did not change since the last call are not hashed again. */
  rootHash(): Uint8Array {
    const root = this.#root
    if (root === undefined) return EMPTY_TRIE_ROOT
    if (root.kind === REF) return root.hash()
    const reference = this.cache.hasher.reference(root, 0)
    return reference.length === 32 ? reference : keccak256(reference)
  }

  /** The stored root from which the changes started. */
  get base(): Ref | undefined {
    return this.#base
  }

  /** Whether `commit` has anything to write (or the trie is empty). */
  get isDirty(): boolean {
    return this.#root?.kind !== REF
  }

  /**
   * Passes all new nodes to `sink` and makes them immutable.
   * @param isReplacing whether the new trie replaces the stored one; the cache then releases the replaced nodes
   * @returns the new root; undefined when the trie is empty
   */
  commit(version: number, sink: NodeSink, isReplacing = true): Ref | undefined {
    const root = this.#root
    if (root === undefined || root.kind === REF) return root
    const replaced = isReplacing ? this.#base : undefined
    const committed = commitNodes({ trie: this, version, sink, hash: this.rootHash(), replaced }, root)
    this.#root = committed
    this.#base = committed
    this.#token = {}
    return committed
  }

  /** Entries in key order, starting at `from` (inclusive). The trie must not change during the iteration. */
  leaves(from: Uint8Array = EMPTY_BYTES): Generator<Leaf, void, undefined> {
    return walkLeaves(this, from)
  }

  /** An independent copy; both share the current nodes. */
  fork(reader: KeyValueReader = this.reader): Trie {
    const copy = new Trie({ cache: this.cache, reader, owner: this.owner })
    copy.#root = this.#root
    copy.#base = this.#base
    this.#token = {}
    return copy
  }

  /** The node that a reference on the path of `key` refers to. */
  resolve(ref: Ref, key: Uint8Array, depth: number): Node {
    if (ref.node !== undefined) {
      ref.used = true
      return ref.node
    }
    return this.cache.load(ref, this.reader, this.owner, packKeyPath(key, depth), depth)
  }

  /** The node that a reference at an already packed path refers to. */
  resolveAt(ref: Ref, path: Uint8Array, depth: number): Node {
    if (ref.node !== undefined) {
      ref.used = true
      return ref.node
    }
    return this.cache.load(ref, this.reader, this.owner, path, depth)
  }
}
