import { NodeError } from '../primitives/errors.ts'

/** The error of every value of a request that is refused; `reason` names what was wrong. */
export function invalidParams(reason: string): NodeError<{ code: 'INVALID_PARAMS' }> {
  return new NodeError({ code: 'INVALID_PARAMS' }, reason)
}
