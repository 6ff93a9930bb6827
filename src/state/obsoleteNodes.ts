/**
 * Finds the trie nodes of a state that no later state needs. A node belongs to its version, owner and path, and a later state
 * that kept it names the same version at the same path, so two states are compared from their roots down and equal
 * subtries are never entered.
 * @module
 */
import { type KeyValueReader, StoreMiss } from '../base/ports/keyValueStore.ts'
import { EMPTY_BYTES, equalBytes } from '../base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../base/primitives/keccak.ts'
import { keys } from '../storage/schema.ts'
import { missingTrieNode } from '../trie/errors.ts'
import { BRANCH, type Child, EXTENSION, LEAF, type Leaf, type Node, nibbleAt, REF, Ref } from '../trie/node.ts'
import { decodeNode, isBranchOfHashes, type ReplacedChild, replacedChildren } from '../trie/nodeCodec.ts'
import { packNibblePath } from '../trie/nodePath.ts'
import type { WalkPause } from '../trie/recompute.ts'
import { storageRootOffset } from './account.ts'
import type { StateRoot } from './contract.ts'

/** Number of nodes read between two pauses: less than a millisecond of work. */
const NODES_PER_PAUSE = 32

/** Receives the key of an obsolete node, children before their parents. */
export type ObsoleteSink = (key: Uint8Array) => void

/**
 * The stored nodes of `older` that none of `newer` has, with those of storage tries. A missing node of `older` counts as
 * deleted together with its descendants, so an interrupted deletion can begin again at the root.
 * @throws {NodeError} MISSING_TRIE_NODE when a node of `newer` is missing
 */
export function* obsoleteNodes(
  reader: KeyValueReader,
  older: StateRoot,
  newer: readonly StateRoot[],
  sink: ObsoleteSink,
): Generator<WalkPause, void> {
  if (equalBytes(older.hash, EMPTY_TRIE_ROOT)) return
  const walk: Walk = { reader, sink, count: 0 }
  const roots = newer.filter(({ hash }) => !equalBytes(hash, EMPTY_TRIE_ROOT)).map(rootRef)
  yield* new TrieWalk(walk, EMPTY_BYTES).visit(rootRef(older), roots)
}

function rootRef({ hash, version }: StateRoot): Ref {
  return new Ref(hash, 0, version)
}

interface Walk {
  readonly reader: KeyValueReader
  readonly sink: ObsoleteSink
  count: number
}

/** A place in a newer trie: the node at the visited path, or the rest of an extension that ends below the path. */
type Cursor = Child | ExtensionRest

interface ExtensionRest {
  readonly kind: 'rest'
  readonly path: Uint8Array
  readonly at: number
  readonly child: Child
}

class TrieWalk {
  readonly #walk: Walk
  readonly #owner: Uint8Array
  readonly #path: number[] = []

  /** @param owner empty for the account trie, keccak256(address) for a storage trie */
  constructor(walk: Walk, owner: Uint8Array) {
    this.#walk = walk
    this.#owner = owner
  }

  *visit(child: Child, cursors: readonly Cursor[]): Generator<WalkPause, void> {
    if (child.kind !== REF) return yield* this.#below(child, cursors)
    for (const cursor of cursors) if (cursor.kind === REF && cursor.version === child.version) return
    const key = this.#keyOf(child)
    const bytes = yield* this.#read(key)
    if (bytes === undefined) return
    const replaced = yield* this.#replaced(bytes, cursors)
    if (replaced === undefined) yield* this.#below(decodeNode(bytes), cursors)
    else {
      const depth = this.#path.length
      for (const { nibble, older, newer } of replaced) {
        this.#path.push(nibble)
        yield* this.visit(older, newer === undefined ? [] : [newer])
        this.#path.length = depth
      }
    }
    this.#walk.sink(key)
  }

  /** Most nodes are branches at the same place in one newer trie, and most of their children are the same. */
  *#replaced(bytes: Uint8Array, cursors: readonly Cursor[]): Generator<WalkPause, ReplacedChild[] | undefined> {
    const newer = cursors[0]
    if (newer?.kind !== REF || newer.node !== undefined || cursors.length > 1) return undefined
    // Most other nodes are leaves of storage tries: what replaced them need not be read.
    if (!isBranchOfHashes(bytes)) return undefined
    return replacedChildren(bytes, yield* this.#required(newer))
  }

