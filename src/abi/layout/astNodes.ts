/**
 * Nodes of a compiler's syntax tree. They are untrusted: members may be missing or of another kind.
 * @see Solidity documentation, "Using the Compiler", output `ast`
 * @module
 */

export type AstNode = Readonly<Record<string, unknown>>

/** Offsets are in bytes of UTF-8. */
export interface AstRange {
  /** Number of the source in the compilation. */
  readonly file: number
  readonly start: number
  readonly end: number
}

const SOURCE = /^(\d{1,9}):(\d{1,9}):(\d{1,9})$/
const NOWHERE: AstRange = { file: -1, start: 0, end: 0 }

export function nodeOf(value: unknown): AstNode | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as AstNode) : undefined
}

export function nodesOf(value: unknown): readonly AstNode[] {
  return Array.isArray(value) ? value.map(nodeOf).filter((each) => each !== undefined) : []
}

export function textIn(node: AstNode | undefined, key: string): string {
  const value = node?.[key]
  return typeof value === 'string' ? value : ''
}

/** @returns -1 when there is none */
export function idIn(node: AstNode | undefined, key = 'id'): number {
  const value = node?.[key]
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : -1
}

export function rangeOf(node: AstNode | undefined): AstRange {
  const [, start, length, file] = SOURCE.exec(textIn(node, 'src')) ?? []
  if (start === undefined) return NOWHERE
  return { file: Number(file), start: Number(start), end: Number(start) + Number(length) }
}

/** Whether a range is within another. */
export function isWithin(inner: AstRange, outer: AstRange): boolean {
  return inner.file === outer.file && outer.start <= inner.start && inner.end <= outer.end
}

/** The compiler's name of the type of a node. */
export function typeStringOf(node: AstNode | undefined): string {
  return textIn(nodeOf(node?.['typeDescriptions']), 'typeString')
}
