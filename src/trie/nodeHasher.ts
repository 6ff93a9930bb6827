import { keccak256 } from '../base/primitives/keccak.ts'
import { BRANCH, type Branch, type Child, type Extension, LEAF, type Leaf, type Node, REF } from './node.ts'
import { hexPrefixLength, prefixLength, RlpWriter, stringLength } from './nodeRlp.ts'

/** A branch of sixteen hashes takes 532 bytes, an account leaf about 110. */
const SCRATCH_BYTES = 1024

/** Encodes and hashes nodes, each once: the result is cached in the node until it changes. */
export class NodeHasher {
  readonly #scratch = new RlpWriter(new Uint8Array(SCRATCH_BYTES))

  /**
   * The node's reference in its parent.
   * @param depth nibbles above the node
   * @returns the node's hash (32 bytes), or its RLP when that is shorter
   */
  reference(node: Node, depth: number): Uint8Array {
    if (node.reference !== undefined) return node.reference
    const rlp = this.#encode(node, depth)
    node.reference = rlp.length < 32 ? rlp.slice() : keccak256(rlp)
    return node.reference
  }

  /** RLP of a node, owned by the caller. */
  rlp(node: Node, depth: number): Uint8Array {
    return this.#encode(node, depth).slice()
  }

  /** @returns a view that is valid until the next call */
  #encode(node: Node, depth: number): Uint8Array {
    if (node.kind === LEAF) return this.#encodeLeaf(node, depth)
    return node.kind === BRANCH ? this.#encodeBranch(node, depth) : this.#encodeExtension(node, depth)
  }

  #encodeLeaf(leaf: Leaf, depth: number): Uint8Array {
    const payload = hexPrefixLength(leaf.key.length * 2 - depth) + stringLength(leaf.value)
    const writer = this.#writer(payload)
    writer.list(payload)
    writer.leafPath(leaf.key, depth)
    writer.string(leaf.value)
    return writer.written
  }

  #encodeExtension(extension: Extension, depth: number): Uint8Array {
    const { path, child } = extension
    const payload = hexPrefixLength(path.length) + this.#childLength(child, depth + path.length)
    const writer = this.#writer(payload)
    writer.list(payload)
    writer.hexPrefix(path, 0, path.length, false)
    writeChild(writer, child)
    return writer.written
  }

  #encodeBranch(branch: Branch, depth: number): Uint8Array {
    const { children, value } = branch
    let payload = value === undefined ? 1 : stringLength(value.value)
    for (let i = 0; i < 16; i++) {
      const child = children[i]
      payload += child === undefined ? 1 : this.#childLength(child, depth + 1)
    }
    const writer = this.#writer(payload)
    writer.list(payload)
    for (let i = 0; i < 16; i++) {
      const child = children[i]
      if (child === undefined) writer.empty()
      else writeChild(writer, child)
    }
    if (value === undefined) writer.empty()
    else writer.string(value.value)
    return writer.written
  }

  /**
   * Also computes the child's reference, because the shared buffer is free only before the parent's encoding begins.
   */
  #childLength(child: Child, depth: number): number {
    if (child.kind === REF) return 33
    const { length } = this.reference(child, depth)
    return length === 32 ? 33 : length
  }

  #writer(payload: number): RlpWriter {
    const length = prefixLength(payload) + payload
    if (length > SCRATCH_BYTES) return new RlpWriter(length)
    this.#scratch.reset()
    return this.#scratch
  }
}

function writeChild(writer: RlpWriter, child: Child): void {
  if (child.kind === REF) {
    writer.hash(child.source, child.offset)
    return
  }
  const reference = child.reference as Uint8Array
  if (reference.length === 32) writer.hash(reference, 0)
  else writer.raw(reference)
}
