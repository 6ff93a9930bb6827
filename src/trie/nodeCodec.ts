/**
 * The stored form of a node. Unlike the RLP it includes the version of every child and the whole key of a leaf, so a
 * node can be read without knowing its place in the trie.
 *
 * First byte: kind (2 bits), two flags, width of the child versions (3 bits). Then
 * - leaf: key length (1), key, tag (6, if flagged), incarnation (6, if the lowest bit of the width is set), value,
 *   without the suffix of a plain account if flagged
 * - extension: nibble count (1), packed nibbles, child
 * - branch: children bitmap (2), embedded bitmap (2, if flagged), children, leaf that ends here (if flagged)
 *
 * A child is hash ‖ version, or, embedded, length (2) ‖ node.
 * @module
 */
import { concatBytes, readUint, writeUint } from '../base/primitives/bytes.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT } from '../base/primitives/keccak.ts'
import { invalidTrieNode } from './errors.ts'
import {
  BRANCH,
  Branch,
  type Child,
  EXTENSION,
  Extension,
  emptyChildren,
  LEAF,
  Leaf,
  type Node,
  REF,
  Ref,
} from './node.ts'

const FLAG_A = 0x04
const FLAG_B = 0x08
const WIDTH_SHIFT = 4
const FLAG_INCARNATION = 1 << WIDTH_SHIFT
const TAG_BYTES = 6

/** The end of the RLP of an account without storage and code; it would make up two thirds of most leaves. */
const PLAIN_ACCOUNT_SUFFIX = concatBytes(Uint8Array.of(0xa0), EMPTY_TRIE_ROOT, Uint8Array.of(0xa0), EMPTY_CODE_HASH)

/** Returns a zeroed buffer of the given length. */
export type Allocate = (length: number) => Uint8Array

const allocateOne: Allocate = (length) => new Uint8Array(length)

export function encodeNode(node: Node, allocate: Allocate = allocateOne): Uint8Array {
  if (node.kind === LEAF) return encodeLeaf(node, allocate)
  return node.kind === BRANCH ? encodeBranch(node, allocate) : encodeExtension(node, allocate)
}

/** @throws {NodeError} INVALID_TRIE_NODE */
export function decodeNode(bytes: Uint8Array): Node {
  const kind = (bytes[0] ?? 0xff) & 3
  if (kind === LEAF) return decodeLeaf(bytes)
  if (kind === BRANCH) return decodeBranch(bytes)
  if (kind === EXTENSION) return decodeExtension(bytes)
  throw invalidTrieNode(bytes.length === 0 ? 'empty' : `kind ${kind}`)
}

function encodeLeaf({ key, value, tag, incarnation }: Leaf, allocate: Allocate): Uint8Array {
  const isPlain = endsWith(value, PLAIN_ACCOUNT_SUFFIX)
  const kept = isPlain ? value.length - PLAIN_ACCOUNT_SUFFIX.length : value.length
  const incarnationAt = 2 + key.length + (tag === 0 ? 0 : TAG_BYTES)
  const valueAt = incarnationAt + (incarnation === 0 ? 0 : TAG_BYTES)
  const bytes = allocate(valueAt + kept)
  bytes[0] = LEAF | (tag === 0 ? 0 : FLAG_A) | (isPlain ? FLAG_B : 0) | (incarnation === 0 ? 0 : FLAG_INCARNATION)
  bytes[1] = key.length
  bytes.set(key, 2)
  if (tag !== 0) writeUint(bytes, 2 + key.length, tag, TAG_BYTES)
  if (incarnation !== 0) writeUint(bytes, incarnationAt, incarnation, TAG_BYTES)
  bytes.set(isPlain ? value.subarray(0, kept) : value, valueAt)
  return bytes
}

function decodeLeaf(bytes: Uint8Array): Leaf {
  const head = bytes[0] as number
  const keyEnd = 2 + (bytes[1] as number)
  const incarnationAt = head & FLAG_A ? keyEnd + TAG_BYTES : keyEnd
  const valueAt = head & FLAG_INCARNATION ? incarnationAt + TAG_BYTES : incarnationAt
  if (!(valueAt <= bytes.length)) throw invalidTrieNode('short leaf')
  const kept = bytes.subarray(valueAt)
  const value = head & FLAG_B ? concatBytes(kept, PLAIN_ACCOUNT_SUFFIX) : kept
  const tag = head & FLAG_A ? readUint(bytes, keyEnd, TAG_BYTES) : 0
  const incarnation = head & FLAG_INCARNATION ? readUint(bytes, incarnationAt, TAG_BYTES) : 0
  return new Leaf(bytes.subarray(2, keyEnd), value, tag, incarnation)
}

