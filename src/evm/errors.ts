import { NodeError } from '../base/primitives/errors.ts'

export type ExecutionErrorDetails =
  | { readonly code: 'EXECUTION_TIMEOUT'; readonly deadlineMs: number }
  | { readonly code: 'EXECUTION_ABORTED' }
  | { readonly code: 'EXECUTION_OUT_OF_MEMORY' }

/** The message exceeded the caller's time limit. */
export function executionTimeout(deadlineMs: number): NodeError<ExecutionErrorDetails> {
  return new NodeError({ code: 'EXECUTION_TIMEOUT', deadlineMs }, `execution aborted (timeout = ${deadlineMs}ms)`)
}

/** The caller no longer waits for the result. */
export function executionAborted(cause: unknown): NodeError<ExecutionErrorDetails> {
  return new NodeError({ code: 'EXECUTION_ABORTED' }, 'execution aborted', { cause })
}

/** The message needs more memory than the host provides, even though its gas would suffice. */
export function executionOutOfMemory(): NodeError<ExecutionErrorDetails> {
  return new NodeError({ code: 'EXECUTION_OUT_OF_MEMORY' }, 'execution aborted (out of memory)')
}

/** Thrown by a state when the message changes an account that it may only read: the frame reverts. */
export class ReadOnlyAccountError extends Error {
  override readonly name = 'ReadOnlyAccountError'
}
