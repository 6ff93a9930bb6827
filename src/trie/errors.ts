import { NodeError } from '../base/primitives/errors.ts'

export type MissingTrieNodeError = NodeError<{ code: 'MISSING_TRIE_NODE' }>
export type InvalidTrieNodeError = NodeError<{ code: 'INVALID_TRIE_NODE' }>
export type InvalidProofError = NodeError<{ code: 'INVALID_PROOF' }>

/** The store lacks a node that another node refers to: the state is pruned, damaged or not yet downloaded. */
export function missingTrieNode(version: number, depth: number): MissingTrieNodeError {
  return new NodeError({ code: 'MISSING_TRIE_NODE' }, `missing trie node at depth ${depth}, version ${version}`)
}

export function invalidTrieNode(reason: string): InvalidTrieNodeError {
  return new NodeError({ code: 'INVALID_TRIE_NODE' }, `invalid stored trie node: ${reason}`)
}

export function invalidProof(reason: string): InvalidProofError {
  return new NodeError({ code: 'INVALID_PROOF' }, `invalid proof: ${reason}`)
}
