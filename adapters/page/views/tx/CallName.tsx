import type { VNode } from 'preact'
import { byteLength } from '../../format/hex.ts'
import { byteSize } from '../../format/numbers.ts'
import { decodedCall } from '../../state/meaning.ts'

interface Props {
  readonly input: string
  /** null: a creation */
  readonly to: string | null
}

/** The name of the function, else its selector; a transfer and a creation have neither. */
export function CallName({ input, to }: Props): VNode {
  if (to === null) return <span class="muted">creation, {byteSize(byteLength(input))}</span>
  if (byteLength(input) === 0) return <span class="muted">transfer</span>
  return <FunctionName input={input} to={to} />
}

function FunctionName({ input, to }: { readonly input: string; readonly to: string }): VNode {
  const call = decodedCall(input, to).value
  return (
    <code class="function" title={call?.signature ?? undefined}>
      {call?.name ?? input.slice(0, 10)}
    </code>
  )
}
