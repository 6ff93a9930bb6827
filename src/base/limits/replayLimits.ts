/**
 * Bounds of recordings of JSON-RPC calls.
 * @module
 */

const MIB = 1024 * 1024

/** Recordings: calls of one recording; the oldest give way. */
export const MAX_RECORDED_CALLS = 20_000
/** Recordings: texts of all calls of one recording; the oldest give way. */
export const MAX_RECORDING_BYTES: number = 32 * MIB
/** Recordings: parameters or answer of one call; of longer ones, only the length is kept. */
export const MAX_RECORDED_VALUE_BYTES: number = MIB
/** Recordings: size of a file that `isonode replay` reads. */
export const MAX_RECORDING_FILE_BYTES: number = 64 * MIB
/** Recordings: differences of one call that are listed. */
export const MAX_CALL_DIFFERENCES = 20
/** Recordings: time to wait for the receipt of a transaction that is sent again. */
export const REPLAY_RECEIPT_MS = 30_000