  *#below(node: Node, cursors: readonly Cursor[]): Generator<WalkPause, void> {
    if (node.kind === LEAF) return yield* this.#leaf(node, cursors)
    const depth = this.#path.length
    if (node.kind === EXTENSION) {
      let at = cursors
      for (const nibble of node.path) {
        at = yield* this.#step(at, nibble)
        this.#path.push(nibble)
      }
      yield* this.visit(node.child, at)
    } else {
      for (let i = 0; i < 16; i++) {
        const child = node.children[i]
        if (child === undefined) continue
        const below = yield* this.#step(cursors, i)
        this.#path.push(i)
        yield* this.visit(child, below)
        this.#path.length = depth
      }
    }
    this.#path.length = depth
  }

  /** The storage trie of an account; a leaf of a storage trie refers to nothing. */
  *#leaf(leaf: Leaf, cursors: readonly Cursor[]): Generator<WalkPause, void> {
    if (leaf.tag === 0) return
    const depth = this.#path.length
    const storages: Ref[] = []
    for (const cursor of cursors) {
      const found = yield* this.#find(cursor, leaf.key, depth)
      if (found !== undefined && found.tag !== 0) storages.push(storageRef(found))
    }
    yield* new TrieWalk(this.#walk, leaf.key).visit(storageRef(leaf), storages)
  }

  /** The leaf of a key at or below a cursor. */
  *#find(cursor: Cursor, key: Uint8Array, depth: number): Generator<WalkPause, Leaf | undefined> {
    let at: readonly Cursor[] = [cursor]
    const length = this.#path.length
    for (let i = depth; ; i++) {
      const [found] = at
      if (found === undefined) break
      const node = found.kind === REF ? yield* this.#resolve(found) : found
      if (node.kind === LEAF) {
        this.#path.length = length
        return equalBytes(node.key, key) ? node : undefined
      }
      const nibble = nibbleAt(key, i)
      at = yield* this.#step([node], nibble)
      this.#path.push(nibble)
    }
    this.#path.length = length
    return undefined
  }

  /** Moves the places in the newer tries down by one nibble. A trie without nodes there is left out. */
  *#step(cursors: readonly Cursor[], nibble: number): Generator<WalkPause, readonly Cursor[]> {
    const next: Cursor[] = []
    for (const cursor of cursors) {
      const node = cursor.kind === REF ? yield* this.#resolve(cursor) : cursor
      const below = stepOf(node, nibble, this.#path.length)
      if (below !== undefined) next.push(below)
    }
    return next
  }

  /** @throws {NodeError} MISSING_TRIE_NODE */
  *#resolve(ref: Ref): Generator<WalkPause, Node> {
    if (ref.node === undefined) ref.node = decodeNode(yield* this.#required(ref))
    return ref.node
  }

  /** @throws {NodeError} MISSING_TRIE_NODE */
  *#required(ref: Ref): Generator<WalkPause, Uint8Array> {
    const bytes = yield* this.#read(this.#keyOf(ref))
    if (bytes === undefined) throw missingTrieNode(ref.version, this.#path.length)
    return bytes
  }

  #keyOf({ version }: Ref): Uint8Array {
    return keys.trieNode(version, this.#owner, packNibblePath(Uint8Array.from(this.#path), this.#path.length))
  }

  *#read(key: Uint8Array): Generator<WalkPause, Uint8Array | undefined> {
    const walk = this.#walk
    if (++walk.count % NODES_PER_PAUSE === 0) yield undefined
    for (;;) {
      try {
        return walk.reader.get(key)
      } catch (error) {
        if (!(error instanceof StoreMiss)) throw error
        yield error.request
      }
    }
  }
}

/** @param depth of the node in nibbles */
function stepOf(node: Exclude<Cursor, Ref>, nibble: number, depth: number): Cursor | undefined {
  if (node.kind === BRANCH) return node.children[nibble]
  if (node.kind === LEAF) return nibbleAt(node.key, depth) === nibble ? node : undefined
  const at = node.kind === 'rest' ? node.at : 0
  if (node.path[at] !== nibble) return undefined
  return at + 1 === node.path.length ? node.child : { kind: 'rest', path: node.path, at: at + 1, child: node.child }
}

function storageRef({ value, tag }: Leaf): Ref {
  return new Ref(value, storageRootOffset(value), tag)
}
