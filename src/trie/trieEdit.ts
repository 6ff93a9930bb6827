/**
 * Insertion and removal. All nodes that may be missing are read before anything changes, so a `StoreMiss` leaves the
 * trie unchanged.
 * @module
 */
import { equalBytes } from '../base/primitives/bytes.ts'
import {
  BRANCH,
  Branch,
  type Child,
  type EditToken,
  EXTENSION,
  Extension,
  emptyChildren,
  LEAF,
  Leaf,
  type Node,
  nibbleAt,
  REF,
  type Ref,
} from './node.ts'

/** The part of a trie that editing uses. */
export interface TrieEditor {
  readonly token: EditToken
  resolve(ref: Ref, key: Uint8Array, depth: number): Node
}

/** @returns the new child in place of `child`; `child` itself when nothing changed */
export function insertLeaf(trie: TrieEditor, child: Child | undefined, depth: number, leaf: Leaf): Child {
  if (child === undefined) return leaf
  if (child.kind === REF) {
    const node = trie.resolve(child, leaf.key, depth)
    const next = insertIntoNode(trie, node, depth, leaf)
    return next === node ? child : next
  }
  return insertIntoNode(trie, child, depth, leaf)
}

function insertIntoNode(trie: TrieEditor, node: Node, depth: number, leaf: Leaf): Node {
  if (node.kind === LEAF) return insertAtLeaf(trie, node, depth, leaf)
  if (node.kind === EXTENSION) return insertAtExtension(trie, node, depth, leaf)
  if (depth === leaf.key.length * 2) {
    if (node.value !== undefined && isSameEntry(node.value, leaf)) return node
    const branch = ownBranch(trie, node)
    branch.value = leaf
    return branch
  }
  const nibble = nibbleAt(leaf.key, depth)
  const old = node.children[nibble]
  const next = insertLeaf(trie, old, depth + 1, leaf)
  if (next === old && !isOwn(trie, next)) return node
  const branch = ownBranch(trie, node)
  branch.children[nibble] = next
  return branch
}

function insertAtLeaf(trie: TrieEditor, old: Leaf, depth: number, leaf: Leaf): Node {
  if (equalBytes(old.key, leaf.key)) return isSameEntry(old, leaf) ? old : leaf
  const end = Math.min(old.key.length, leaf.key.length) * 2
  let fork = depth
  while (fork < end && nibbleAt(old.key, fork) === nibbleAt(leaf.key, fork)) fork++
  const branch = new Branch(emptyChildren(), undefined, trie.token)
  hang(branch, old.moved(), fork)
  hang(branch, leaf, fork)
  return fork === depth ? branch : new Extension(keyNibbles(leaf.key, depth, fork), branch, trie.token)
}

function insertAtExtension(trie: TrieEditor, node: Extension, depth: number, leaf: Leaf): Node {
  const { path } = node
  const end = leaf.key.length * 2 - depth
  let shared = 0
  while (shared < path.length && shared < end && path[shared] === nibbleAt(leaf.key, depth + shared)) shared++
  if (shared === path.length) {
    const next = insertLeaf(trie, node.child, depth + shared, leaf)
    if (next === node.child && !isOwn(trie, next)) return node
    const extension = ownExtension(trie, node)
    extension.child = next
    return extension
  }
  const branch = new Branch(emptyChildren(), undefined, trie.token)
  const rest = path.subarray(shared + 1)
  branch.children[path[shared] as number] = rest.length === 0 ? node.child : new Extension(rest, node.child, trie.token)
  hang(branch, leaf, depth + shared)
  return shared === 0 ? branch : new Extension(path.subarray(0, shared), branch, trie.token)
}

/** Adds a leaf to a branch at depth `fork` whose slot for it is empty. */
function hang(branch: Branch, leaf: Leaf, fork: number): void {
  if (fork === leaf.key.length * 2) branch.value = leaf
  else branch.children[nibbleAt(leaf.key, fork)] = leaf
}

/**
 * Sets the tag and the incarnation of a changed leaf. They are not hashed, so the references of all nodes remain valid.
 * @returns the new child in place of `child`; undefined when the path to the leaf has a stored node or no such leaf
 */
export function retagLeaf(
  trie: TrieEditor,
  child: Child | undefined,
  depth: number,
  entry: Pick<Leaf, 'key' | 'tag' | 'incarnation'>,
): Child | undefined {
  if (child === undefined || child.kind === REF) return undefined
  const { key, tag, incarnation } = entry
  if (child.kind === LEAF) {
    if (!equalBytes(child.key, key)) return undefined
    const leaf = new Leaf(child.key, child.value, tag, incarnation)
    leaf.reference = child.reference
    return leaf
  }
  const nibbles = key.length * 2
  if (child.kind === EXTENSION) {
    const { path } = child
    if (depth + path.length > nibbles) return undefined
    for (let i = 0; i < path.length; i++) if (path[i] !== nibbleAt(key, depth + i)) return undefined
    const next = retagLeaf(trie, child.child, depth + path.length, entry)
    if (next === undefined) return undefined
    const own = child.token === trie.token ? child : new Extension(path, next, trie.token)
    own.child = next
    own.reference = child.reference
    return own
  }
  if (depth === nibbles) return undefined
  const nibble = nibbleAt(key, depth)
  const next = retagLeaf(trie, child.children[nibble], depth + 1, entry)
  if (next === undefined) return undefined
  const own = child.token === trie.token ? child : new Branch(child.children.slice(), child.value, trie.token)
  own.children[nibble] = next
  own.reference = child.reference
  return own
}

