/**
 * Methods of a node, from the OpenRPC document that `rpc.discover` returns. Nothing in it is trusted to have the form
 * that the specification gives it.
 * @see https://spec.open-rpc.org
 * @module
 */
import { plainText } from '../../../../src/abi/plainText.ts'

export interface Method {
  readonly name: string
  readonly summary: string
  /** `ETH`; empty text for a method without a group. */
  readonly group: string
  readonly parameters: readonly Parameter[]
  /** Of the result: `array of Log`. */
  readonly result: string
  readonly errors: readonly { readonly code: number; readonly message: string }[]
}

export interface Parameter {
  readonly name: string
  readonly summary: string
  readonly isRequired: boolean
  /** In words: `uint256: hex encoded 256 bit unsigned integer`. */
  readonly form: string
  /** Types of JSON that it may have; empty: any. */
  readonly types: ReadonlySet<string>
  /** All values that it may have. */
  readonly choices: readonly string[] | undefined
  /** A key or a password, which the page does not keep. */
  readonly isSecret: boolean
}

const MAX_METHODS = 2000
const MAX_PARAMETERS = 32
const MAX_ERRORS = 100
const MAX_CHOICES = 64
const MAX_DEPTH = 6
const MAX_TEXT = 2000
const SECRET = /private_?key|passphrase|password|secret|mnemonic/i

type Fields = Readonly<Record<string, unknown>>

/** @returns the methods by name; an empty list for a document without any */
export function readDocument(document: unknown): Method[] {
  const { methods, components } = fieldsOf(document)
  const resolve = resolver(components)
  return listOf(methods)
    .slice(0, MAX_METHODS)
    .map((method) => readMethod(fieldsOf(method), resolve))
    .filter(({ name }) => name !== '')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

type Resolve = (value: unknown) => Fields

/** Follows `$ref` within the document. */
function resolver(components: unknown): Resolve {
  return (value) => {
    let fields = fieldsOf(value)
    for (let depth = 0; depth < MAX_DEPTH && typeof fields['$ref'] === 'string'; depth++) {
      const [, kind = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(fields['$ref']) ?? []
      fields = fieldsOf(own(fieldsOf(own(fieldsOf(components), kind)), name))
    }
    return fields
  }
}

function readMethod(method: Fields, resolve: Resolve): Method {
  const tag = fieldsOf(listOf(method['tags'])[0])
  return {
    name: textOf(method['name']),
    summary: textOf(method['summary'] ?? method['description']),
    group: textOf(tag['name']),
    parameters: listOf(method['params'])
      .slice(0, MAX_PARAMETERS)
      .map((parameter) => readParameter(resolve(parameter), resolve)),
    result: shortForm(fieldsOf(resolve(method['result']))['schema'], resolve),
    errors: listOf(method['errors'])
      .slice(0, MAX_ERRORS)
      .map((error) => {
        const { code, message } = resolve(error)
        return { code: Number(code), message: textOf(message) }
      }),
  }
}

function readParameter(parameter: Fields, resolve: Resolve): Parameter {
  const name = textOf(parameter['name'])
  const schema = parameter['schema']
  const types = new Set<string>()
  collectTypes(schema, resolve, types, 0)
  return {
    name,
    summary: textOf(parameter['summary'] ?? parameter['description']),
    isRequired: parameter['required'] === true,
    form: longForm(schema, resolve),
    types,
    choices: choicesOf(resolve(schema)),
    isSecret: SECRET.test(name),
  }
}

function collectTypes(schema: unknown, resolve: Resolve, types: Set<string>, depth: number): void {
  const { type, anyOf, oneOf, const: constant } = resolve(schema)
  for (const one of Array.isArray(type) ? type : [type]) if (typeof one === 'string') types.add(one)
  if (constant !== undefined) types.add(typeof constant)
  if (depth === MAX_DEPTH) return
  for (const part of [...listOf(anyOf), ...listOf(oneOf)]) collectTypes(part, resolve, types, depth + 1)
}

function choicesOf({ type, enum: values }: Fields): readonly string[] | undefined {
  if (type === 'boolean') return ['true', 'false']
  const list = listOf(values)
  const isClosed = list.length > 0 && list.length <= MAX_CHOICES && list.every((value) => typeof value === 'string')
  return isClosed ? (list as string[]).map(textOf) : undefined
}

function longForm(schema: unknown, resolve: Resolve): string {
  const fields = resolve(schema)
  const short = shortForm(schema, resolve)
  const { description, properties } = fields
  const members = Object.keys(fieldsOf(properties)).slice(0, MAX_CHOICES)
  if (members.length > 0) return `${short}, an object of ${members.join(', ')}`.slice(0, MAX_TEXT)
  const text = textOf(description)
  return text === '' || text === short ? short : `${short}: ${text}`
}

/** The name of the form, else its type. */
function shortForm(schema: unknown, resolve: Resolve, depth = 0): string {
  const { title, type, items, anyOf, oneOf } = resolve(schema)
  if (typeof title === 'string') return textOf(title)
  if (depth === MAX_DEPTH) return ''
  if (type === 'array') return `array of ${shortForm(items, resolve, depth + 1) || 'anything'}`
  const parts = [...listOf(anyOf), ...listOf(oneOf)].slice(0, MAX_CHOICES)
  if (parts.length > 0) return parts.map((part) => shortForm(part, resolve, depth + 1)).join(' or ')
  return Array.isArray(type) ? type.join(' or ') : textOf(type)
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? plainText(value, MAX_TEXT) : ''
}
