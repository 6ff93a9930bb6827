/** Verifies EIP-1186 proofs like a client, based on ethers' RLP and hash: independent of src/trie. */
import { decodeRlp, encodeRlp, getBytes, keccak256, type RlpStructuredData, toBeHex, ZeroHash } from 'ethers'

/** One hexadecimal digit per nibble. */
type Nibbles = string

function isList(item: RlpStructuredData | undefined): item is RlpStructuredData[] {
  return Array.isArray(item)
}

/** Hex-prefix encoding (Yellow Paper, appendix C). */
function decodePath(encoded: string): { path: Nibbles; isLeaf: boolean } {
  const digits = encoded.slice(2)
  const flag = Number.parseInt(digits.slice(0, 1), 16)
  if (flag > 3) throw new Error(`invalid path ${encoded}`)
  return { path: digits.slice(flag % 2 === 1 ? 1 : 2), isLeaf: flag >= 2 }
}

/**
 * Follows a proof from its root.
 * @param key not yet hashed
 * @returns RLP of the value; undefined when the proof shows its absence
 * @throws when the proof shows neither
 */
export function provenValue(root: string, key: string, proof: readonly string[]): string | undefined {
  return provenAt(root, keccak256(key).slice(2), proof)
}

/** The same for a path in any trie, also one whose keys have different lengths. */
export function provenAt(root: string, key: Nibbles, proof: readonly string[]): string | undefined {
  let path = key
  if (proof.length === 0) {
    if (root === keccak256('0x80')) return undefined
    throw new Error('an empty proof of a trie that is not empty')
  }
  const unused = [...proof]
  let node = takeNode(unused, root)
  for (;;) {
    const step = descend(node, path)
    if (step.kind === 'end') {
      if (unused.length > 0) throw new Error('the proof has more nodes than the path')
      return step.value
    }
    path = step.path
    node = isList(step.child) ? step.child : takeNode(unused, step.child)
  }
}

function takeNode(proof: string[], hash: string): RlpStructuredData[] {
  const encoded = proof.shift()
  if (encoded === undefined) throw new Error(`the proof ends before node ${hash}`)
  if (keccak256(encoded) !== hash) throw new Error(`node ${encoded} does not have hash ${hash}`)
  const node = decodeRlp(encoded)
  if (!isList(node)) throw new Error('a node is a list')
  return node
}

type Step =
  | { readonly kind: 'end'; readonly value: string | undefined }
  | { readonly kind: 'child'; readonly child: string | RlpStructuredData[]; readonly path: Nibbles }

function descend(node: RlpStructuredData[], path: Nibbles): Step {
  if (node.length === 17) {
    if (path === '') return { kind: 'end', value: node[16] === '0x' ? undefined : (node[16] as string) }
    const child = node[Number.parseInt(path.slice(0, 1), 16)]
    return child === '0x' || child === undefined
      ? { kind: 'end', value: undefined }
      : { kind: 'child', child: child as string, path: path.slice(1) }
  }
  const [encodedPath, next] = node as [string, string]
  const { path: own, isLeaf } = decodePath(encodedPath)
  if (!path.startsWith(own) || (isLeaf && own !== path)) return { kind: 'end', value: undefined }
  return isLeaf ? { kind: 'end', value: next } : { kind: 'child', child: next, path: path.slice(own.length) }
}

/** The answer of eth_getProof, with quantities in any form that clients use. */
export interface AccountProof {
  readonly address: string
  readonly accountProof: readonly string[]
  readonly balance: bigint
  readonly nonce: bigint
  readonly codeHash: string
  readonly storageHash: string
  readonly storageProof: readonly { readonly key: string; readonly value: bigint; readonly proof: readonly string[] }[]
}

const quantity = (value: bigint): string => (value === 0n ? '0x' : toBeHex(value))

/**
 * Verifies account and slots.
 * @returns whether the account exists
 * @throws when the proof does not support the answer
 */
export function checkAccountProof(stateRoot: string, claim: AccountProof): boolean {
  const account = provenValue(stateRoot, claim.address, claim.accountProof)
  const claimed = encodeRlp([quantity(claim.nonce), quantity(claim.balance), claim.storageHash, claim.codeHash])
  const empty = encodeRlp(['0x', '0x', keccak256('0x80'), keccak256('0x')])
  if (account !== undefined && account !== claimed) throw new Error(`account ${account}, claimed ${claimed}`)
  if (account === undefined && claimed !== empty) throw new Error(`no account, claimed ${claimed}`)
  for (const { key, value, proof } of claim.storageProof) {
    // Besu writes slot 0 as 0x.
    const slot = key === '0x' ? ZeroHash : toBeHex(BigInt(key), 32)
    const proven = provenValue(claim.storageHash, slot, proof)
    const wanted = value === 0n ? undefined : encodeRlp(quantity(value))
    if (proven !== wanted) throw new Error(`slot ${key} is ${proven}, claimed ${wanted}`)
  }
  return account !== undefined
}

/** Hash of the header bytes, as computed by a client that trusts nothing. */
export function hashOfRawHeader(raw: string): string {
  return keccak256(getBytes(raw))
}
