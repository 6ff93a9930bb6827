import { compareBytes } from '../base/primitives/bytes.ts'
import { type Child, EXTENSION, LEAF, type Leaf, type Node, nibbleAt, REF, type Ref } from './node.ts'
import { packNibblePath } from './nodePath.ts'

interface WalkedTrie {
  readonly root: Child | undefined
  resolveAt(ref: Ref, path: Uint8Array, depth: number): Node
}

/** Entries in key order, starting at `from` (inclusive). */
export function* walkLeaves(trie: WalkedTrie, from: Uint8Array): Generator<Leaf, void, undefined> {
  if (trie.root !== undefined) yield* walk({ trie, from, path: [] }, trie.root, true)
}

interface Walk {
  readonly trie: WalkedTrie
  readonly from: Uint8Array
  /** Nibbles above the visited node. */
  readonly path: number[]
}

/** @param isOnBound whether the path so far is a prefix of `from` */
function* walk(state: Walk, child: Child, isOnBound: boolean): Generator<Leaf, void, undefined> {
  const { trie, from, path } = state
  const depth = path.length
  const isBound = isOnBound && depth < from.length * 2
  const node = child.kind === REF ? trie.resolveAt(child, packNibblePath(Uint8Array.from(path), depth), depth) : child
  if (node.kind === LEAF) {
    if (!isBound || compareBytes(node.key, from) >= 0) yield node
  } else if (node.kind === EXTENSION) {
    const order = isBound ? comparePath(node.path, from, depth) : 1
    if (order < 0) return
    path.push(...node.path)
    yield* walk(state, node.child, order === 0)
    path.length = depth
  } else {
    const first = isBound ? nibbleAt(from, depth) : 0
    if (!isBound && node.value !== undefined) yield node.value
    for (let i = first; i < 16; i++) {
      const next = node.children[i]
      if (next === undefined) continue
      path.push(i)
      yield* walk(state, next, isBound && i === first)
      path.length = depth
    }
  }
}

/** Order of an extension's path relative to the bound; 0 when one is a prefix of the other. */
function comparePath(path: Uint8Array, from: Uint8Array, depth: number): number {
  const end = Math.min(path.length, from.length * 2 - depth)
  for (let i = 0; i < end; i++) {
    const difference = (path[i] as number) - nibbleAt(from, depth + i)
    if (difference !== 0) return difference
  }
  return 0
}