/** @returns the new child in place of `child`; `child` itself when nothing changed */
export function removeKey(
  trie: TrieEditor,
  child: Child | undefined,
  depth: number,
  key: Uint8Array,
): Child | undefined {
  if (child === undefined) return undefined
  const node = child.kind === REF ? trie.resolve(child, key, depth) : child
  const next = removeFromNode(trie, node, depth, key)
  return next === node ? child : next
}

function removeFromNode(trie: TrieEditor, node: Node, depth: number, key: Uint8Array): Node | undefined {
  if (node.kind === LEAF) return equalBytes(node.key, key) ? undefined : node
  if (node.kind === EXTENSION) return removeAtExtension(trie, node, depth, key)
  if (depth === key.length * 2) return node.value === undefined ? node : withoutValue(trie, node, depth, key)
  const nibble = nibbleAt(key, depth)
  const old = node.children[nibble]
  const next = removeKey(trie, old, depth + 1, key)
  if (next === undefined) return old === undefined ? node : withoutChild(trie, node, depth, nibble, key)
  if (next === old && !isOwn(trie, next)) return node
  const branch = ownBranch(trie, node)
  branch.children[nibble] = next
  return branch
}

function removeAtExtension(trie: TrieEditor, node: Extension, depth: number, key: Uint8Array): Node {
  const { path } = node
  if (depth + path.length > key.length * 2) return node
  for (let i = 0; i < path.length; i++) if (path[i] !== nibbleAt(key, depth + i)) return node
  const next = removeKey(trie, node.child, depth + path.length, key) as Child
  if (next === node.child && !isOwn(trie, next)) return node
  if (next.kind === LEAF) return next
  if (next.kind === EXTENSION) return new Extension(joinPath(path, next.path), next.child, trie.token)
  const extension = ownExtension(trie, node)
  extension.child = next
  return extension
}

function withoutValue(trie: TrieEditor, node: Branch, depth: number, key: Uint8Array): Node {
  const only = onlyChild(node, -1)
  if (only >= 0) return collapse(trie, node, depth, only, key)
  const branch = ownBranch(trie, node)
  branch.value = undefined
  return branch
}

function withoutChild(trie: TrieEditor, node: Branch, depth: number, nibble: number, key: Uint8Array): Node {
  const only = onlyChild(node, nibble)
  if (node.value === undefined && only >= 0) return collapse(trie, node, depth, only, key)
  if (node.value !== undefined && only === NO_CHILD) return node.value.moved()
  const branch = ownBranch(trie, node)
  branch.children[nibble] = undefined
  return branch
}

const NO_CHILD = -1
const SEVERAL_CHILDREN = -2

/** Index of the only child other than `except`, or a negative reason why there is none. */
function onlyChild(node: Branch, except: number): number {
  let found = NO_CHILD
  for (let i = 0; i < 16; i++) {
    if (i === except || node.children[i] === undefined) continue
    if (found !== NO_CHILD) return SEVERAL_CHILDREN
    found = i
  }
  return found
}

/** Merges a branch that is left with one child into the path to that child. */
function collapse(trie: TrieEditor, node: Branch, depth: number, nibble: number, key: Uint8Array): Node {
  const child = node.children[nibble] as Child
  const only = child.kind === REF ? trie.resolve(child, siblingKey(key, depth, nibble), depth + 1) : child
  if (only.kind === LEAF) return only.moved()
  const step = Uint8Array.of(nibble)
  if (only.kind === BRANCH) return new Extension(step, child, trie.token)
  return new Extension(joinPath(step, only.path), only.child, trie.token)
}

/** A key on the path of `key`, but through another child at `depth`. */
function siblingKey(key: Uint8Array, depth: number, nibble: number): Uint8Array {
  const sibling = new Uint8Array((depth >> 1) + 1)
  sibling.set(key.subarray(0, sibling.length))
  const byte = sibling[depth >> 1] as number
  sibling[depth >> 1] = depth & 1 ? (byte & 0xf0) | nibble : (nibble << 4) | (byte & 15)
  return sibling
}

/** Whether this trie may change a returned child in place. */
function isOwn(trie: TrieEditor, child: Child): boolean {
  return (child.kind === BRANCH || child.kind === EXTENSION) && child.token === trie.token
}

function ownBranch(trie: TrieEditor, branch: Branch): Branch {
  if (branch.token !== trie.token) return new Branch(branch.children.slice(), branch.value, trie.token)
  branch.reference = undefined
  return branch
}

function ownExtension(trie: TrieEditor, extension: Extension): Extension {
  if (extension.token !== trie.token) return new Extension(extension.path, extension.child, trie.token)
  extension.reference = undefined
  return extension
}

function isSameEntry(a: Leaf, b: Leaf): boolean {
  return a.tag === b.tag && a.incarnation === b.incarnation && equalBytes(a.value, b.value)
}

function keyNibbles(key: Uint8Array, from: number, to: number): Uint8Array {
  const nibbles = new Uint8Array(to - from)
  for (let i = from; i < to; i++) nibbles[i - from] = nibbleAt(key, i)
  return nibbles
}

function joinPath(first: Uint8Array, second: Uint8Array): Uint8Array {
  const path = new Uint8Array(first.length + second.length)
  path.set(first)
  path.set(second, first.length)
  return path
}
