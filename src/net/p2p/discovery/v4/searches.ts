import { MAX_WAITING_LOOKUPS } from '../../../../base/limits/limits.ts'
import { ADDRESS_SHARE, type AddressShare } from '../../addressShare.ts'
import { nodeHash } from '../nodeRecord.ts'
import { type NodeContact, type NodeTable, nodeKey } from '../table.ts'
import { Lookup } from './lookup.ts'

/** Nodes that a lookup starts from. */
const START_NODES = 16

/**
 * `asked`: FindNode is pending; `bonding`: the endpoint proof is pending; `failed`: the node cannot be contacted.
 */
export type AskOutcome = 'asked' | 'bonding' | 'failed'

/** Runs lookups one after the other. */
export class Searches {
  readonly #self: Uint8Array
  readonly #table: NodeTable
  readonly #share: AddressShare
  readonly #waiting: Uint8Array[] = []
  /** Nodes of the active lookup whose endpoint proof is pending. */
  readonly #bonding = new Set<string>()
  #proven: NodeContact[] = []
  #active: Lookup | undefined

  constructor(self: Uint8Array, table: NodeTable, share: AddressShare = ADDRESS_SHARE) {
    this.#self = self
    this.#share = share
    this.#table = table
  }

  /** @returns false when the queue is full */
  add(target: Uint8Array): boolean {
    if (this.#waiting.length >= MAX_WAITING_LOOKUPS) return false
    this.#waiting.push(target)
    return true
  }

  get isIdle(): boolean {
    return this.#active === undefined && this.#waiting.length === 0
  }

  answered(id: Uint8Array, nodes: readonly NodeContact[]): void {
    this.#active?.answered(id, nodes)
  }

  failed(id: Uint8Array): void {
    this.#bonding.delete(nodeKey(id))
    this.#active?.failed(id)
  }

  /** The endpoint of a node is proven: a lookup that waits for it continues. */
  proven(node: NodeContact): void {
    if (this.#bonding.delete(nodeKey(node.id))) this.#proven.push(node)
  }

  /** Advances as far as possible. @param ask contacts a node */
  advance(ask: (node: NodeContact, target: Uint8Array) => AskOutcome, onDone: (lookup: Lookup) => void): void {
    for (;;) {
      this.#active ??= this.#next()
      const lookup = this.#active
      if (lookup === undefined) return
      for (let nodes = this.#toAsk(lookup); nodes.length > 0; nodes = this.#toAsk(lookup)) {
        for (const node of nodes) {
          const outcome = ask(node, lookup.target)
          if (outcome === 'failed') lookup.failed(node.id)
          if (outcome === 'bonding') this.#bonding.add(nodeKey(node.id))
        }
      }
      if (!lookup.isDone) return
      this.#active = undefined
      this.#bonding.clear()
      onDone(lookup)
    }
  }

  #toAsk(lookup: Lookup): NodeContact[] {
    const proven = this.#proven
    this.#proven = []
    return [...proven, ...lookup.next()]
  }

  #next(): Lookup | undefined {
    const target = this.#waiting.shift()
    if (target === undefined) return undefined
    const start = this.#table.nearest(nodeHash(target), START_NODES)
    return new Lookup(this.#self, target, start, this.#share.bucketNodes)
  }
}