function encodeExtension({ path, child }: Extension, allocate: Allocate): Uint8Array {
  const packed = (path.length + 1) >> 1
  const width = child.kind === REF ? versionWidth(child.version) : 0
  const encoder = new ChildEncoder(allocate, 2 + packed, [child], width)
  const { bytes } = encoder
  bytes[0] = EXTENSION | (child.kind === REF ? 0 : FLAG_A) | (width << WIDTH_SHIFT)
  bytes[1] = path.length
  for (let i = 0; i < path.length; i++) {
    const at = 2 + (i >> 1)
    bytes[at] = (bytes[at] as number) | ((path[i] as number) << (i & 1 ? 0 : 4))
  }
  encoder.writeAll()
  return bytes
}

function decodeExtension(bytes: Uint8Array): Extension {
  const head = bytes[0] as number
  const path = new Uint8Array(bytes[1] as number)
  for (let i = 0; i < path.length; i++) {
    const byte = bytes[2 + (i >> 1)] as number
    path[i] = i & 1 ? byte & 15 : byte >> 4
  }
  const decoder = new ChildDecoder(bytes, 2 + ((path.length + 1) >> 1), head >> WIDTH_SHIFT)
  return new Extension(path, decoder.read((head & FLAG_A) !== 0), undefined)
}

function encodeBranch({ children, value }: Branch, allocate: Allocate): Uint8Array {
  let present = 0
  let embedded = 0
  let width = 0
  for (let i = 0; i < 16; i++) {
    const child = children[i]
    if (child === undefined) continue
    present |= 1 << i
    if (child.kind !== REF) embedded |= 1 << i
    else width = Math.max(width, versionWidth(child.version))
  }
  const start = embedded === 0 ? 3 : 5
  const encoder = new ChildEncoder(allocate, start, children, width, value)
  const { bytes } = encoder
  bytes[0] = BRANCH | (embedded === 0 ? 0 : FLAG_A) | (value === undefined ? 0 : FLAG_B) | (width << WIDTH_SHIFT)
  writeUint(bytes, 1, present, 2)
  if (embedded !== 0) writeUint(bytes, 3, embedded, 2)
  encoder.writeAll()
  return bytes
}

function decodeBranch(bytes: Uint8Array): Branch {
  const head = bytes[0] as number
  const present = readUint(bytes, 1, 2)
  const embedded = head & FLAG_A ? readUint(bytes, 3, 2) : 0
  const decoder = new ChildDecoder(bytes, head & FLAG_A ? 5 : 3, head >> WIDTH_SHIFT)
  const children = emptyChildren()
  for (let i = 0; i < 16; i++) {
    if (present & (1 << i)) children[i] = decoder.read((embedded & (1 << i)) !== 0)
  }
  const value = head & FLAG_B ? decoder.read(true) : undefined
  if (value !== undefined && value.kind !== LEAF) throw invalidTrieNode('value of a branch')
  return new Branch(children, value, undefined)
}

/** A child of a stored branch that another branch at the same place does not have. */
export interface ReplacedChild {
  readonly nibble: number
  readonly older: Ref
  /** undefined: nothing is there */
  readonly newer: Ref | undefined
}

/**
 * The children of a branch whose versions differ in another one, without decoding either.
 * @returns undefined unless both are branches of hashes only
 */
