/**
 * A search for the nodes nearest to a target.
 * @see devp2p, discv4.md, "Recursive Lookup"
 * @module
 */
import { type AddressRanges, publicRangesOf, RangeCounts } from '../../../../base/primitives/addressSite.ts'
import { nodeHash } from '../nodeRecord.ts'
import { compareDistance, type NodeContact, nodeKey } from '../table.ts'

/** Nodes that are asked at the same time (α). */
const CONCURRENCY = 3
/** Size of the result (k). */
const RESULT_NODES = 16
/** Nodes asked in one lookup. It ends a lookup that is fed with nodes that do not exist. */
const MAX_ASKED = 64

type Stage = 'heardOf' | 'asked' | 'answered'

interface FoundNode extends NodeContact {
  /** undefined: exempt from the limit. */
  readonly ranges: AddressRanges
  readonly key: string
  readonly hash: Uint8Array
  stage: Stage
}

export class Lookup {
  /** Public key, 64 bytes */
  readonly target: Uint8Array
  readonly #targetHash: Uint8Array
  readonly #self: string
  readonly #siteNodes: number
  /** The k nearest nodes found so far, nearest first, with few of each site and without those that failed. */
  #nearest: FoundNode[] = []
  /** Nodes that did not answer; hearing of them again changes nothing. */
  readonly #failed = new Set<string>()
  readonly #inFlight = new Set<string>()
  #queryCount = 0

  /** @param siteNodes nodes of one site in the result */
  constructor(self: Uint8Array, target: Uint8Array, start: readonly NodeContact[], siteNodes: number) {
    this.target = target
    this.#siteNodes = siteNodes
    this.#targetHash = nodeHash(target)
    this.#self = nodeKey(self)
    this.#hearOf(start)
  }

  get isDone(): boolean {
    if (this.#inFlight.size > 0) return false
    return this.#queryCount >= MAX_ASKED || this.#nearest.every(({ stage }) => stage === 'answered')
  }

  /** Nodes that answered, nearest first. */
  get result(): readonly NodeContact[] {
    return this.#nearest.filter(({ stage }) => stage === 'answered')
  }

  /** Takes the nodes to be asked next; each is reported by {@link answered} or {@link failed}. */
  next(): NodeContact[] {
    const contacts: NodeContact[] = []
    for (const node of this.#nearest) {
      if (this.#inFlight.size >= CONCURRENCY || this.#queryCount >= MAX_ASKED) break
      if (node.stage !== 'heardOf') continue
      node.stage = 'asked'
      this.#inFlight.add(node.key)
      this.#queryCount++
      contacts.push(node)
    }
    return contacts
  }

  /** Ignored for a node that is not being asked. */
  answered(id: Uint8Array, neighbors: readonly NodeContact[]): void {
    const key = nodeKey(id)
    if (!this.#inFlight.delete(key)) return
    const node = this.#find(key)
    if (node !== undefined) node.stage = 'answered'
    this.#hearOf(neighbors)
  }

  /** Ignored for a node that is not being asked. */
  failed(id: Uint8Array): void {
    const key = nodeKey(id)
    if (!this.#inFlight.delete(key)) return
    this.#failed.add(key)
    this.#nearest = this.#nearest.filter((node) => node.key !== key)
  }

  #find(key: string): FoundNode | undefined {
    return this.#nearest.find((node) => node.key === key)
  }

  #hearOf(contacts: readonly NodeContact[]): void {
    for (const contact of contacts) {
      const key = nodeKey(contact.id)
      if (key === this.#self || this.#failed.has(key) || this.#find(key) !== undefined) continue
      const ranges = publicRangesOf(contact.host)
      this.#nearest.push({ ...contact, key, ranges, hash: nodeHash(contact.id), stage: 'heardOf' })
    }
    this.#nearest.sort((a, b) => compareDistance(this.#targetHash, a.hash, b.hash))
    const counts = new RangeCounts()
    this.#nearest = this.#nearest.filter(({ ranges }) => {
      const hasRoom = counts.hasRoom(ranges, this.#siteNodes)
      if (hasRoom) counts.add(ranges)
      return hasRoom
    })
    this.#nearest.length = Math.min(this.#nearest.length, RESULT_NODES)
  }
}
