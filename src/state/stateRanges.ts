/**
 * A whole state in the order of its keys, which are hashes: pages of it, the proofs of their bounds, and single nodes.
 * @module
 */

import type { KeyValueReader } from '../base/ports/keyValueStore.ts'
import { equalBytes } from '../base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../base/primitives/keccak.ts'
import { type Leaf, Ref } from '../trie/node.ts'
import { nodeByPath } from '../trie/nodeByPath.ts'
import { NodeCache } from '../trie/nodeCache.ts'
import { prove } from '../trie/proof.ts'
import { Trie } from '../trie/trie.ts'
import { storageRef } from './account.ts'
import type { StateRoot } from './contract.ts'

/** An account or a slot as its trie holds it. */
export interface HashedEntry {
  /** keccak256 of the address or of the slot, 32 bytes */
  readonly key: Uint8Array
  /** RLP */
  readonly value: Uint8Array
  /** Of an account: the version of its storage. */
  readonly tag: number
  /** Of an account: the version in which its storage was begun. */
  readonly incarnation: number
}

/** The accounts of a state, or the storage of an account. */
export interface HashedEntries {
  readonly isEmpty: boolean
  /** Ascending by key. @param start the lowest key */
  from(start?: Uint8Array): Iterable<HashedEntry>
  /** RLP of the nodes on the path of a key, root first. */
  prove(key: Uint8Array): Uint8Array[]
  /**
   * @param path in hex-prefix encoding
   * @returns RLP; undefined when no separate node begins at the path
   */
  node(path: Uint8Array): Uint8Array | undefined
}

/** Any read may throw `StoreMiss` over a store that is not resident. */
export interface StateRanges {
  readonly root: StateRoot
  readonly accounts: HashedEntries
  /**
   * @param owner keccak256(address)
   * @returns undefined when the account does not exist
   */
  slots(owner: Uint8Array): HashedEntries | undefined
}

/** The ranges of a state over its account trie, which must not change. */
export class TrieRanges implements StateRanges {
  readonly root: StateRoot
  readonly accounts: HashedEntries
  readonly #trie: Trie

  constructor(root: StateRoot, accounts: Trie) {
    this.root = root
    this.accounts = new TrieEntries(accounts)
    this.#trie = accounts
  }

  slots(owner: Uint8Array): HashedEntries | undefined {
    const leaf = this.#trie.leaf(owner)
    return leaf && new TrieEntries(storageTrie(this.#trie, leaf.key, leaf))
  }
}

class TrieEntries implements HashedEntries {
  readonly #trie: Trie

  constructor(trie: Trie) {
    this.#trie = trie
  }

  get isEmpty(): boolean {
    return this.#trie.root === undefined
  }

  from(start?: Uint8Array): Iterable<HashedEntry> {
    return this.#trie.leaves(start)
  }

  prove(key: Uint8Array): Uint8Array[] {
    return prove(this.#trie, key)
  }

  node(path: Uint8Array): Uint8Array | undefined {
    return nodeByPath(this.#trie, path)
  }
}

/** Opens ranges with a cache of their own, so that a walk over a whole state does not evict what the chain uses. */
export class RangeSource {
  readonly #reader: KeyValueReader
  readonly #cache: NodeCache

  constructor(reader: KeyValueReader, cacheBytes: number) {
    this.#reader = reader
    this.#cache = new NodeCache(cacheBytes)
  }

  /** Callers keep the result: cached nodes are found through it. */
  at(root: StateRoot): StateRanges {
    const isEmpty = equalBytes(root.hash, EMPTY_TRIE_ROOT)
    const ref = isEmpty ? undefined : new Ref(root.hash, 0, root.version)
    return new TrieRanges(root, new Trie({ cache: this.#cache, reader: this.#reader, root: ref }))
  }
}

/**
 * The storage of an account.
 * @param owner keccak256(address)
 * @param leaf the account's entry in the account trie; undefined for an account that does not exist
 */
export function storageTrie({ cache, reader }: Trie, owner: Uint8Array, leaf: Leaf | undefined): Trie {
  return new Trie({ cache, reader, owner, root: leaf && storageRef(leaf) })
}

/** At most `limit` entries. */
export function takeEntries(entries: Iterable<HashedEntry>, limit: number): HashedEntry[] {
  const taken: HashedEntry[] = []
  if (limit <= 0) return taken
  for (const entry of entries) {
    taken.push(entry)
    if (taken.length >= limit) break
  }
  return taken
}
