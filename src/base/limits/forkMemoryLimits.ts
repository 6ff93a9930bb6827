/**
 * Bounds of what a fork keeps in memory and asks at once. Sizes are bytes unless the name says otherwise.
 * @module
 */

const MIB = 1024 * 1024

/** Fork: accounts and slots of the remote in memory. */
export const FORK_STATE_BYTES: number = 128 * MIB
/** Fork: contract code of the remote in memory. */
export const FORK_CODE_BYTES: number = 64 * MIB
/** Fork: blocks and receipts of the remote in memory. */
export const FORK_BLOCK_BYTES: number = 64 * MIB
/** Fork: hashes of blocks and transactions of the remote, or that it lacks, in memory. */
export const FORK_INDEX_ENTRIES = 65_536
/** Fork: blocks that this node cannot encode, as the remote sent them, in memory. */
export const FORK_RAW_BLOCK_BYTES: number = 16 * MIB
/** Fork: code of one contract. */
export const MAX_FORK_CODE_BYTES: number = 16 * MIB
/** Fork: slots that are proven by one request. */
export const MAX_FORK_PROOF_SLOTS = 256
/** Fork: requests to the remote that are sent together. */
export const MAX_FORK_BATCH = 512
/** Fork: addresses and slots that a plan of one call may name. */
export const MAX_FORK_PLAN_READS = 131_072
/** Fork: trie nodes that are kept of the proof of one message; with more, the next proof is sent as a whole. */
export const MAX_FORK_PLAN_NODE_BYTES: number = MIB
/** Fork: addresses and slots of all plans in memory. */
export const FORK_PLAN_READS = 262_144
/** Fork: slots that are remembered for one contract, to be fetched first the next time. */
export const MAX_FORK_REMEMBERED_SLOTS = 512
/** Fork: headers that are fetched ahead when blocks are read one after the other. */
export const MAX_FORK_WALK = 128
/** Fork: answers to one search for logs, after it was split. */
export const MAX_FORK_LOG_QUERIES = 1024
/** Fork: headers that lead from a block to the fork block where everything must be proven. */
export const MAX_FORK_LINKED_HEADERS = 1024
