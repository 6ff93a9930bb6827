/**
 * Reads the parameters of an HTTP request.
 * @module
 */
import { NodeError } from '../base/primitives/errors.ts'
import type { GraphqlInput } from './contract.ts'

/** Part of URLSearchParams. */
interface Parameters {
  get(name: string): string | null
}

function malformed(message: string): NodeError {
  return new NodeError({ code: 'INVALID_GRAPHQL_REQUEST' }, message)
}

/**
 * @param isJson whether the body is JSON; otherwise the whole body is the query
 * @throws {NodeError} INVALID_GRAPHQL_REQUEST
 */
export function inputOfBody(body: string, isJson: boolean): GraphqlInput {
  if (!isJson) return { query: body, operationName: undefined, variables: undefined }
  const json = parsed(body)
  if (!isRecord(json)) throw malformed('the body is not a JSON object')
  const { query, operationName, variables } = json
  if (query !== undefined && query !== null && typeof query !== 'string') throw malformed('query is not text')
  return { query: query ?? '', operationName: nameOf(operationName), variables: variablesOf(variables) }
}

/** @throws {NodeError} INVALID_GRAPHQL_REQUEST */
export function inputOfParameters(parameters: Parameters): GraphqlInput {
  const variables = parameters.get('variables') || null
  return {
    query: parameters.get('query') ?? '',
    operationName: nameOf(parameters.get('operationName')),
    variables: variables === null ? undefined : variablesOf(parsed(variables)),
    isSafe: true,
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new NodeError({ code: 'INVALID_GRAPHQL_REQUEST' }, 'Failed to decode JSON', { cause })
  }
}

/** Some clients send an empty name instead of none. */
function nameOf(name: unknown): string | undefined {
  if (name === undefined || name === null || name === '') return undefined
  if (typeof name !== 'string') throw malformed('operationName is not text')
  return name
}

function variablesOf(variables: unknown): Record<string, unknown> | undefined {
  if (variables === undefined || variables === null) return undefined
  if (!isRecord(variables)) throw malformed('variables are not a JSON object')
  return variables
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
