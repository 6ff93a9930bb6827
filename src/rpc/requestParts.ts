/**
 * The parts of a request of a program, before it becomes text.
 * @module
 */
import { described } from '../base/primitives/printable.ts'
import { type RequestArguments, RequestError } from './providerContract.ts'

const INVALID_REQUEST = -32600
const INVALID_PARAMS = -32602

export type RequestParams = readonly unknown[] | object | undefined

export interface RequestParts {
  readonly method: string
  /** JSON */
  readonly params: string
}

/**
 * Reads both forms of a request: method and parameters, or an object with them.
 * @throws {RequestError} without a method name, and for parameters that JSON cannot hold
 */
export function requestParts(call: string | RequestArguments, given: RequestParams): RequestParts {
  const [method, params]: readonly [unknown, RequestParams] =
    typeof call === 'string' ? [call, given] : [call?.method, call?.params]
  if (typeof method !== 'string') {
    const problem = { expected: 'a method name', got: described(method), parameter: 'method' }
    const message = `request needs a method name, got ${problem.got}`
    throw new RequestError({ code: INVALID_REQUEST, message, ...problem })
  }
  try {
    // JSON has no text for a function.
    const text: string | undefined = JSON.stringify(params ?? [])
    return { method, params: text ?? '[]' }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new RequestError({ code: INVALID_PARAMS, message: `params cannot be written as JSON: ${reason}` })
  }
}
