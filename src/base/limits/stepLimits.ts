/**
 * Bounds of the methods that show an execution step by step.
 * @module
 */
const KIB = 1024
const MIB: number = 1024 * KIB

/** Steps: steps of one answer of debug_traceSteps. */
export const MAX_STEPS = 2_000
/** Steps: bytes of one answer of debug_traceSteps (estimate). A first step is always part of it. */
export const MAX_STEPS_BYTES: number = 4 * MIB
/** Steps: time of one run of a mined transaction; that of a call is `--rpc-call-timeout-ms`. */
export const MAX_STEP_RUN_MS = 60_000
/** Steps: bytes of memory and of return data that one step shows. */
export const MAX_STEP_DATA_BYTES: number = 512 * KIB
/** Steps: input of all calls on the way to a step that is kept whole; beyond it, the start of each is kept. */
export const MAX_OPEN_INPUT_BYTES: number = 4 * MIB
/** Steps: start of an input that is kept beyond MAX_OPEN_INPUT_BYTES. */
export const CUT_INPUT_BYTES: number = 256
/** Steps: bytes of input and output that one call shows. */
export const MAX_CALL_DATA_BYTES: number = 64 * KIB
/** Steps: input and output of all calls in one answer. */
export const MAX_CALLS_DATA_BYTES: number = 512 * KIB
/** Steps: summaries of executions that are kept, in bytes of their keys and fields (estimate). */
export const STEP_SUMMARIES_BYTES: number = 256 * KIB
/** Steps: members of a list in the condition of debug_findStep. */
export const MAX_STEP_ALTERNATIVES = 4_096
