import type { VNode } from 'preact'
import { quantity } from '../format/hex.ts'
import { amount } from '../format/numbers.ts'
import { CopyButton } from './CopyButton.tsx'

interface Props {
  /** A number of wei, or its hex form. */
  readonly wei: bigint | string
  readonly canCopy?: boolean
}

/** An amount in the unit that fits. The title and the copy have the exact number of wei. */
export function Amount({ wei, canCopy = false }: Props): VNode {
  const exact = typeof wei === 'bigint' ? wei : quantity(wei)
  const { text, unit } = amount(exact)
  return (
    <span class="amount" title={`${exact} wei`}>
      {text} <span class="unit">{unit}</span>
      {canCopy && <CopyButton text={exact.toString()} label="amount in wei" />}
    </span>
  )
}
