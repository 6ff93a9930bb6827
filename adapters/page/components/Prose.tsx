import type { VNode } from 'preact'
import { plainText } from '../../../src/abi/plainText.ts'

const MAX_LENGTH = 2000

/** A sentence of the node: parts between backticks are code. Characters that hide or reorder others are escaped. */
export function Prose({ text }: { readonly text: string }): VNode {
  const parts = plainText(text, MAX_LENGTH).split('`')
  return <>{parts.map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>
}
