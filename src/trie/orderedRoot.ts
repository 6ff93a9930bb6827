/**
 * Root of the trie of a list: transactions, receipts, withdrawals. No trie is built or stored: the keys are known and
 * sorted beforehand, so each node is encoded and hashed once, bottom-up.
 * @see Yellow Paper, appendix D and section 4.4.3
 * @module
 */
import { EMPTY_TRIE_ROOT, keccak256, keccak256Into } from '../base/primitives/keccak.ts'
import { hexPrefixLength, prefixLength, RlpWriter, stringLength } from './nodeRlp.ts'

/** Longer nodes get their own buffer. */
const SCRATCH_BYTES = 1024
const scratch = new RlpWriter(SCRATCH_BYTES)

/** A key has at most 5 bytes: a prefix and the index. */
const KEY_NIBBLES = 10
const keyNibbles = new Uint8Array(KEY_NIBBLES)

const HASH_BYTES = 32
const CHILDREN = 16

/**
 * References to nodes from their parent: the hash of a node, or its RLP when that is shorter. A list has thousands, each of
 * which is needed only until the parent is written.
 */
class References {
  readonly #bytes = new Uint8Array(CHILDREN * HASH_BYTES)
  readonly #lengths = new Uint8Array(CHILDREN)

  /** 0 for an absent child. */
  lengthOf(child: number): number {
    return this.#lengths[child] as number
  }

  /** A view that changes with the child. */
  of(child: number): Uint8Array {
    const at = child * HASH_BYTES
    return this.#bytes.subarray(at, at + this.lengthOf(child))
  }

  clear(child: number): void {
    this.#lengths[child] = 0
  }

  /** @param rlp of the child */
  set(child: number, rlp: Uint8Array): void {
    const at = child * HASH_BYTES
    if (rlp.length < HASH_BYTES) this.#bytes.set(rlp, at)
    else keccak256Into(rlp, this.#bytes, at)
    this.#lengths[child] = Math.min(rlp.length, HASH_BYTES)
  }

  write(child: number, writer: RlpWriter): void {
    const length = this.lengthOf(child)
    if (length === 0) writer.empty()
    else if (length === HASH_BYTES) writer.hash(this.#bytes, child * HASH_BYTES)
    else writer.raw(this.of(child))
  }
}

/** The only entry of its references. */
const ROOT = 0
const roots = new References()
/** The children of the branch that is being built, by depth. */
const levels: readonly References[] = Array.from({ length: KEY_NIBBLES }, () => new References())

/**
 * @param values one encoded item per index
 * @returns 32 bytes: the root of the trie of rlp(index) → value
 */
export function orderedTrieRoot(values: readonly Uint8Array[]): Uint8Array {
  return orderedTrieRootOf(values.length, (index) => values[index] as Uint8Array)
}

/**
 * Like {@link orderedTrieRoot}, for items that are encoded one at a time.
 * @param encodingOf the encoded item of an index; called once for each, and read before the next call
 */
export function orderedTrieRootOf(count: number, encodingOf: (index: number) => Uint8Array): Uint8Array {
  if (count === 0) return EMPTY_TRIE_ROOT
  buildNode({ count, encodingOf }, 0, count, 0, roots, ROOT)
  const root = roots.of(ROOT)
  return root.length === HASH_BYTES ? root.slice() : keccak256(root)
}

interface Builder {
  readonly count: number
  readonly encodingOf: (index: number) => Uint8Array
}

/** Indexes in the order of their RLP: 1 to 127 are one byte each and come before 0 (0x80). */
function indexAt(position: number, count: number): number {
  const zero = Math.min(count, 128) - 1
  if (position === zero) return 0
  return position < zero ? position + 1 : position
}

/** Number of bytes of rlp(index), without the prefix of those above 127. */
function indexBytes(index: number): number {
  return index < 0x100 ? 1 : index < 0x10000 ? 2 : index < 0x1000000 ? 3 : 4
}

function keyLength(index: number): number {
  return index < 0x80 ? 2 : 2 + 2 * indexBytes(index)
}

/** Nibble of rlp(index). No key is a prefix of another. */
function nibbleOf(index: number, depth: number): number {
  const byte = keyByte(index, depth >> 1)
  return depth & 1 ? byte & 15 : byte >> 4
}

function keyByte(index: number, at: number): number {
  if (index < 0x80) return index === 0 ? 0x80 : index
  const bytes = indexBytes(index)
  return at === 0 ? 0x80 + bytes : (index >>> (8 * (bytes - at))) & 0xff
}

/** Builds the node of the items from position `from` to `to` as a child of its parent. */
function buildNode(
  builder: Builder,
  from: number,
  to: number,
  depth: number,
  siblings: References,
  child: number,
): void {
  const first = indexAt(from, builder.count)
  if (to - from === 1) {
    siblings.set(child, encodedPair(first, depth, keyLength(first), true, builder.encodingOf(first), false))
    return
  }
  const last = indexAt(to - 1, builder.count)
  let fork = depth
  while (nibbleOf(first, fork) === nibbleOf(last, fork)) fork++
  siblings.set(child, encodedBranch(builder, from, to, fork))
  if (fork === depth) return
  const branch = siblings.of(child)
  siblings.set(child, encodedPair(first, depth, fork, false, branch, branch.length < HASH_BYTES))
}

function encodedBranch(builder: Builder, from: number, to: number, depth: number): Uint8Array {
  const children = levels[depth] as References
  let payload = 1
  let start = from
  for (let nibble = 0; nibble < CHILDREN; nibble++) {
    let end = start
    while (end < to && nibbleOf(indexAt(end, builder.count), depth) === nibble) end++
    if (end === start) children.clear(nibble)
    else buildNode(builder, start, end, depth + 1, children, nibble)
    const length = children.lengthOf(nibble)
    payload += length === 0 ? 1 : length === HASH_BYTES ? HASH_BYTES + 1 : length
    start = end
  }
  const writer = writerFor(payload)
  writer.list(payload)
  for (let nibble = 0; nibble < CHILDREN; nibble++) children.write(nibble, writer)
  writer.empty()
  return writer.written
}

/** Leaf or extension: a list of hex-prefix path (nibbles `from` to `to` of the key of `index`) and value or child. */
function encodedPair(
  index: number,
  from: number,
  to: number,
  isLeaf: boolean,
  second: Uint8Array,
  isEmbedded: boolean,
): Uint8Array {
  const payload = hexPrefixLength(to - from) + (isEmbedded ? second.length : stringLength(second))
  const writer = writerFor(payload)
  writer.list(payload)
  for (let at = from; at < to; at++) keyNibbles[at] = nibbleOf(index, at)
  writer.hexPrefix(keyNibbles, from, to, isLeaf)
  if (isEmbedded) writer.raw(second)
  else writer.string(second)
  return writer.written
}

/** For a node without its children, which are complete before it is written. */
function writerFor(payload: number): RlpWriter {
  const length = prefixLength(payload) + payload
  if (length > SCRATCH_BYTES) return new RlpWriter(length)
  scratch.reset()
  return scratch
}
