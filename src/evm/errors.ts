import { NodeError } from '../primitives/errors.ts'

export type ExecutionErrorDetails =
  | { readonly code: 'EXECUTION_TIMEOUT'; readonly deadlineMs: number }
  | { readonly code: 'EXECUTION_ABORTED' }

/** The message ran longer than its caller allows. */
export function executionTimeout(deadlineMs: number): NodeError<ExecutionErrorDetails> {
  return new NodeError({ code: 'EXECUTION_TIMEOUT', deadlineMs }, `execution aborted (timeout = ${deadlineMs}ms)`)
}

/** Nobody waits for the result any more. */
export function executionAborted(cause: unknown): NodeError<ExecutionErrorDetails> {
  return new NodeError({ code: 'EXECUTION_ABORTED' }, 'execution aborted', { cause })
}
