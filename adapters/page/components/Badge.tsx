import type { ComponentChildren, VNode } from 'preact'

interface Props {
  readonly tone?: 'good' | 'bad' | 'note' | 'plain'
  readonly children: ComponentChildren
}

/** A word with a colour; the word alone says it too. */
export function Badge({ tone = 'plain', children }: Props): VNode {
  return <span class={`badge ${tone}`}>{children}</span>
}
