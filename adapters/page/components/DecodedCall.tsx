import type { VNode } from 'preact'
import type { Argument, Decoded } from '../rpc/isonode.ts'
import { valueText } from '../state/present.ts'
import { Badge } from './Badge.tsx'
import { Address } from './Hash.tsx'

interface Props {
  readonly decoded: Decoded
}

const CERTAINTY = {
  contract: undefined,
  known: 'name from another known contract',
  standard: 'name from a standard interface',
} as const

/** The name of a function, event or error with its arguments, one on each line. */
export function DecodedItem({ decoded }: Props): VNode {
  const doubt = CERTAINTY[decoded.certainty]
  return (
    <div class="decoded">
      <p>
        <code class="function" title={decoded.signature}>
          {decoded.name}
        </code>{' '}
        {doubt && <Badge tone="note">{doubt}</Badge>}
      </p>
      <Arguments list={decoded.args} />
    </div>
  )
}

const MAX_SHOWN = 100

function Arguments({ list }: { readonly list: readonly Argument[] }): VNode | null {
  if (list.length === 0) return null
  return (
    <dl class="arguments">
      {list.slice(0, MAX_SHOWN).map((argument, i) => (
        <div key={i}>
          <dt>
            {argument.name || `#${i}`} <span class="type">{argument.type}</span>
          </dt>
          <dd>
            <ArgumentText argument={argument} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function ArgumentText({ argument }: { readonly argument: Argument }): VNode {
  const { type, value, components } = argument
  if (type === 'address' && typeof value === 'string') return <Address value={value} isFull />
  if (components !== undefined && components.length > 0 && !type.endsWith(']')) return <Arguments list={components} />
  return <span class="value">{valueText(argument)}</span>
}
