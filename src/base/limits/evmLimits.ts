/**
 * Bounds of the EVM. Sizes are bytes unless the name says otherwise.
 * @module
 */

const MIB = 1024 * 1024

/** EVM: instances of the native EVM kept between messages. */
export const MAX_IDLE_NATIVE_INSTANCES = 4
/** EVM: maximum size of an instance that is kept. */
export const MAX_IDLE_NATIVE_INSTANCE_BYTES: number = 8 * MIB
/** EVM: memory of one call: stacks, memory, storage and code of all its frames. A transaction of a block has no bound. */
export const MAX_CALL_MEMORY_BYTES: number = 256 * MIB
/** EVM: memory of all messages that run or pause on the main thread; above it, calls end out of memory. */
export const MAX_EXECUTION_MEMORY_BYTES: number = 512 * MIB
/** EVM: the same on each thread that answers requests. */
export const MAX_THREAD_EXECUTION_MEMORY_BYTES: number = 128 * MIB
/** EVM: memory that a call may use although all others together use that much. */
export const MIN_CALL_MEMORY_BYTES: number = MIB
/** EVM: code of one message that stays in its memory; beyond it, code that no frame runs is released. */
export const MAX_KEPT_CODE_BYTES: number = 4 * MIB
/** EVM: calls that pause at the same time; others begin when one of them ends. */
export const MAX_PAUSED_CALLS = 64
/** EVM: calls that keep their memory while they wait for data of a store; others begin again when they have them. */
export const MAX_WAITING_CALLS = 64
/** EVM: transactions of the pool known to be too slow for a block of this node. */
export const MAX_SLOW_TRANSACTIONS = 1024
/** EVM: time for the transactions of a block to mine or to sign. */
export const MAX_BLOCK_BUILD_MS = 5_000
/** Pending block: time after which even the transaction in progress is left out. */
export const MAX_PENDING_BLOCK_BUILD_MS = 2_000
/** EVM: initial input buffer of Keccak-256 in the native EVM. */
export const INITIAL_NATIVE_KECCAK_BYTES: number = 64 * 1024
/** EVM: maximum input buffer of Keccak-256 in the native EVM; longer input is hashed elsewhere. */
export const MAX_NATIVE_KECCAK_BYTES: number = 12 * MIB
