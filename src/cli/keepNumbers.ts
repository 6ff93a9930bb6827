/**
 * JSON documents that are written back: numbers keep their digits, members their order.
 * @module
 */

/** A JSON number as its text. */
export class NumberText {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type JsonTree = null | boolean | string | NumberText | readonly JsonTree[] | { readonly [key: string]: JsonTree }

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g
/** Marks numbers while they are strings; the character cannot occur unescaped in JSON. */
const MARK = '\u0000'

/** @throws {SyntaxError} when the text is not JSON */
export function parseJsonTree(text: string): JsonTree {
  // Reports the fault in the original text.
  JSON.parse(text)
  const marked = text.replace(STRING_OR_NUMBER, (token) => (token.startsWith('"') ? token : `"\\u0000${token}"`))
  return JSON.parse(marked, (_, value: unknown) =>
    typeof value === 'string' && value.startsWith(MARK) ? new NumberText(value.slice(1)) : value,
  ) as JsonTree
}

/** Indented by two spaces, with a space on both sides of colons and arrays on the line of their brackets. */
export function printJsonTree(tree: JsonTree, indent = ''): string {
  if (tree instanceof NumberText) return tree.text
  if (tree === null || typeof tree !== 'object') return JSON.stringify(tree)
  if (Array.isArray(tree)) {
    const items = (tree as readonly JsonTree[]).map((item) => printJsonTree(item, indent))
    return items.length === 0 ? '[ ]' : `[ ${items.join(', ')} ]`
  }
  const inner = `${indent}  `
  const members = Object.entries(tree).map(
    ([key, value]) => `${inner}${JSON.stringify(key)} : ${printJsonTree(value, inner)}`,
  )
  return members.length === 0 ? '{ }' : `{\n${members.join(',\n')}\n${indent}}`
}
