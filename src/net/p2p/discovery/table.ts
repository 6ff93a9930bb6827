/**
 * The table of verified nodes, by distance.
 * @see devp2p, discv4.md, "Kademlia Table"
 * @module
 */
import { type AddressRanges, publicRangesOf, RangeCounts } from '../../../base/primitives/addressSite.ts'
import { bytesToHexUnprefixed } from '../../../base/primitives/bytes.ts'
import { ADDRESS_SHARE, type AddressShare } from '../addressShare.ts'
import { type NodeRecord, nodeHash } from './nodeRecord.ts'

/** Address of a node. */
export interface NodeContact {
  /** Public key, 64 bytes */
  readonly id: Uint8Array
  /** IPv4 or IPv6 */
  readonly host: string
  readonly udpPort: number
  /** 0: the node does not listen. */
  readonly tcpPort: number
}

export interface TableNode extends NodeContact {
  /** keccak256 of the id */
  readonly hash: Uint8Array
  readonly key: string
  readonly ranges: AddressRanges
  readonly record: NodeRecord | undefined
  /** Monotonic time of the last proof that the node is alive. */
  readonly lastSeenMs: number
}

const BUCKET_SIZE = 16
const MAX_REPLACEMENTS = 16

interface Bucket {
  /** Least recently seen first. */
  nodes: TableNode[]
  /** Nodes that found the bucket full, oldest first. */
  replacements: TableNode[]
}

export const nodeKey = (id: Uint8Array): string => bytesToHexUnprefixed(id)

export function tableNode(contact: NodeContact, lastSeenMs: number, record?: NodeRecord): TableNode {
  const { id, host, udpPort, tcpPort } = contact
  const [hash, key, ranges] = [nodeHash(id), nodeKey(id), publicRangesOf(host)]
  return { id, host, udpPort, tcpPort, hash, key, ranges, record, lastSeenMs }
}

/** @returns 256 minus the number of common leading bits; 0 for equal hashes */
export function logDistance(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] as number) ^ (b[i] as number)
    if (difference !== 0) return 8 * (a.length - i) - (Math.clz32(difference) - 24)
  }
  return 0
}

/** Orders two hashes by their distance from a target. */
export function compareDistance(target: Uint8Array, a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < target.length; i++) {
    const difference = ((a[i] as number) ^ (target[i] as number)) - ((b[i] as number) ^ (target[i] as number))
    if (difference !== 0) return difference
  }
  return 0
}

export class NodeTable {
  readonly #self: Uint8Array
  readonly #share: AddressShare
  /** By logarithmic distance, 1 to 256; created when first used. */
  readonly #buckets = new Map<number, Bucket>()
  readonly #byKey = new Map<string, TableNode>()
  /** Nodes and replacements by range. */
  readonly #ranges = new RangeCounts()

  /** @param self hash of this node's id */
  constructor(self: Uint8Array, share: AddressShare = ADDRESS_SHARE) {
    this.#self = self
    this.#share = share
  }

  get size(): number {
    return this.#byKey.size
  }

  nodes(): IterableIterator<TableNode> {
    return this.#byKey.values()
  }

  get(key: string): TableNode | undefined {
    return this.#byKey.get(key)
  }

  /**
   * Adds a verified node, or moves it to the end of its bucket. A node whose ranges have their share already is not added.
   * @returns the least recently seen node when the bucket is full, whose liveness should be checked
   */
  put(node: TableNode): TableNode | undefined {
    const distance = logDistance(this.#self, node.hash)
    if (distance === 0) return undefined
    const bucket = this.#bucket(distance)
    const isKnown = (entry: TableNode): boolean => entry.key === node.key
    const previous = bucket.nodes.find(isKnown) ?? bucket.replacements.find(isKnown)
    if (!this.#hasRoom(bucket, node, previous)) return undefined
    const others = bucket.nodes.filter((entry) => !isKnown(entry))
    const waiting = bucket.replacements.filter((entry) => !isKnown(entry))
    if (previous !== undefined) this.#ranges.remove(previous.ranges)
    this.#ranges.add(node.ranges)
    if (others.length === BUCKET_SIZE) {
      const dropped = waiting.length === MAX_REPLACEMENTS ? waiting.shift() : undefined
      if (dropped !== undefined) this.#ranges.remove(dropped.ranges)
      bucket.replacements = [...waiting, node]
      return others[0]
    }
    bucket.replacements = waiting
    bucket.nodes = [...others, node]
    this.#byKey.set(node.key, node)
    return undefined
  }

  /** Replaces the record of a node that the table contains. */
  setRecord(key: string, record: NodeRecord): void {
    const node = this.#byKey.get(key)
    if (node === undefined) return
    const renewed = { ...node, record }
    const bucket = this.#bucket(logDistance(this.#self, node.hash))
    bucket.nodes = bucket.nodes.map((entry) => (entry.key === key ? renewed : entry))
    this.#byKey.set(key, renewed)
  }

  /**
   * Removes a node, also from the replacements.
   * @returns the replacement that takes its place, the most recently seen one
   */
  remove(node: Pick<TableNode, 'key' | 'hash'>): TableNode | undefined {
    const bucket = this.#buckets.get(logDistance(this.#self, node.hash))
    if (bucket === undefined) return undefined
    const isOther = ({ key }: TableNode): boolean => key !== node.key
    for (const entry of [...bucket.nodes, ...bucket.replacements])
      if (!isOther(entry)) this.#ranges.remove(entry.ranges)
    bucket.replacements = bucket.replacements.filter(isOther)
    if (!this.#byKey.delete(node.key)) return undefined
    bucket.nodes = bucket.nodes.filter(isOther)
    const replacement = bucket.replacements.pop()
    if (replacement === undefined) return undefined
    bucket.nodes.push(replacement)
    this.#byKey.set(replacement.key, replacement)
    return replacement
  }

  /** @param target a hash @returns nodes in ascending order of their distance */
  nearest(target: Uint8Array, count: number): TableNode[] {
    const best: TableNode[] = []
    for (const node of this.#byKey.values()) {
      const last = best[count - 1]
      if (last !== undefined && compareDistance(target, node.hash, last.hash) >= 0) continue
      let at = best.length
      while (at > 0 && compareDistance(target, node.hash, (best[at - 1] as TableNode).hash) < 0) at--
      best.splice(at, 0, node)
      if (best.length > count) best.pop()
    }
    return best
  }

  /** @returns nodes at a logarithmic distance */
  atDistance(distance: number): readonly TableNode[] {
    return this.#buckets.get(distance)?.nodes ?? []
  }

  /** @param previous the entry that the node replaces */
  #hasRoom({ nodes, replacements }: Bucket, { ranges }: TableNode, previous: TableNode | undefined): boolean {
    if (ranges.length === 0 || previous?.ranges[0] === ranges[0]) return true
    const inBucket = new RangeCounts()
    for (const entry of [...nodes, ...replacements]) inBucket.add(entry.ranges)
    const { bucketNodes, tableNodes } = this.#share
    return inBucket.hasRoom(ranges, bucketNodes) && this.#ranges.hasRoom(ranges, tableNodes)
  }

  #bucket(distance: number): Bucket {
    let bucket = this.#buckets.get(distance)
    if (bucket === undefined) {
      bucket = { nodes: [], replacements: [] }
      this.#buckets.set(distance, bucket)
    }
    return bucket
  }
}
