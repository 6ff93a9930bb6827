import { invalidParams, pathOf, problemOf } from '../api/errors.ts'
import type { RpcProfile } from '../api/profile.ts'
import { isNodeError, NodeError } from '../base/primitives/errors.ts'
import { described } from '../base/primitives/printable.ts'
import type { Codec, MethodDefinition, RequestContext } from './method.ts'
import { StreamedResult } from './streamedResult.ts'
import { TextResult } from './textResult.ts'

const NO_PARAMS: readonly unknown[] = []

export function isPromise(value: unknown): value is Promise<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}

/**
 * Parses the parameters, runs the handler and serializes its result.
 * @returns a JSON value, a StreamedResult or a TextResult; a promise of one when the handler is asynchronous
 * @throws {NodeError} METHOD_NOT_ENABLED at the current head; INVALID_PARAMS naming the parameter; errors of the
 * handler
 */
export function invoke<Backend>(
  definition: MethodDefinition<Backend>,
  backend: Backend,
  params: readonly unknown[],
  context: RequestContext,
  profile?: RpcProfile,
): unknown {
  if (definition.isServed?.(backend, context) === false) {
    throw new NodeError(
      { code: 'METHOD_NOT_ENABLED' },
      `${definition.name} is not available at the current head of this chain`,
    )
  }
  const value = definition.handler(backend, parseParams(definition, params, profile), context)
  const { codec } = definition.result
  return isPromise(value) ? value.then((resolved) => serialized(codec, resolved)) : serialized(codec, value)
}

function serialized(codec: Codec<unknown>, value: unknown): unknown {
  return value instanceof StreamedResult || value instanceof TextResult ? value : codec.serialize(value)
}

function parseParams(
  definition: MethodDefinition<never>,
  params: readonly unknown[],
  profile: RpcProfile | undefined,
): readonly unknown[] {
  const { params: expected, exactParams, repeatsParam } = definition
  if (exactParams === true && params.length > expected.length) {
    const message = `too many arguments, want at most ${expected.length}`
    throw invalidParams(message, { expected: `at most ${expected.length}`, got: `${params.length} parameters` })
  }
  if (repeatsParam === true) return params.map((value) => parseParam(definition, 0, value, profile))
  if (expected.length === 0) return NO_PARAMS
  const values: unknown[] = []
  for (let i = 0; i < expected.length; i++) values.push(parseParam(definition, i, params[i], profile))
  return values
}

function parseParam(
  definition: MethodDefinition<never>,
  index: number,
  value: unknown,
  profile: RpcProfile | undefined,
): unknown {
  const param = definition.params[index]
  if (param === undefined) return undefined
  if (value === undefined || value === null) {
    if (param.optional) return undefined
    throw invalidParams(`missing value for required argument ${index} (${param.name})`, {
      expected: 'a value',
      got: described(value),
      parameter: param.name,
    })
  }
  try {
    return param.codec.parse(value, profile)
  } catch (error) {
    if (!isNodeError(error, 'INVALID_PARAMS')) throw error
    const problem = problemOf(error.details)
    const parameter = pathOf(param.name, problem.parameter)
    throw invalidParams(`invalid argument ${index} (${param.name}): ${error.message}`, { ...problem, parameter })
  }
}
