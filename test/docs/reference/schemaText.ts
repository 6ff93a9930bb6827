/** JSON Schemas of the OpenRPC document as words. */

export type Schema = Readonly<Record<string, unknown>>
export type Schemas = Readonly<Record<string, Schema>>

/** Scalar types, by their title. */
export const SCALARS: Readonly<Record<string, string>> = {
  uint: 'quantity',
  uint64: 'quantity (64 bits)',
  uint256: 'quantity',
  bytes: 'bytes',
  hash32: 'hash',
  address: 'address',
  notFound: 'null',
}

const REFERENCE = '#/components/schemas/'

export class SchemaText {
  readonly #schemas: Schemas
  readonly #typesPage: string

  /** @param typesPage link to the page that describes the named types */
  constructor(schemas: Schemas, typesPage: string) {
    this.#schemas = schemas
    this.#typesPage = typesPage
  }

  /** Named types that are more than a scalar. */
  namedTypes(): [string, Schema][] {
    const named = Object.entries(this.#schemas).filter(([, { title }]) => SCALARS[String(title)] === undefined)
    return named.sort(([a], [b]) => (a < b ? -1 : 1))
  }

  of(schema: Schema): string {
    const { $ref, title, type } = schema
    if (typeof $ref === 'string') return this.#named($ref.slice(REFERENCE.length))
    if (typeof title === 'string' && SCALARS[title] !== undefined) return SCALARS[title]
    for (const key of ['oneOf', 'anyOf', 'allOf']) {
      if (Array.isArray(schema[key])) return this.#choice(schema[key] as Schema[])
    }
    if ('const' in schema) return code(schema['const'])
    if (Array.isArray(schema['enum'])) return schema['enum'].map(code).join(', ')
    if (type === 'array') {
      const { items } = schema
      return items === undefined || Object.keys(items as Schema).length === 0
        ? 'list'
        : `list of ${this.of(items as Schema)}`
    }
    if (Array.isArray(type)) return type.join(' or ')
    if (typeof type !== 'string') return 'any JSON'
    const values = schema['additionalProperties']
    if (type === 'object' && typeof values === 'object') return `object with values: ${this.of(values as Schema)}`
    return { integer: 'integer', number: 'number', boolean: 'true or false', string: 'text' }[type] ?? type
  }

  #named(name: string): string {
    const schema = this.#schemas[name]
    const scalar = SCALARS[String(schema?.['title'])]
    return scalar ?? `[${name}](${this.#typesPage}#${name.toLowerCase()})`
  }

  #choice(schemas: readonly Schema[]): string {
    const texts = [...new Set(schemas.map((schema) => this.of(schema)))]
    const last = texts.filter((text) => text === 'null')
    return [...texts.filter((text) => text !== 'null'), ...last].join(' or ')
  }
}

function code(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``
}
