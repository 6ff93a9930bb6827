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

/**
 * @param values one encoded item per index
 * @returns 32 bytes: the root of the trie of rlp(index) → value
 */
export function orderedTrieRoot(values: readonly Uint8Array[]): Uint8Array {
  if (values.length === 0) return EMPTY_TRIE_ROOT
  const order = keyOrder(values.length)
  const builder: Builder = { keys: order.map(indexNibbles), values: order.map((i) => values[i] as Uint8Array) }
  const root = buildNode(builder, 0, values.length, 0)
  return root.length === 32 ? root : keccak256(root)
}

interface Builder {
  /** Nibbles of rlp(index), ascending. No key is a prefix of another. */
  readonly keys: readonly Uint8Array[]
  readonly values: readonly Uint8Array[]
}

/** Indexes in the order of their RLP: 1 to 127 are one byte each and come before 0 (0x80). */
function keyOrder(count: number): number[] {
  const order: number[] = []
  for (let index = 1; index < Math.min(count, 128); index++) order.push(index)
  order.push(0)
  for (let index = 128; index < count; index++) order.push(index)
  return order
}

function indexNibbles(index: number): Uint8Array {
  if (index === 0) return Uint8Array.of(8, 0)
  const bytes: number[] = []
  for (let rest = index; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  if (index >= 0x80) bytes.unshift(0x80 + bytes.length)
  return Uint8Array.from(bytes.flatMap((byte) => [byte >> 4, byte & 15]))
}

/** @returns the node's reference in its parent: its hash (32 bytes), or its RLP when that is shorter */
function buildNode(builder: Builder, from: number, to: number, depth: number): Uint8Array {
  const first = builder.keys[from] as Uint8Array
  if (to - from === 1) return encodePair(first, depth, first.length, true, builder.values[from] as Uint8Array, false)
  const last = builder.keys[to - 1] as Uint8Array
  let fork = depth
  while (first[fork] === last[fork]) fork++
  const branch = buildBranch(builder, from, to, fork)
  return fork === depth ? branch : encodePair(first, depth, fork, false, branch, branch.length < 32)
}

function buildBranch(builder: Builder, from: number, to: number, depth: number): Uint8Array {
  const children: (Uint8Array | undefined)[] = []
  let payload = 1
  let start = from
  for (let nibble = 0; nibble < 16; nibble++) {
    let end = start
    while (end < to && (builder.keys[end] as Uint8Array)[depth] === nibble) end++
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

/** Leaf or extension: a list of hex-prefix path and value (or child). */
function encodePair(
  nibbles: Uint8Array,
  from: number,
  to: number,
  isLeaf: boolean,
  second: Uint8Array,
  isEmbedded: boolean,
): Uint8Array {
  const payload = hexPrefixLength(to - from) + (isEmbedded ? second.length : stringLength(second))
  const writer = writerFor(payload)
  writer.list(payload)
  writer.hexPrefix(nibbles, from, to, isLeaf)
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
