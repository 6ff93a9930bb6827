/**
 * Errors of answers. In the profile `besu` they have the texts and classes of graphql-java, otherwise plain messages.
 * @see docs/reference/graphql.md section 6
 * @module
 */
import type { GraphQLError, GraphQLFormattedError } from 'graphql'
import type { RpcProfile } from '../api/profile.ts'
import type { Logger } from '../base/ports/host.ts'
import { isNodeError } from '../base/primitives/errors.ts'
import { codedError, INTERNAL_ERROR } from './errors.ts'

export interface ErrorFormat {
  readonly profile: RpcProfile
  readonly logger: Logger
}

type Path = readonly (string | number)[]

const NULL_IN_NON_NULL = /^Cannot return null for non-nullable field /
const SYNTAX = /^Syntax Error: (?:Unexpected|Expected [^,]*, found) (?:Name|Int|Float|String)? ?"?(.*?)"?\.?$/

/** An error that prevents the execution of a document. */
export function abortedError(message: string): GraphQLFormattedError {
  return { message, extensions: { classification: 'ExecutionAborted' } }
}

export function syntaxError(error: GraphQLError, { profile }: ErrorFormat): GraphQLFormattedError {
  const locations = error.locations ?? []
  const { line, column } = locations[0] ?? { line: 1, column: 1 }
  const token = SYNTAX.exec(error.message)?.[1]
  const message =
    profile === 'geth' || token === undefined
      ? error.message
      : `Invalid Syntax : offending token '${token}' at line ${line} column ${column}`
  return { message, locations, extensions: { classification: 'InvalidSyntax' } }
}

/** @param type name of the rule in graphql-java; undefined if it has no such rule */
export function validationError(
  error: GraphQLError,
  type: string | undefined,
  detail: string,
  path: string,
  { profile }: ErrorFormat,
): GraphQLFormattedError {
  const { locations = [] } = error
  const message =
    profile === 'geth' || type === undefined
      ? error.message
      : `Validation error (${type}${path === '' ? '' : `@[${path}]`}) : ${detail}`
  return { message, locations, extensions: { classification: 'ValidationError' } }
}

/** An error of a field, or of the variables. */
export function executionError(error: GraphQLError, format: ErrorFormat): GraphQLFormattedError {
  const { path, locations = [] } = error
  if (path === undefined) {
    return { message: error.message, locations, extensions: { classification: 'ValidationError' } }
  }
  if (error.originalError !== undefined && NULL_IN_NON_NULL.test(error.message)) return nullError(error, path, format)
  return fieldError(error, path, format)
}

function nullError(error: GraphQLError, path: Path, { profile }: ErrorFormat): GraphQLFormattedError {
  const extensions = { classification: 'NullValueInNonNullableField' }
  if (profile === 'geth') return { message: error.message, path, extensions }
  const message = `The field at path '${pathText(path)}' was declared as a non null type, but the code involved in retrieving data has wrongly returned a null value.`
  return { message, path, extensions }
}

function fieldError(error: GraphQLError, path: Path, { profile, logger }: ErrorFormat): GraphQLFormattedError {
  const { originalError, locations = [] } = error
  const isExpected = isNodeError(originalError)
  if (!isExpected) logger.error('a GraphQL field failed', { error: originalError ?? error })
  const coded = isExpected ? codedError(originalError.code) : INTERNAL_ERROR
  const text = coded === undefined || (isExpected && profile === 'geth') ? error.message : coded.message
  const message = profile === 'geth' ? text : `Exception while fetching data (${pathText(path)}) : ${text}`
  const codes = coded === undefined ? {} : { errorCode: coded.code, errorMessage: coded.message }
  return { message, locations, path, extensions: { ...codes, classification: 'DataFetchingException' } }
}

/** `/block/transactions[0]/hash` */
function pathText(path: Path): string {
  return path.map((key) => (typeof key === 'number' ? `[${key}]` : `/${key}`)).join('')
}
