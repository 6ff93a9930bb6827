/**
 * The tries of recent states, for answers to peers. They have their own cache of nodes, so that a peer that walks the
 * whole state does not evict the nodes that the chain uses.
 * @module
 */

import { SNAP_NODE_CACHE_BYTES, SNAP_STATE_BLOCKS } from '../../base/limits/limits.ts'
import type { KeyValueReader } from '../../base/ports/keyValueStore.ts'
import { EMPTY_BYTES, equalBytes } from '../../base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../../base/primitives/keccak.ts'
import type { ChainHeader, ChainReader } from '../../chain/contract.ts'
import { storageRef } from '../../state/account.ts'
import { keyToText } from '../../storage/keyText.ts'
import { keys } from '../../storage/schema.ts'
import { type Leaf, Ref } from '../../trie/node.ts'
import { NodeCache } from '../../trie/nodeCache.ts'
import { Trie } from '../../trie/trie.ts'

export interface ServedStatesDeps {
  readonly chain: Pick<ChainReader, 'head' | 'headerByNumber'>
  /** The store of the chain. */
  readonly reader: KeyValueReader
  /** Number of canonical blocks, counted down from the head, whose states are served. */
  readonly blocks?: number
}

export class ServedStates {
  readonly reader: KeyValueReader
  readonly #chain: ServedStatesDeps['chain']
  readonly #blocks: number
  readonly #nodes = new NodeCache(SNAP_NODE_CACHE_BYTES)
  /** By hash as text. */
  #roots: ReadonlyMap<string, Ref> = new Map()
  #head: Uint8Array | undefined

  constructor({ chain, reader, blocks = SNAP_STATE_BLOCKS }: ServedStatesDeps) {
    this.#chain = chain
    this.reader = reader
    this.#blocks = blocks
  }

  /** @returns undefined for a state that is unknown, too old or not stored, and for the empty state */
  accountTrie(root: Uint8Array): Trie | undefined {
    const ref = this.root(root)
    return ref === undefined ? undefined : this.#trie(EMPTY_BYTES, ref)
  }

  /** Root node of a served state. */
  root(root: Uint8Array): Ref | undefined {
    const { head } = this.#chain
    if (this.#head === undefined || !equalBytes(this.#head, head.hash)) {
      this.#roots = this.#rootsBelow(head)
      this.#head = head.hash
    }
    return this.#roots.get(keyToText(root))
  }

  /** @returns undefined for an account without storage */
  storageTrie(account: Leaf): Trie | undefined {
    const ref = storageRef(account)
    return ref === undefined ? undefined : this.#trie(account.key, ref)
  }

  /** @returns undefined when it is not stored */
  code(hash: Uint8Array): Uint8Array | undefined {
    return this.reader.get(keys.code(hash))
  }

  #trie(owner: Uint8Array, root: Ref): Trie {
    return new Trie({ cache: this.#nodes, reader: this.reader, owner, root })
  }

  #rootsBelow(head: ChainHeader): Map<string, Ref> {
    const roots = new Map<string, Ref>()
    const newest = Number(head.header.number)
    for (let number = newest; number >= 0 && number > newest - this.#blocks; number--) {
      const block = number === newest ? head : this.#chain.headerByNumber(number)
      if (block !== undefined) this.#addRoot(roots, block)
    }
    return roots
  }

  #addRoot(roots: Map<string, Ref>, { header, stateRoot }: ChainHeader): void {
    // A dev chain may replace the state that a header names by one that no peer can verify.
    const isServed = stateRoot.isMissing !== true && equalBytes(stateRoot.hash, header.stateRoot)
    if (!isServed || equalBytes(stateRoot.hash, EMPTY_TRIE_ROOT)) return
    const key = keyToText(stateRoot.hash)
    if (roots.has(key)) return
    const known = this.#roots.get(key)
    roots.set(key, known?.version === stateRoot.version ? known : new Ref(stateRoot.hash, 0, stateRoot.version))
  }
}
