/**
 * Nodes of proofs that come from outside. Only the form that the Yellow Paper gives a node of a trie with 32-byte keys is
 * accepted: such a trie has no values in branches, and a node whose RLP is shorter than 32 bytes is part of its parent.
 * @see Yellow Paper, appendices B to D
 * @module
 */
import { MAX_PROOF_NODE_BYTES } from '../base/limits/limits.ts'
import { isNodeError } from '../base/primitives/errors.ts'
import { type DecodedItem, encodedLength, rlpDecodeList } from '../base/primitives/rlp.ts'
import { BRANCH, EXTENSION, LEAF } from './node.ts'

export type ProofNode = ProofBranch | ProofExtension | ProofLeaf
/** The hash of a node, the node itself when its RLP is shorter than 32 bytes, or nothing. */
export type ProofChild = Uint8Array | ProofNode | undefined

export interface ProofBranch {
  readonly kind: typeof BRANCH
  /** 16 */
  readonly children: readonly ProofChild[]
}

export interface ProofExtension {
  readonly kind: typeof EXTENSION
  /** Unpacked nibbles, at least one. */
  readonly path: Uint8Array
  readonly child: ProofChild
}

export interface ProofLeaf {
  readonly kind: typeof LEAF
  /** Unpacked nibbles. */
  readonly path: Uint8Array
  readonly value: Uint8Array
}

/** Why bytes are no node of a trie. */
export class ProofNodeFault extends Error {
  override readonly name = 'ProofNodeFault'
}

/** @throws {ProofNodeFault} */
export function decodeProofNode(rlp: Uint8Array): ProofNode {
  if (rlp.length > MAX_PROOF_NODE_BYTES) throw new ProofNodeFault(`has ${rlp.length} bytes`)
  try {
    return nodeOf(rlpDecodeList(rlp))
  } catch (error) {
    if (isNodeError(error, 'INVALID_RLP')) throw new ProofNodeFault(`has ${error.message}`)
    throw error
  }
}

function nodeOf(items: readonly DecodedItem[]): ProofNode {
  if (items.length === 17) return branchOf(items)
  if (items.length !== 2) throw new ProofNodeFault(`has ${items.length} items`)
  const [hexPrefix, next] = items as [DecodedItem, DecodedItem]
  const { path, isLeaf } = pathOf(hexPrefix)
  if (isLeaf) return { kind: LEAF, path, value: leafValue(next) }
  if (path.length === 0) throw new ProofNodeFault('is an extension without a path')
  const child = childOf(next)
  const isBranch = child instanceof Uint8Array || child?.kind === BRANCH
  if (!isBranch) throw new ProofNodeFault('is an extension without a branch')
  return { kind: EXTENSION, path, child }
}

function branchOf(items: readonly DecodedItem[]): ProofBranch {
  const children = items.slice(0, 16).map(childOf)
  const value = items[16] as DecodedItem
  if (!(value instanceof Uint8Array) || value.length > 0) throw new ProofNodeFault('is a branch with a value')
  const count = children.reduce((sum: number, child) => (child === undefined ? sum : sum + 1), 0)
  if (count < 2) throw new ProofNodeFault(`is a branch with ${count} children`)
  return { kind: BRANCH, children }
}

function childOf(item: DecodedItem): ProofChild {
  if (item instanceof Uint8Array) {
    if (item.length === 0) return undefined
    if (item.length !== 32) throw new ProofNodeFault(`refers to a hash of ${item.length} bytes`)
    return item
  }
  const length = encodedLength(item)
  if (length >= 32) throw new ProofNodeFault(`contains a node of ${length} bytes`)
  return nodeOf(item)
}

function leafValue(item: DecodedItem): Uint8Array {
  if (!(item instanceof Uint8Array)) throw new ProofNodeFault('has a list as its value')
  if (item.length === 0) throw new ProofNodeFault('is a leaf without a value')
  return item
}

function pathOf(item: DecodedItem): { readonly path: Uint8Array; readonly isLeaf: boolean } {
  const flags = item instanceof Uint8Array ? item[0] : undefined
  if (flags === undefined || flags >= 0x40) throw new ProofNodeFault('has no path')
  const hexPrefix = item as Uint8Array
  const isOdd = (flags & 0x10) !== 0
  if (!isOdd && (flags & 0x0f) !== 0) throw new ProofNodeFault('has a padded path')
  const path = new Uint8Array(hexPrefix.length * 2 - (isOdd ? 1 : 2))
  if (path.length > 64) throw new ProofNodeFault(`has a path of ${path.length} nibbles`)
  let at = 0
  if (isOdd) path[at++] = flags & 0x0f
  for (let i = 1; i < hexPrefix.length; i++) {
    const byte = hexPrefix[i] as number
    path[at++] = byte >> 4
    path[at++] = byte & 0x0f
  }
  return { path, isLeaf: flags >= 0x20 }
}
