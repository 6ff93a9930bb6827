/**
 * Root of the trie of a list: transactions, receipts, withdrawals. No trie is built or stored: the keys are known and
 * sorted beforehand, so each node is encoded and hashed once, bottom-up.
 * @see Yellow Paper, appendix D and section 4.4.3
 * @module
 */
import { EMPTY_TRIE_ROOT, keccak256 } from '../base/primitives/keccak.ts'
import { hexPrefixLength, prefixLength, RlpWriter, stringLength } from './nodeRlp.ts'

/** Longer nodes get their own buffer. */
const SCRATCH_BYTES = 1024
const scratch = new RlpWriter(SCRATCH_BYTES)

/** A key has at most 5 bytes: a prefix and the index. */
const keyNibbles = new Uint8Array(10)

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
  const root = buildNode({ count, encodingOf }, 0, count, 0)
  return root.length === 32 ? root : keccak256(root)
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

/**
 * @param from position of the first item below the node
 * @returns the node's reference in its parent: its hash (32 bytes), or its RLP when that is shorter
 */
function buildNode(builder: Builder, from: number, to: number, depth: number): Uint8Array {
  const first = indexAt(from, builder.count)
  if (to - from === 1) return encodePair(first, depth, keyLength(first), true, builder.encodingOf(first), false)
  const last = indexAt(to - 1, builder.count)
  let fork = depth
  while (nibbleOf(first, fork) === nibbleOf(last, fork)) fork++
  const branch = buildBranch(builder, from, to, fork)
  return fork === depth ? branch : encodePair(first, depth, fork, false, branch, branch.length < 32)
}

function buildBranch(builder: Builder, from: number, to: number, depth: number): Uint8Array {
  const children: (Uint8Array | undefined)[] = []
  let payload = 1
  let start = from
  for (let nibble = 0; nibble < 16; nibble++) {
    let end = start
    while (end < to && nibbleOf(indexAt(end, builder.count), depth) === nibble) end++
    const child = end === start ? undefined : buildNode(builder, start, end, depth + 1)
    children.push(child)
    payload += child === undefined ? 1 : child.length === 32 ? 33 : child.length
    start = end
  }
  const writer = writerFor(payload)
  writer.list(payload)
  for (const child of children) {
    if (child === undefined) writer.empty()
    else if (child.length === 32) writer.string(child)
    else writer.raw(child)
  }
  writer.empty()
  return reference(writer)
}

/** Leaf or extension: a list of hex-prefix path (nibbles `from` to `to` of the key of `index`) and value or child. */
function encodePair(
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
  return reference(writer)
}

/** For a node without its children, which are complete before it is written. */
function writerFor(payload: number): RlpWriter {
  const length = prefixLength(payload) + payload
  if (length > SCRATCH_BYTES) return new RlpWriter(length)
  scratch.reset()
  return scratch
}

function reference(writer: RlpWriter): Uint8Array {
  const rlp = writer.bytes.subarray(0, writer.length)
  return rlp.length < 32 ? rlp.slice() : keccak256(rlp)
}
