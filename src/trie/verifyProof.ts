/**
 * Verifies proofs of tries with 32-byte keys: the state and the storage of accounts.
 * @see EIP-1186
 * @module
 */
import { bytesToHex, bytesToHexUnprefixed, equalBytes } from '../base/primitives/bytes.ts'
import { EMPTY_TRIE_ROOT, keccak256 } from '../base/primitives/keccak.ts'
import { invalidProof } from './errors.ts'
import { BRANCH, LEAF, nibbleAt } from './node.ts'
import { decodeProofNode, type ProofChild, type ProofNode, ProofNodeFault } from './proofNode.ts'

export interface KeyProof {
  /** 32 bytes: the hash of an address or of a slot */
  readonly key: Uint8Array
  /** RLP of nodes, root first, none beyond the end of the path. Empty in an empty trie. */
  readonly nodes: readonly Uint8Array[]
  /** Name of the proven value, for messages. Default: the key. */
  readonly datum?: string
}

/**
 * Checks a proof against a root.
 * @param root 32 bytes
 * @returns the value; undefined when the proof shows that the key is absent
 * @throws {NodeError} PROOF_INVALID when a node is missing, superfluous or not canonical, or does not have the expected hash
 */
export function verifyProof(
  root: Uint8Array,
  key: Uint8Array,
  nodes: readonly Uint8Array[],
  datum?: string,
): Uint8Array | undefined {
  return new ProofVerifier(root).verify({ key, nodes, ...(datum === undefined ? {} : { datum }) })
}

/**
 * Several keys of one trie, each with a whole proof. Nodes that the proofs have in common are hashed once.
 * @returns values in the order of the proofs
 * @throws {NodeError} PROOF_INVALID
 */
export function verifyProofs(root: Uint8Array, proofs: readonly KeyProof[]): (Uint8Array | undefined)[] {
  const verifier = new ProofVerifier(root)
  return proofs.map((proof) => verifier.verify(proof))
}

/** A node that has the hash under which it is known. */
interface VerifiedNode {
  readonly rlp: Uint8Array
  readonly node: ProofNode
}

class ProofVerifier {
  readonly #root: Uint8Array
  readonly #known = new Map<string, VerifiedNode>()

  constructor(root: Uint8Array) {
    this.#root = root
  }

  verify({ key, nodes, datum }: KeyProof): Uint8Array | undefined {
    const refuse = (reason: string) => invalidProof(datum ?? `key ${bytesToHex(key)}`, reason)
    if (equalBytes(this.#root, EMPTY_TRIE_ROOT)) {
      if (!isProofOfEmptyTrie(nodes)) throw refuse('the trie is empty, the proof is not')
      return undefined
    }
    let at = -1
    const take = (hash: Uint8Array): ProofNode => {
      const rlp = nodes[++at]
      if (rlp === undefined) throw new ProofNodeFault('is missing')
      return this.#verified(hash, rlp, at === 0)
    }
    try {
      const value = findValue(this.#root, key, take)
      const superfluous = nodes.length - at - 1
      if (superfluous > 0) throw refuse(`${superfluous} superfluous nodes`)
      return value
    } catch (error) {
      if (error instanceof ProofNodeFault) throw refuse(`node ${at} ${error.message}`)
      throw error
    }
  }

  #verified(hash: Uint8Array, rlp: Uint8Array, isRoot: boolean): ProofNode {
    const name = bytesToHexUnprefixed(hash)
    const known = this.#known.get(name)
    if (known !== undefined && equalBytes(known.rlp, rlp)) return known.node
    const node = verifiedNode(hash, rlp, isRoot)
    this.#known.set(name, { rlp, node })
    return node
  }
}

/** @throws {ProofNodeFault} when the bytes are no node with that hash */
function verifiedNode(hash: Uint8Array, rlp: Uint8Array, isRoot: boolean): ProofNode {
  if (!equalBytes(keccak256(rlp), hash)) throw new ProofNodeFault('does not have the expected hash')
  if (rlp.length < 32 && !isRoot) throw new ProofNodeFault('should be part of its parent')
  return decodeProofNode(rlp)
}

/** Some nodes name the RLP of the empty trie. */
function isProofOfEmptyTrie(nodes: readonly Uint8Array[]): boolean {
  const [only] = nodes
  return nodes.length === 0 || (nodes.length === 1 && only?.length === 1 && only[0] === 0x80)
}

/**
 * Follows a key from the root.
 * @param take the node with a hash
 * @returns the value; undefined when the key is absent
 * @throws {ProofNodeFault} when a node does not fit into its place
 */
export function findValue(
  root: Uint8Array,
  key: Uint8Array,
  take: (hash: Uint8Array) => ProofNode,
): Uint8Array | undefined {
  const nibbles = key.length * 2
  let child: ProofChild = root
  for (let depth = 0, mustBeBranch = false; child !== undefined; ) {
    const node: ProofNode = child instanceof Uint8Array ? take(child) : child
    if (mustBeBranch && node.kind !== BRANCH) throw new ProofNodeFault('is not the branch of an extension')
    if (node.kind === BRANCH) {
      if (depth === nibbles) throw new ProofNodeFault('is too deep')
      child = node.children[nibbleAt(key, depth++)]
      mustBeBranch = false
      continue
    }
    const end = depth + node.path.length
    if (node.kind === LEAF ? end !== nibbles : end >= nibbles) throw new ProofNodeFault('has a path of a wrong length')
    if (!isAt(node.path, key, depth)) return undefined
    if (node.kind === LEAF) return node.value
    child = node.child
    depth = end
    mustBeBranch = true
  }
  return undefined
}

function isAt(path: Uint8Array, key: Uint8Array, depth: number): boolean {
  return path.every((nibble, i) => nibble === nibbleAt(key, depth + i))
}
