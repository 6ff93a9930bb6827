/**
 * Merkle proofs for single keys.
 * @see EIP-1186
 * @module
 */
import { equalBytes } from '../base/primitives/bytes.ts'
import { isNodeError } from '../base/primitives/errors.ts'
import { EMPTY_TRIE_ROOT, keccak256 } from '../base/primitives/keccak.ts'
import { type DecodedItem, rlpDecodeList } from '../base/primitives/rlp.ts'
import { invalidProof } from './errors.ts'
import { EXTENSION, LEAF, nibbleAt, REF } from './node.ts'
import type { Trie } from './trie.ts'

/**
 * RLP of the nodes on the path of a key, root first, including nodes embedded in their parent. The proof of an absent
 * key ends at the node that shows the absence; the proof in an empty trie is empty.
 */
export function prove(trie: Trie, key: Uint8Array): Uint8Array[] {
  const { hasher } = trie.cache
  const proof: Uint8Array[] = []
  const nibbles = key.length * 2
  let depth = 0
  let child = trie.root
  while (child !== undefined) {
    const node = child.kind === REF ? trie.resolve(child, key, depth) : child
    if (depth === 0 || child.kind === REF || hasher.reference(node, depth).length === 32) {
      proof.push(hasher.rlp(node, depth))
    }
    if (node.kind === LEAF) break
    if (node.kind === EXTENSION) {
      const { path } = node
      const from = depth
      depth += path.length
      if (depth > nibbles || path.some((nibble, i) => nibble !== nibbleAt(key, from + i))) break
      child = node.child
    } else {
      if (depth === nibbles) break
      child = node.children[nibbleAt(key, depth++)]
    }
  }
  return proof
}

/**
 * Checks a proof against a root.
 * @param root 32 bytes
 * @param proof RLP trie nodes, root first, none beyond the end of the path
 * @returns the value; undefined when the proof shows that the key is absent
 * @throws {NodeError} INVALID_PROOF when a node is missing, superfluous, damaged or does not have the expected hash
 */
export function verifyProof(root: Uint8Array, key: Uint8Array, proof: readonly Uint8Array[]): Uint8Array | undefined {
  if (proof.length === 0 && equalBytes(root, EMPTY_TRIE_ROOT)) return undefined
  try {
    return new Verifier(key, proof).run(root)
  } catch (error) {
    if (isNodeError(error, 'INVALID_RLP')) throw invalidProof(error.message)
    throw error
  }
}

class Verifier {
  readonly #key: Uint8Array
  readonly #proof: readonly Uint8Array[]
  #next = 0
  #depth = 0

  constructor(key: Uint8Array, proof: readonly Uint8Array[]) {
    this.#key = key
    this.#proof = proof
  }

  run(root: Uint8Array): Uint8Array | undefined {
    let item: DecodedItem | undefined = root
    while (item !== undefined && !(item instanceof Uint8Array && item.length === 0)) {
      const node: DecodedItem[] = item instanceof Uint8Array ? this.#take(item) : item
      if (node.length !== 2 && node.length !== 17) throw invalidProof(`a node of ${node.length} items`)
      if (node.length === 2 && isLeafPath(bytesOf(node[0]))) return this.#finish(this.#leafValue(node))
      if (node.length === 17 && this.#depth === this.#key.length * 2) {
        const value = bytesOf(node[16])
        return this.#finish(value.length === 0 ? undefined : value)
      }
      item = node.length === 17 ? node[nibbleAt(this.#key, this.#depth++)] : this.#extensionChild(node)
    }
    return this.#finish(undefined)
  }

  #finish(value: Uint8Array | undefined): Uint8Array | undefined {
    if (this.#next !== this.#proof.length) throw invalidProof(`${this.#proof.length - this.#next} superfluous nodes`)
    return value
  }

  #take(hash: Uint8Array): DecodedItem[] {
    const rlp = this.#proof[this.#next]
    if (rlp === undefined) throw invalidProof(`node ${this.#next} is missing`)
    if (hash.length !== 32 || !equalBytes(keccak256(rlp), hash)) {
      throw invalidProof(`node ${this.#next} has not the expected hash`)
    }
    this.#next++
    return rlpDecodeList(rlp)
  }

  #leafValue(node: DecodedItem[]): Uint8Array | undefined {
    return this.#follow(bytesOf(node[0])) && this.#depth === this.#key.length * 2 ? bytesOf(node[1]) : undefined
  }

  #extensionChild(node: DecodedItem[]): DecodedItem | undefined {
    return this.#follow(bytesOf(node[0])) ? node[1] : undefined
  }

  /** Follows a hex-prefix path; false when the key diverges from it. */
  #follow(hexPrefix: Uint8Array): boolean {
    const first = (hexPrefix[0] as number) & 0x10 ? 1 : 2
    for (let i = first; i < hexPrefix.length * 2; i++) {
      if (this.#depth >= this.#key.length * 2) return false
      if (nibbleAt(hexPrefix, i) !== nibbleAt(this.#key, this.#depth)) return false
      this.#depth++
    }
    return true
  }
}

function isLeafPath(hexPrefix: Uint8Array): boolean {
  const flags = hexPrefix[0]
  if (flags === undefined || flags >= 0x40) throw invalidProof('a damaged path')
  return flags >= 0x20
}

function bytesOf(item: DecodedItem | undefined): Uint8Array {
  if (item instanceof Uint8Array) return item
  throw invalidProof('expected a byte string, got a list')
}
