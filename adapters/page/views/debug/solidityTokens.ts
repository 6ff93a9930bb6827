/**
 * Solidity and Yul as coloured tokens, by the tokenizer of Prism: it makes data, never markup.
 * @module
 */
// For programs that have only this file of the page.
/// <reference path="./prism.d.ts" />
import Prism from 'prismjs/components/prism-core.js'
import 'prismjs/components/prism-clike.js'
import 'prismjs/components/prism-solidity.js'

export interface Token {
  readonly text: string
  /** undefined: plain text */
  readonly kind: 'comment' | 'keyword' | 'string' | 'number' | 'name' | undefined
  /** Whether it is in the range that runs. */
  readonly isMarked?: true
}

type PrismToken = string | { readonly type: string; readonly content: PrismToken | readonly PrismToken[] }

/** Larger sources are shown without colours. */
const MAX_COLOURED = 400_000
const KINDS: Readonly<Record<string, Token['kind']>> = {
  comment: 'comment',
  keyword: 'keyword',
  boolean: 'keyword',
  builtin: 'keyword',
  string: 'string',
  number: 'number',
  version: 'number',
  'class-name': 'name',
  function: 'name',
}

/** The tokens of each line. */
export function tokenLines(content: string): readonly (readonly Token[])[] {
  const grammar = Prism.languages['solidity']
  if (grammar === undefined || content.length > MAX_COLOURED) {
    return content.split('\n').map((text) => [{ text, kind: undefined }])
  }
  const lines: Token[][] = [[]]
  const add = (text: string, kind: Token['kind']): void => {
    for (const [i, part] of text.split('\n').entries()) {
      if (i > 0) lines.push([])
      if (part !== '') lines.at(-1)?.push({ text: part, kind })
    }
  }
  const walk = (token: PrismToken, kind: Token['kind']): void => {
    if (typeof token === 'string') {
      add(token, kind)
      return
    }
    const { type, content: inner } = token
    for (const each of isList(inner) ? inner : [inner]) walk(each, KINDS[type] ?? kind)
  }
  for (const token of Prism.tokenize(content, grammar) as readonly PrismToken[]) walk(token, undefined)
  return lines
}

/** Splits the tokens of a line where a range begins and ends, and marks those in it. @param start from 0 */
export function markRange(tokens: readonly Token[], start: number, length: number): readonly Token[] {
  let at = 0
  return tokens.flatMap((token) => {
    const from = Math.min(Math.max(start - at, 0), token.text.length)
    const to = Math.min(Math.max(start + length - at, from), token.text.length)
    at += token.text.length
    const parts: Token[] = [
      { ...token, text: token.text.slice(0, from) },
      { ...token, text: token.text.slice(from, to), isMarked: true },
      { ...token, text: token.text.slice(to) },
    ]
    return parts.filter(({ text }) => text !== '')
  })
}

function isList(content: PrismToken | readonly PrismToken[]): content is readonly PrismToken[] {
  return Array.isArray(content)
}
