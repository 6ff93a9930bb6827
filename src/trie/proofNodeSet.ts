/**
 * Nodes of several tries as another node sends them: in any order, each once.
 * @module
 */
import { bytesToHexUnprefixed, equalBytes } from '../base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT, keccak256 } from '../base/primitives/keccak.ts'
import { invalidProof } from './errors.ts'
import { decodeProofNode, type ProofNode, ProofNodeFault } from './proofNode.ts'
import { findValue } from './verifyProof.ts'

export class ProofNodeSet {
  readonly #rlp = new Map<string, Uint8Array>()
  readonly #decoded = new Map<string, ProofNode>()

  /** @param nodes RLP */
  constructor(nodes: readonly Uint8Array[]) {
    for (const rlp of nodes) this.#rlp.set(bytesToHexUnprefixed(keccak256(rlp)), rlp)
  }

  /**
   * @param root 32 bytes
   * @param key 32 bytes
   * @param datum what is proven, for messages
   * @returns undefined when the nodes show that the key is absent
   * @throws {NodeError} PROOF_INVALID when a node is missing or not canonical
   */
  value(root: Uint8Array, key: Uint8Array, datum: string): Uint8Array | undefined {
    if (equalBytes(root, EMPTY_TRIE_ROOT)) return undefined
    try {
      return findValue(root, key, (hash) => this.#take(hash, hash === root))
    } catch (error) {
      if (error instanceof ProofNodeFault) throw invalidProof(datum, `a node ${error.message}`)
      throw error
    }
  }

  /** RLP of the nodes that proofs have needed so far. */
  get used(): Uint8Array[] {
    return [...this.#decoded.keys()].map((name) => this.#rlp.get(name) as Uint8Array)
  }

  #take(hash: Uint8Array, isRoot: boolean): ProofNode {
    const name = bytesToHexUnprefixed(hash)
    const known = this.#decoded.get(name)
    if (known !== undefined) return known
    const rlp = this.#rlp.get(name)
    if (rlp === undefined) throw new ProofNodeFault('is missing')
    if (rlp.length < 32 && !isRoot) throw new ProofNodeFault('should be part of its parent')
    const node = decodeProofNode(rlp)
    this.#decoded.set(name, node)
    return node
  }
}
