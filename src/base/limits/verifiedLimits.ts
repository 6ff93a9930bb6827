/**
 * Bounds of proofs and of answers that are verified.
 * @module
 */

/** Proofs: size of a trie node. A branch has at most 532 bytes; leaves and extensions are smaller. */
export const MAX_PROOF_NODE_BYTES = 532
