/**
 * Finds trie nodes by hash, for peers of eth/66 and older that fetch a state node by node. The store is keyed by path,
 * so the directory remembers the location of each node that recent answers referred to: a peer asks for a node only
 * after it has received the parent.
 * @see EIP-4938, which explains why later versions lack this request
 * @module
 */
import { MAX_NAMED_NODES } from '../../../base/limits/limits.ts'
import { EMPTY_BYTES, equalBytes } from '../../../base/primitives/bytes.ts'
import { keccak256 } from '../../../base/primitives/keccak.ts'
import { LruCache } from '../../../base/primitives/lruCache.ts'
import { storageRef } from '../../../state/account.ts'
import { keyToText } from '../../../storage/keyText.ts'
import { keys } from '../../../storage/schema.ts'
import { type Child, EXTENSION, LEAF, type Leaf, type Node, REF, type Ref } from '../../../trie/node.ts'
import { decodeNode } from '../../../trie/nodeCodec.ts'
import { NodeHasher } from '../../../trie/nodeHasher.ts'
import { packNibblePath } from '../../../trie/nodePath.ts'
import type { ServedStates } from '../servedStates.ts'
import type { NodeSource } from './ethServer.ts'

interface Location {
  readonly version: number
  /** Empty for the account trie, keccak256(address) for a storage trie. */
  readonly owner: Uint8Array
  /** Unpacked nibbles above the node. */
  readonly path: Uint8Array
}

export class NodeDirectory implements NodeSource {
  readonly #states: ServedStates
  readonly #hasher = new NodeHasher()
  readonly #named: LruCache<string, Location>

  constructor(states: ServedStates, maxNamed: number = MAX_NAMED_NODES) {
    this.#states = states
    this.#named = new LruCache(maxNamed)
  }

  /** @returns RLP of a node, or code */
  byHash(hash: Uint8Array): Uint8Array | undefined {
    const location = this.#named.get(keyToText(hash)) ?? this.#rootLocation(hash)
    return location === undefined ? this.#states.code(hash) : this.#read(location, hash)
  }

  #rootLocation(hash: Uint8Array): Location | undefined {
    const root = this.#states.root(hash)
    return root && { version: root.version, owner: EMPTY_BYTES, path: EMPTY_BYTES }
  }

  /** @returns undefined when another node has taken the place, as after the loading of a dev chain */
  #read({ version, owner, path }: Location, hash: Uint8Array): Uint8Array | undefined {
    const bytes = this.#states.reader.get(keys.trieNode(version, owner, packNibblePath(path, path.length)))
    if (bytes === undefined) return undefined
    const node = decodeNode(bytes)
    const rlp = this.#hasher.rlp(node, path.length)
    if (!equalBytes(keccak256(rlp), hash)) return undefined
    this.#nameChildren(node, owner, path)
    return rlp
  }

  #nameChildren(node: Node, owner: Uint8Array, path: Uint8Array): void {
    if (node.kind === LEAF) {
      if (owner.length === 0) this.#nameStorage(node)
      return
    }
    if (node.kind === EXTENSION) {
      this.#nameChild(node.child, owner, [...path, ...node.path])
      return
    }
    for (const [nibble, child] of node.children.entries()) {
      if (child !== undefined) this.#nameChild(child, owner, [...path, nibble])
    }
  }

  #nameChild(child: Child, owner: Uint8Array, path: readonly number[]): void {
    const nibbles = Uint8Array.from(path)
    if (child.kind === REF) this.#name(child, owner, nibbles)
    else this.#nameChildren(child, owner, nibbles)
  }

  #nameStorage(account: Leaf): void {
    const root = storageRef(account)
    if (root !== undefined) this.#name(root, account.key, EMPTY_BYTES)
  }

  #name(ref: Ref, owner: Uint8Array, path: Uint8Array): void {
    this.#named.set(keyToText(ref.hash()), { version: ref.version, owner, path })
  }
}
