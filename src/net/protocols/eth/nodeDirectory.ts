/**
 * Finds trie nodes by hash, for peers of eth/66 and older that fetch a state node by node. The store is keyed by path,
 * so the directory remembers the location of each node that recent answers referred to: a peer asks for a node only
 * after it has received the parent.
 * @see EIP-4938, which explains why later versions lack this request
 * @module
 */
import { MAX_NAMED_NODES } from '../../../base/limits/limits.ts'
import { LruCache } from '../../../base/primitives/lruCache.ts'
import { type NodeLocation, rootLocation } from '../../../state/stateNodes.ts'
import { keyToText } from '../../../storage/keyText.ts'
import type { ServedStates } from '../servedStates.ts'
import type { NodeSource } from './ethServer.ts'

export class NodeDirectory implements NodeSource {
  readonly #states: ServedStates
  readonly #named: LruCache<string, NodeLocation>

  constructor(states: ServedStates, maxNamed: number = MAX_NAMED_NODES) {
    this.#states = states
    this.#named = new LruCache(maxNamed)
  }

  /** @returns RLP of a node, or code */
  byHash(hash: Uint8Array): Uint8Array | undefined {
    const location = this.#named.get(keyToText(hash)) ?? this.#rootLocation(hash)
    return location === undefined ? this.#states.code(hash) : this.#states.node(location, hash, this.#name)
  }

  #rootLocation(hash: Uint8Array): NodeLocation | undefined {
    const state = this.#states.at(hash)
    return state && rootLocation(state.root)
  }

  readonly #name = (hash: Uint8Array, location: NodeLocation): void => {
    this.#named.set(keyToText(hash), location)
  }
}
