import { NodeError } from '../base/primitives/errors.ts'

/** The error for every refused value of a request; `reason` describes the problem. */
export function invalidParams(reason: string): NodeError<{ code: 'INVALID_PARAMS' }> {
  return new NodeError({ code: 'INVALID_PARAMS' }, reason)
}
