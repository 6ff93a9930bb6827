/**
 * Single nodes of the tries of states by their location in the store, with the locations of their children.
 * @module
 */
import type { KeyValueReader } from '../base/ports/keyValueStore.ts'
import { EMPTY_BYTES, equalBytes } from '../base/primitives/bytes.ts'
import { keccak256 } from '../base/primitives/keccak.ts'
import { keys } from '../storage/schema.ts'
import { type Child, EXTENSION, LEAF, type Leaf, type Node, REF, type Ref } from '../trie/node.ts'
import { decodeNode } from '../trie/nodeCodec.ts'
import { NodeHasher } from '../trie/nodeHasher.ts'
import { packNibblePath } from '../trie/nodePath.ts'
import { storageRef } from './account.ts'
import type { StateRoot } from './contract.ts'

export interface NodeLocation {
  readonly version: number
  /** Empty for the account trie, keccak256(address) for a storage trie. */
  readonly owner: Uint8Array
  /** Unpacked nibbles above the node. */
  readonly path: Uint8Array
}

/** Receives each child of a node, and the root of the storage of each account in it. */
export type ChildSink = (hash: Uint8Array, location: NodeLocation) => void

export function rootLocation({ version }: StateRoot): NodeLocation {
  return { version, owner: EMPTY_BYTES, path: EMPTY_BYTES }
}

export class StateNodes {
  readonly #reader: KeyValueReader
  readonly #hasher = new NodeHasher()

  constructor(reader: KeyValueReader) {
    this.#reader = reader
  }

  /** @returns RLP; undefined when another node has taken the place, as after the loading of a dev chain */
  read(location: NodeLocation, hash: Uint8Array, onChild: ChildSink): Uint8Array | undefined {
    const { version, owner, path } = location
    const bytes = this.#reader.get(keys.trieNode(version, owner, packNibblePath(path, path.length)))
    if (bytes === undefined) return undefined
    const node = decodeNode(bytes)
    const rlp = this.#hasher.rlp(node, path.length)
    if (!equalBytes(keccak256(rlp), hash)) return undefined
    visitChildren(node, location, onChild)
    return rlp
  }
}

function visitChildren(node: Node, { owner, path }: Omit<NodeLocation, 'version'>, onChild: ChildSink): void {
  if (node.kind === LEAF) {
    if (owner.length === 0) visitStorage(node, onChild)
    return
  }
  if (node.kind === EXTENSION) {
    visitChild(node.child, owner, [...path, ...node.path], onChild)
    return
  }
  for (const [nibble, child] of node.children.entries()) {
    if (child !== undefined) visitChild(child, owner, [...path, nibble], onChild)
  }
}

function visitChild(child: Child, owner: Uint8Array, nibbles: readonly number[], onChild: ChildSink): void {
  const path = Uint8Array.from(nibbles)
  if (child.kind === REF) visit(child, owner, path, onChild)
  else visitChildren(child, { owner, path }, onChild)
}

function visitStorage(account: Leaf, onChild: ChildSink): void {
  const root = storageRef(account)
  if (root !== undefined) visit(root, account.key, EMPTY_BYTES, onChild)
}

function visit(ref: Ref, owner: Uint8Array, path: Uint8Array, onChild: ChildSink): void {
  onChild(ref.hash(), { version: ref.version, owner, path })
}
