/**
 * Limits of a document, checked before its validation, whose time grows faster than the document.
 * @module
 */
import {
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql'
import {
  MAX_GRAPHQL_ALIASES,
  MAX_GRAPHQL_BRACKETS,
  MAX_GRAPHQL_COMPLEXITY,
  MAX_GRAPHQL_DEFINITIONS,
  MAX_GRAPHQL_DEPTH,
  MAX_GRAPHQL_INTROSPECTION,
  MAX_GRAPHQL_LENGTH,
  MAX_GRAPHQL_PARTS,
  MAX_GRAPHQL_SELECTIONS,
  MAX_GRAPHQL_TOKENS,
} from '../base/limits/limits.ts'

/** Additional cost of fields that lead from a part to a whole. */
const EXTRA_COST: Readonly<Record<string, number>> = { 'Transaction.block': 100, '__Type.fields': 100 }

interface Measure {
  /** Fields, with their extra cost. */
  readonly cost: number
  /** Introspection fields, with their extra cost. */
  readonly introspection: number
  readonly depth: number
  readonly aliases: number
}

const NOTHING: Measure = { cost: 0, introspection: 0, depth: 0, aliases: 0 }

function sum(a: Measure, b: Measure): Measure {
  return {
    cost: a.cost + b.cost,
    introspection: a.introspection + b.introspection,
    depth: Math.max(a.depth, b.depth),
    aliases: a.aliases + b.aliases,
  }
}

/** @returns the message for a document that exceeds a limit */
export function exceededLimit(schema: GraphQLSchema, document: DocumentNode): string | undefined {
  const { definitions } = document
  if (definitions.length > MAX_GRAPHQL_DEFINITIONS) {
    return exceeded('number of definitions', definitions.length, MAX_GRAPHQL_DEFINITIONS)
  }
  const { selections, parts } = sizeOf(document)
  if (selections > MAX_GRAPHQL_SELECTIONS) return exceeded('size', selections, MAX_GRAPHQL_SELECTIONS)
  if (parts > MAX_GRAPHQL_PARTS) return exceeded('number of definitions and arguments', parts, MAX_GRAPHQL_PARTS)
  const measurer = new Measurer(schema, document)
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue
    const { cost, introspection, depth, aliases } = measurer.operation(definition)
    if (depth > MAX_GRAPHQL_DEPTH) return exceeded('depth', depth, MAX_GRAPHQL_DEPTH)
    if (cost > MAX_GRAPHQL_COMPLEXITY) return exceeded('complexity', cost, MAX_GRAPHQL_COMPLEXITY)
    if (introspection > MAX_GRAPHQL_INTROSPECTION) {
      return exceeded('complexity', introspection, MAX_GRAPHQL_INTROSPECTION)
    }
    if (aliases > MAX_GRAPHQL_ALIASES) return exceeded('number of aliases', aliases, MAX_GRAPHQL_ALIASES)
  }
  return undefined
}

function exceeded(property: string, value: number, limit: number): string {
  return `maximum query ${property} exceeded ${value} > ${limit}`
}

/** The size of all operations and fragments: fields, spreads and everything else that each validation rule visits. */
function sizeOf(document: DocumentNode): { readonly selections: number; readonly parts: number } {
  let selections = 0
  let parts = 0
  const addSelection = (): void => {
    selections++
  }
  const addPart = (): void => {
    parts++
  }
  visit(document, {
    Field: addSelection,
    FragmentSpread: addSelection,
    InlineFragment: addSelection,
    OperationDefinition: addPart,
    FragmentDefinition: addPart,
    VariableDefinition: addPart,
    Argument: addPart,
    ObjectField: addPart,
    Directive: addPart,
  })
  return { selections, parts }
}

class Measurer {
  readonly #schema: GraphQLSchema
  readonly #fragments = new Map<string, FragmentDefinitionNode>()
  readonly #measured = new Map<string, Measure>()

  constructor(schema: GraphQLSchema, { definitions }: DocumentNode) {
    this.#schema = schema
    for (const definition of definitions) {
      if (definition.kind === Kind.FRAGMENT_DEFINITION) this.#fragments.set(definition.name.value, definition)
    }
  }

  operation({ operation, selectionSet }: OperationDefinitionNode): Measure {
    return this.#set(selectionSet, this.#schema.getRootType(operation)?.name)
  }

  #set({ selections }: SelectionSetNode, parent: string | undefined): Measure {
    let total = NOTHING
    for (const selection of selections) total = sum(total, this.#selection(selection, parent))
    return total
  }

