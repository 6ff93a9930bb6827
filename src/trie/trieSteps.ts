/**
 * Hashes and stores the new nodes of a large trie subtrie by subtrie. Other work may run between two steps; the trie must not
 * change.
 * @module
 */
import { BRANCH, type Child, EXTENSION, type Node, REF } from './node.ts'
import type { Trie } from './trie.ts'
import { Committer, type NodeSink } from './trieCommit.ts'

/** Levels of branches above the subtries: of a million entries, a subtrie has some 250. */
const LEVELS = 3

/** Hashes all new nodes, so that the root is found at once. */
export function* hashSteps({ root, cache }: Trie): Generator<void> {
  if (root !== undefined) yield* hashBelow(root, 0, LEVELS)

  function* hashBelow(node: Child, depth: number, levels: number): Generator<void> {
    if (node.kind === REF || node.reference !== undefined) return
    if (node.kind === EXTENSION && levels > 0) yield* hashBelow(node.child, depth + node.path.length, levels - 1)
    if (node.kind === BRANCH && levels > 0) {
      for (const child of node.children) if (child !== undefined) yield* hashBelow(child, depth + 1, levels - 1)
    }
    cache.hasher.reference(node, depth)
    yield
  }
}

/**
 * Stores new nodes of a trie whose nodes have all been hashed. The rest, at least the root, is left to its commit, which
 * must have the same version.
 * @param isReplacing as for the commit
 */
export function* storeSteps(trie: Trie, version: number, sink: NodeSink, isReplacing: boolean): Generator<void> {
  const { root } = trie
  if (root === undefined || root.kind === REF) return
  const committer = new Committer({ trie, version, sink })
  yield* storeBelow(root, 0, isReplacing ? trie.base : undefined, LEVELS)

  function* storeBelow(node: Node, depth: number, replaced: Child | undefined, levels: number): Generator<void> {
    // A node that another trie shares must not change.
    if (node.kind !== BRANCH || node.token !== trie.token || levels === 0) return
    const before = replaced?.kind === REF ? replaced.node : replaced
    const childrenBefore = before?.kind === BRANCH ? before.children : undefined
    for (const [i, child] of node.children.entries()) {
      if (child === undefined || child.kind === REF) continue
      committer.step(depth, i)
      yield* storeBelow(child, depth + 1, childrenBefore?.[i], levels - 1)
      node.children[i] = committer.child(child, depth + 1, childrenBefore?.[i])
      yield
    }
  }
}
