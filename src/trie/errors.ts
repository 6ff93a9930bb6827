import { NodeError } from '../base/primitives/errors.ts'

export type MissingTrieNodeError = NodeError<{ code: 'MISSING_TRIE_NODE' }>
export type InvalidTrieNodeError = NodeError<{ code: 'INVALID_TRIE_NODE' }>
export type InvalidProofError = NodeError<{ code: 'PROOF_INVALID'; readonly datum: string }>

/** The store lacks a node that another node refers to: the state is pruned, damaged or not yet downloaded. */
export function missingTrieNode(version: number, depth: number): MissingTrieNodeError {
  return new NodeError({ code: 'MISSING_TRIE_NODE' }, `missing trie node at depth ${depth}, version ${version}`)
}

export function invalidTrieNode(reason: string): InvalidTrieNodeError {
  return new NodeError({ code: 'INVALID_TRIE_NODE' }, `invalid stored trie node: ${reason}`)
}

/**
 * A proof from outside does not show what it should.
 * @param datum what should be proven, such as `account 0x…`
 */
export function invalidProof(datum: string, reason: string): InvalidProofError {
  return new NodeError({ code: 'PROOF_INVALID', datum }, `the proof of ${datum} is invalid: ${reason}`)
}