  #selection(selection: SelectionNode, parent: string | undefined): Measure {
    switch (selection.kind) {
      case Kind.INLINE_FRAGMENT:
        return this.#set(selection.selectionSet, selection.typeCondition?.name.value ?? parent)
      case Kind.FRAGMENT_SPREAD:
        return this.#fragment(selection.name.value)
      default: {
        const { name, alias, selectionSet } = selection
        const inner = selectionSet ? this.#set(selectionSet, this.#typeOf(parent, name.value)) : NOTHING
        return field(inner, parent, name.value, alias !== undefined)
      }
    }
  }

  /** A fragment that contains itself counts as empty within itself; the validation rejects it. */
  #fragment(name: string): Measure {
    const measured = this.#measured.get(name)
    if (measured !== undefined) return measured
    this.#measured.set(name, NOTHING)
    const fragment = this.#fragments.get(name)
    const measure = fragment ? this.#set(fragment.selectionSet, fragment.typeCondition.name.value) : NOTHING
    this.#measured.set(name, measure)
    return measure
  }

  /** Name of a field's type; undefined for an unknown field. */
  #typeOf(parent: string | undefined, name: string): string | undefined {
    if (name === '__schema' || name === '__type') return name === '__schema' ? '__Schema' : '__Type'
    const type = parent === undefined ? undefined : this.#schema.getType(parent)
    if (!isObjectType(type) && !isInterfaceType(type)) return undefined
    const field = type.getFields()[name]
    return field && getNamedType(field.type).name
  }
}

function field(inner: Measure, parent: string | undefined, name: string, hasAlias: boolean): Measure {
  const fieldCost = 1 + (EXTRA_COST[`${parent}.${name}`] ?? 0)
  const isIntrospection = name.startsWith('__') || parent?.startsWith('__') === true
  return {
    cost: inner.cost + (isIntrospection ? 0 : fieldCost),
    introspection: inner.introspection + (isIntrospection ? fieldCost : 0),
    depth: inner.depth + 1,
    aliases: inner.aliases + (hasAlias ? 1 : 0),
  }
}

const TAB = 9
const LINE_FEED = 10
const CARRIAGE_RETURN = 13
const SPACE = 32
const QUOTE = 34
const HASH = 35
const OPEN_PARENTHESIS = 40
const CLOSE_PARENTHESIS = 41
const COMMA = 44
const OPEN_BRACKET = 91
const BACKSLASH = 92
const CLOSE_BRACKET = 93
const OPEN_BRACE = 123
const CLOSE_BRACE = 125
const BYTE_ORDER_MARK = 0xfeff

/**
 * Reads a text before the parser, which takes many times as long and follows brackets recursively.
 * @returns the message for a text that is too long, or has too many tokens or too deep brackets
 */
export function exceededText(whole: string): string | undefined {
  const text = whole.slice(0, MAX_GRAPHQL_LENGTH)
  const end = text.length
  let depth = 0
  let tokens = 0
  for (let at = 0; at < end; at++) {
    switch (text.charCodeAt(at)) {
      case SPACE:
      case LINE_FEED:
      case COMMA:
      case TAB:
      case CARRIAGE_RETURN:
      case BYTE_ORDER_MARK:
        continue
      case HASH:
        at = endOfLine(text, at)
        continue
      case QUOTE:
        at = endOfString(text, at)
        break
      case OPEN_BRACE:
      case OPEN_PARENTHESIS:
      case OPEN_BRACKET:
        if (++depth > MAX_GRAPHQL_BRACKETS) return exceeded('depth', depth, MAX_GRAPHQL_BRACKETS)
        break
      case CLOSE_BRACE:
      case CLOSE_PARENTHESIS:
      case CLOSE_BRACKET:
        depth--
        break
      default:
        while (at + 1 < end && isInWord(text.charCodeAt(at + 1))) at++
    }
    if (++tokens > MAX_GRAPHQL_TOKENS) return exceeded('number of tokens', tokens, MAX_GRAPHQL_TOKENS)
  }
  return whole.length > end ? exceeded('length', whole.length, end) : undefined
}

/**
 * Letters, digits, `_` and the characters of numbers and spreads. `...Name` counts as one token; the parser counts
 * exactly.
 */
function isInWord(code: number): boolean {
  const letter = code | SPACE
  return (letter >= 97 && letter <= 122) || (code >= 45 && code <= 57 && code !== 47) || code === 95 || code === 43
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf('\n', start)
  return end < 0 ? text.length : end
}

/** Index of the last quote; for an unterminated string, the index of the line feed or the end of the text. */
function endOfString(text: string, start: number): number {
  if (text.startsWith('"""', start)) return endOfBlockString(text, start + 3)
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === BACKSLASH) at++
    else if (code === QUOTE || code === LINE_FEED) return at
  }
  return text.length
}

function endOfBlockString(text: string, start: number): number {
  for (let at = text.indexOf('"""', start); at >= 0; at = text.indexOf('"""', at + 3)) {
    if (text.charCodeAt(at - 1) !== BACKSLASH) return at + 2
  }
  return text.length
}
