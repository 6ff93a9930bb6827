/**
 * The recent states that peers may ask for.
 * @module
 */

import { SNAP_NODE_CACHE_BYTES, SNAP_STATE_BLOCKS } from '../../base/limits/limits.ts'
import type { KeyValueReader } from '../../base/ports/keyValueStore.ts'
import { equalBytes } from '../../base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../../base/primitives/keccak.ts'
import type { ChainHeader, ChainReader } from '../../chain/contract.ts'
import { type ChildSink, type NodeLocation, StateNodes } from '../../state/stateNodes.ts'
import { RangeSource, type StateRanges } from '../../state/stateRanges.ts'
import { keyToText } from '../../storage/keyText.ts'
import { keys } from '../../storage/schema.ts'

export interface ServedStatesDeps {
  readonly chain: Pick<ChainReader, 'head' | 'headerByNumber'>
  /** The store of the chain. */
  readonly reader: KeyValueReader
  /** Number of canonical blocks, counted down from the head, whose states are served. */
  readonly blocks?: number
}

export class ServedStates {
  readonly #reader: KeyValueReader
  readonly #chain: ServedStatesDeps['chain']
  readonly #blocks: number
  readonly #source: RangeSource
  readonly #nodes: StateNodes
  /** By root hash as text. */
  #states: ReadonlyMap<string, StateRanges> = new Map()
  #head: Uint8Array | undefined

  constructor({ chain, reader, blocks = SNAP_STATE_BLOCKS }: ServedStatesDeps) {
    this.#chain = chain
    this.#reader = reader
    this.#blocks = blocks
    this.#source = new RangeSource(reader, SNAP_NODE_CACHE_BYTES)
    this.#nodes = new StateNodes(reader)
  }

  /**
   * @param root hash
   * @returns undefined for a state that is unknown, too old or not stored, and for the empty state
   */
  at(root: Uint8Array): StateRanges | undefined {
    const { head } = this.#chain
    if (this.#head === undefined || !equalBytes(this.#head, head.hash)) {
      this.#states = this.#statesBelow(head)
      this.#head = head.hash
    }
    return this.#states.get(keyToText(root))
  }

  /** @returns undefined when it is not stored */
  code(hash: Uint8Array): Uint8Array | undefined {
    return this.#reader.get(keys.code(hash))
  }

  /** @returns RLP; undefined when the location does not hold this node */
  node(location: NodeLocation, hash: Uint8Array, onChild: ChildSink): Uint8Array | undefined {
    return this.#nodes.read(location, hash, onChild)
  }

  #statesBelow(head: ChainHeader): Map<string, StateRanges> {
    const states = new Map<string, StateRanges>()
    const newest = Number(head.header.number)
    for (let number = newest; number >= 0 && number > newest - this.#blocks; number--) {
      const block = number === newest ? head : this.#chain.headerByNumber(number)
      if (block !== undefined) this.#addState(states, block)
    }
    return states
  }

  #addState(states: Map<string, StateRanges>, { header, stateRoot }: ChainHeader): void {
    // A dev chain may replace the state that a header names by one that no peer can verify.
    const isServed = stateRoot.isMissing !== true && equalBytes(stateRoot.hash, header.stateRoot)
    if (!isServed || equalBytes(stateRoot.hash, EMPTY_TRIE_ROOT)) return
    const key = keyToText(stateRoot.hash)
    if (states.has(key)) return
    const openRanges = this.#states.get(key)
    states.set(key, openRanges?.root.version === stateRoot.version ? openRanges : this.#source.at(stateRoot))
  }
}
