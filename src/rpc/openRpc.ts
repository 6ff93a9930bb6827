/**
 * OpenRPC 1.3 from method definitions.
 * @see OpenRPC specification 1.3.2
 * @module
 */

import { errorRow } from './errors.ts'
import type { JsonSchema, MethodDefinition, Param } from './method.ts'

export interface OpenRpcInfo {
  readonly title: string
  readonly version: string
  readonly description?: string
}

type Json = Record<string, unknown>

/** Keywords whose value is a schema, a list of schemas, or a map of schemas. */
const SCHEMA_KEYWORDS = new Set([
  'items',
  'additionalProperties',
  'not',
  'contains',
  'propertyNames',
  'if',
  'then',
  'else',
])
const SCHEMA_LIST_KEYWORDS = new Set(['oneOf', 'anyOf', 'allOf', 'prefixItems'])
const SCHEMA_MAP_KEYWORDS = new Set(['properties', 'patternProperties', '$defs', 'definitions'])

/** Call {@link loadOpenRpc} before. */
export function openRpcDocument(definitions: readonly MethodDefinition<never>[], info: OpenRpcInfo): JsonSchema {
  const components = new Components()
  const sorted = [...definitions].sort((a, b) => (a.name < b.name ? -1 : 1))
  const methods = sorted.flatMap((definition) => {
    const method = methodObject(definition, components)
    const aliases = (definition.aliases ?? []).map((name) => ({ ...method, name, summary: `As ${definition.name}.` }))
    return [method, ...aliases]
  })
  return {
    openrpc: '1.3.2',
    info,
    methods,
    components: { schemas: components.schemas, errors: components.errors },
  }
}

function methodObject(definition: MethodDefinition<never>, components: Components): Json {
  const { name, summary, group, params, result, errors } = definition
  return {
    name,
    summary,
    ...(group === undefined ? {} : { tags: [{ name: group }] }),
    paramStructure: 'by-position',
    params: params.map((param, index) => paramObject(param, params.slice(index + 1), components)),
    result: { name: result.name, schema: components.schema(result.codec.schema) },
    ...(errors.length === 0 ? {} : { errors: errors.map((code) => components.error(code)) }),
  }
}

/** OpenRPC allows optional parameters only at the end; one before a required one is declared nullable instead. */
function paramObject(param: Param, following: readonly Param[], components: Components): Json {
  const isRequired = !param.optional || following.some(({ optional }) => !optional)
  const schema = components.schema(param.codec.schema)
  return {
    name: param.name,
    summary: param.summary,
    required: isRequired,
    schema: isRequired && param.optional ? { oneOf: [schema, { type: 'null' }] } : schema,
  }
}

/** Schemas with a title and errors are defined once and referenced. */
class Components {
  readonly schemas: Record<string, Json> = {}
  readonly errors: Record<string, Json> = {}
  readonly #names = new Map<string, string>()

  schema(schema: JsonSchema): Json {
    const inner = this.#members(schema)
    const { title } = schema
    if (typeof title !== 'string') return inner
    return { $ref: `#/components/schemas/${this.#name(title, inner)}` }
  }

  error(code: string): Json {
    const row = errorRow(code)
    if (row !== undefined) this.errors[code] = { code: row.code, message: row.message }
    return { $ref: `#/components/errors/${code}` }
  }

  #members(schema: JsonSchema): Json {
    return Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, this.#member(key, value)]))
  }

  #member(key: string, value: unknown): unknown {
    if (SCHEMA_LIST_KEYWORDS.has(key) && Array.isArray(value)) return value.map((item) => this.#any(item))
    if (SCHEMA_KEYWORDS.has(key)) return this.#any(value)
    if (!SCHEMA_MAP_KEYWORDS.has(key) || typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.#any(member)]))
  }

  /** A schema; true and false are schemas, too. */
  #any(value: unknown): unknown {
    return typeof value === 'object' && value !== null ? this.schema(value as JsonSchema) : value
  }

  /** Appends a number to a title that several different schemas share. */
  #name(title: string, schema: Json): string {
    const text = JSON.stringify(schema)
    const schemaName = this.#names.get(text)
    if (schemaName !== undefined) return schemaName
    const base = pascalCase(title)
    let name = base
    for (let i = 2; Object.hasOwn(this.schemas, name); i++) name = `${base}${i}`
    this.#names.set(text, name)
    this.schemas[name] = schema
    return name
  }
}

/** `hex encoded bytes` → `HexEncodedBytes`; component names take letters, digits, `.`, `-` and `_`. */
function pascalCase(title: string): string {
  const words = title.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('') || 'Schema'
}

/** Loads the description in a page, where it is rarely asked for. */
export async function loadOpenRpc(): Promise<void> {}