export function replacedChildren(older: Uint8Array, newer: Uint8Array): ReplacedChild[] | undefined {
  if (!isBranchOfHashes(older) || !isBranchOfHashes(newer)) return undefined
  const [olderHead, newerHead] = [older[0] as number, newer[0] as number]
  const [inOlder, inNewer] = [readUint(older, 1, 2), readUint(newer, 1, 2)]
  const [olderWidth, newerWidth] = [olderHead >> WIDTH_SHIFT, newerHead >> WIDTH_SHIFT]
  const replaced: ReplacedChild[] = []
  for (let nibble = 0, olderAt = 3, newerAt = 3; nibble < 16; nibble++) {
    const isInNewer = (inNewer & (1 << nibble)) !== 0
    if (inOlder & (1 << nibble)) {
      const version = readUint(older, olderAt + 32, olderWidth)
      const other = isInNewer ? readUint(newer, newerAt + 32, newerWidth) : -1
      if (version !== other) {
        const ref = isInNewer ? new Ref(newer, newerAt, other) : undefined
        replaced.push({ nibble, older: new Ref(older, olderAt, version), newer: ref })
      }
      olderAt += 32 + olderWidth
    }
    if (isInNewer) newerAt += 32 + newerWidth
  }
  return replaced
}

/** Whether a stored node is a branch without a value or embedded children. */
export function isBranchOfHashes(bytes: Uint8Array): boolean {
  const head = bytes[0] as number
  return (head & 3) === BRANCH && (head & (FLAG_A | FLAG_B)) === 0
}

function versionWidth(version: number): number {
  let width = 1
  for (let rest = Math.floor(version / 256); rest > 0; rest = Math.floor(rest / 256)) width++
  return width
}

/** Writes children one after the other; a hashed child takes 32 bytes and its version. */
class ChildEncoder {
  readonly bytes: Uint8Array
  readonly #width: number
  readonly #children: readonly (Child | undefined)[]
  readonly #value: Leaf | undefined
  /** Stored forms of the embedded children, in order. */
  readonly #embedded: Uint8Array[] = []
  #nextEmbedded = 0
  #at: number

  constructor(
    allocate: Allocate,
    start: number,
    children: readonly (Child | undefined)[],
    width: number,
    value?: Leaf,
  ) {
    let length = start
    for (const child of children) {
      if (child === undefined) continue
      length += child.kind === REF ? 32 + width : this.#embed(child)
    }
    if (value !== undefined) length += this.#embed(value)
    this.bytes = allocate(length)
    this.#width = width
    this.#children = children
    this.#value = value
    this.#at = start
  }

  writeAll(): void {
    for (const child of this.#children) {
      if (child === undefined) continue
      if (child.kind === REF) this.#writeRef(child)
      else this.#writeEmbedded()
    }
    if (this.#value !== undefined) this.#writeEmbedded()
  }

  /** @returns the encoded length */
  #embed(node: Node): number {
    const bytes = encodeNode(node)
    this.#embedded.push(bytes)
    return 2 + bytes.length
  }

  #writeRef({ source, offset, version }: Ref): void {
    const { bytes } = this
    const at = this.#at
    for (let i = 0; i < 32; i++) bytes[at + i] = source[offset + i] as number
    writeUint(bytes, at + 32, version, this.#width)
    this.#at = at + 32 + this.#width
  }

  #writeEmbedded(): void {
    const embedded = this.#embedded[this.#nextEmbedded++] as Uint8Array
    writeUint(this.bytes, this.#at, embedded.length, 2)
    this.bytes.set(embedded, this.#at + 2)
    this.#at += 2 + embedded.length
  }
}

class ChildDecoder {
  readonly #bytes: Uint8Array
  readonly #width: number
  #at: number

  constructor(bytes: Uint8Array, start: number, width: number) {
    this.#bytes = bytes
    this.#at = start
    this.#width = width
  }

  read(isEmbedded: boolean): Child {
    const at = this.#at
    const length = isEmbedded ? readUint(this.#bytes, at, 2) : 30 + this.#width
    this.#at = at + 2 + length
    if (!(this.#at <= this.#bytes.length)) throw invalidTrieNode('short child')
    if (isEmbedded) return decodeNode(this.#bytes.subarray(at + 2, this.#at))
    return new Ref(this.#bytes, at, readUint(this.#bytes, at + 32, this.#width))
  }
}

function endsWith(bytes: Uint8Array, suffix: Uint8Array): boolean {
  let at = bytes.length - suffix.length
  if (at < 0) return false
  for (let i = 0; i < suffix.length; i++, at++) if (bytes[at] !== suffix[i]) return false
  return true
}
