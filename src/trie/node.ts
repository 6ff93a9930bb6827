/**
 * Trie nodes in memory. Only the trie that created a node may change it, and only while the node carries that trie's
 * edit token; every other node is immutable and shared by all tries and by the cache.
 * @module
 */

export const LEAF = 0
export const EXTENSION = 1
export const BRANCH = 2
export const REF = 3

/** Marks the nodes that one trie may change in place. */
export type EditToken = object

/** A key with its value; also the entry of a branch for a key that ends there. */
export class Leaf {
  readonly kind: typeof LEAF = LEAF
  /** The whole key, not only the rest of the path. */
  readonly key: Uint8Array
  readonly value: Uint8Array
  /** Stored beside the value but not hashed: the version of the trie that the value refers to, or 0. */
  readonly tag: number
  /** The version in which that trie was begun; stored beside the value, too. */
  readonly incarnation: number
  /** The trie that the value refers to, once opened; the link keeps its cached nodes reachable. */
  link: Ref | undefined = undefined
  /** The node's reference in its parent, once known: its hash (32 bytes), or its RLP when that is shorter. */
  reference: Uint8Array | undefined = undefined

  constructor(key: Uint8Array, value: Uint8Array, tag: number, incarnation: number) {
    this.key = key
    this.value = value
    this.tag = tag
    this.incarnation = incarnation
  }

  /** A copy for another depth, where the RLP differs. */
  moved(): Leaf {
    const leaf = new Leaf(this.key, this.value, this.tag, this.incarnation)
    leaf.link = this.link
    return leaf
  }
}

export class Extension {
  readonly kind: typeof EXTENSION = EXTENSION
  /** Unpacked nibbles, at least one. */
  readonly path: Uint8Array
  child: Child
  readonly token: EditToken | undefined
  reference: Uint8Array | undefined = undefined

  constructor(path: Uint8Array, child: Child, token: EditToken | undefined) {
    this.path = path
    this.child = child
    this.token = token
  }
}

export class Branch {
  readonly kind: typeof BRANCH = BRANCH
  /** 16 entries. */
  readonly children: (Child | undefined)[]
  value: Leaf | undefined
  readonly token: EditToken | undefined
  reference: Uint8Array | undefined = undefined

  constructor(children: (Child | undefined)[], value: Leaf | undefined, token: EditToken | undefined) {
    this.children = children
    this.value = value
    this.token = token
  }
}

/** A stored node: its hash, the version it was written with, and the node itself while it is cached. */
export class Ref {
  readonly kind: typeof REF = REF
  /** Holds the hash at `offset`; either a whole stored node or only the hash. */
  readonly source: Uint8Array
  readonly offset: number
  readonly version: number
  node: Node | undefined = undefined
  /** Whether it was read since the cache last checked. */
  used = false
  /** Position in the cache, or -1; belongs to the cache. */
  place = -1

  constructor(source: Uint8Array, offset: number, version: number) {
    this.source = source
    this.offset = offset
    this.version = version
  }

  /** 32 bytes, a copy. */
  hash(): Uint8Array {
    return this.source.slice(this.offset, this.offset + 32)
  }
}

export type Node = Leaf | Extension | Branch
/** A child in its parent: a stored node, an embedded node (RLP below 32 bytes), or a node not stored yet. */
export type Child = Node | Ref

export function emptyChildren(): (Child | undefined)[] {
  return [
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]
}

export function nibbleAt(key: Uint8Array, index: number): number {
  const byte = key[index >> 1] as number
  return index & 1 ? byte & 15 : byte >> 4
}
