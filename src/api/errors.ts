import { NodeError } from '../base/primitives/errors.ts'

/** Why a value of a request was refused, in words for people. */
export interface ValueProblem {
  /** Such as `20 bytes`. */
  readonly expected?: string
  /** The value, shortened, or its length: `"0x12"`, `an array of 3`. */
  readonly got?: string
  /** Name of the parameter and path of the member in it: `call.to`. */
  readonly parameter?: string
}

export type InvalidParamsDetails = { readonly code: 'INVALID_PARAMS' } & ValueProblem

/** The error for every refused value of a request; `reason` describes the problem. */
export function invalidParams(reason: string, problem: ValueProblem = {}): NodeError<InvalidParamsDetails> {
  return new NodeError({ code: 'INVALID_PARAMS', ...problem }, reason)
}

/**
 * The error for a value of a wrong type or form.
 * @param expected such as `a string`
 * @param got the value as `described` writes it, or its length
 * @param name of the value
 */
export function unexpectedValue(expected: string, got: string, name?: string): NodeError<InvalidParamsDetails> {
  const reason = `expected ${expected}, got ${got}`
  return invalidParams(name === undefined ? reason : `${name}: ${reason}`, { expected, got })
}

/** @returns path of the member `inner` of a parameter, or the parameter */
export function pathOf(name: string, inner: string | undefined): string {
  return inner === undefined ? name : `${name}.${inner}`
}

/** @returns the parts of the details of an error that describe a refused value */
export function problemOf(details: object): ValueProblem {
  const { expected, got, parameter } = details as ValueProblem
  return {
    ...(expected === undefined ? {} : { expected }),
    ...(got === undefined ? {} : { got }),
    ...(parameter === undefined ? {} : { parameter }),
  }
}
