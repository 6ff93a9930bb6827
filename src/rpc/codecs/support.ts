/**
 * Building blocks of codecs.
 * @module
 */

import { invalidParams, pathOf, problemOf, unexpectedValue } from '../../api/errors.ts'
import type { RpcProfile } from '../../api/profile.ts'
import { hasHexPrefix } from '../../base/primitives/bytes.ts'
import { isNodeError } from '../../base/primitives/errors.ts'
import { described } from '../../base/primitives/printable.ts'
import type { Codec, JsonSchema } from '../method.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** A codec of values that only occur in requests. */
export function parameterCodec<T>(schema: JsonSchema, parse: Codec<T>['parse']): Codec<T> {
  return { schema, parse, serialize: (value) => value }
}

/** A codec of values that only occur in answers. */
export function answerCodec<T>(schema: JsonSchema, serialize: (value: T) => unknown): Codec<T> {
  return {
    schema,
    serialize,
    parse: () => {
      throw invalidParams('an answer is not a parameter')
    },
  }
}

/** null in JSON stands for undefined. */
export function nullable<T>(codec: Codec<T>): Codec<T | undefined> {
  return {
    schema: { oneOf: [{ title: 'notFound', type: 'null' }, codec.schema] },
    parse: (value, profile) => (value === null || value === undefined ? undefined : codec.parse(value, profile)),
    serialize: (value) => (value === undefined ? null : codec.serialize(value)),
  }
}

export function arrayOf<T>(codec: Codec<T>): Codec<readonly T[]> {
  return {
    schema: { type: 'array', items: codec.schema },
    parse: (value, profile) => {
      if (!Array.isArray(value)) throw unexpectedValue('an array', described(value))
      return value.map((item) => codec.parse(item, profile))
    },
    serialize: (values) => values.map((value) => codec.serialize(value)),
  }
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function asObject(value: unknown, what: string): JsonObject {
  if (!isObject(value)) throw unexpectedValue('an object', described(value), what)
  return value
}

/** A member of an object; null stands for absent. The error names the member. */
export function member<T>(object: JsonObject, key: string, codec: Codec<T>, profile?: RpcProfile): T | undefined {
  const value = object[key]
  if (value === undefined || value === null) return undefined
  try {
    return codec.parse(value, profile)
  } catch (error) {
    if (!isNodeError(error)) throw invalidParams(`${key}: ${error instanceof Error ? error.message : 'not valid'}`)
    const problem = problemOf(error.details)
    throw invalidParams(`${key}: ${error.message}`, { ...problem, parameter: pathOf(key, problem.parameter) })
  }
}

/** Like `codec`, but text requires the prefix `0x`: for methods without private-network clients that omit it. */
export function prefixed<T>(codec: Codec<T>, isExempt: (text: string) => boolean = () => false): Codec<T> {
  return {
    ...codec,
    parse: (value, profile) => {
      if (typeof value === 'string' && !hasHexPrefix(value) && !isExempt(value)) {
        throw invalidParams('hex string without 0x prefix', { expected: 'hex with 0x', got: described(value) })
      }
      return codec.parse(value, profile)
    },
  }
}
